"""KGX: the exchange format of the Biolink world; a table of nodes and a table of edges (TSV or JSON lines), or one
JSON.

Columns come in any order and number; lists use `|`. Of several categories the first one that is not a mere
`NamedThing` counts. `negated`, `publications`, `primary_knowledge_source` and the aspect, frequency and onset
qualifiers are kept; a row of any other qualifier is not askable, since without it the fact may not be true.
"""

from __future__ import annotations

import re
from pathlib import Path

from kg.errors import InputError, nearest
from kg.sources import clean, rows
from kg.sources.opening import bare_name, open_text
from kg.sources.raw import Raw, Thing
from kg.sources.triples import TRUE

FORMAT = "kgx"
_ROOTS = frozenset({"biolink:NamedThing", "biolink:Entity", "biolink:ThingWithTaxonomy", "biolink:PhysicalEssence"})
_NOTED = ("frequency_qualifier", "onset_qualifier", "sex_qualifier", "stage_qualifier")
_CHANGES = ("qualified_predicate", "object_aspect_qualifier", "object_direction_qualifier", "subject_aspect_qualifier",
            "subject_direction_qualifier", "causal_mechanism_qualifier")  # fmt: skip
_ORIGINS = ("primary_knowledge_source", "knowledge_source", "aggregator_knowledge_source", "provided_by")
_SAME = ("same_as", "equivalent_identifiers")
_SPECIES = re.compile(r"\s\((human|mouse|rat|zebrafish|fly|worm|yeast)\)$")


def is_edges(header: list[str]) -> bool:
    return {"subject", "predicate", "object"} <= set(header)


def is_nodes(header: list[str]) -> bool:
    return {"id", "category"} <= set(header) and "subject" not in header


def read(paths: list[Path]) -> Raw:
    """Read node and edge files that belong together, or one KGX JSON.

    Raises:
        InputError: a file that is neither nodes nor edges; a broken row.
    """
    raw = Raw(FORMAT)
    for path in paths:
        if bare_name(path).endswith(".json"):
            _whole(path, raw)
            continue
        header = rows.header(path)
        if not (is_edges(header) or is_nodes(header)):
            missing = nearest("subject", header)
            raise InputError(
                f"{path}: neither KGX nodes (id, name, category) nor edges (subject, predicate, object); {missing}"
            )
        for row in rows.read(path):
            _take(raw, row.values, edges=is_edges(header))
    if not raw.things:
        raw.notes.append(
            "there is no node file: its ends have no names, and facts between identifiers are not asked; add *_nodes"
        )
    return raw


def _whole(path: Path, raw: Raw) -> None:
    with open_text(path) as text:
        record = rows.load_json(text.read(), str(path))
    for name in ("nodes", "edges"):
        if not isinstance(record.get(name) if isinstance(record, dict) else None, list):
            raise InputError(f"{path}: a KGX JSON needs the lists 'nodes' and 'edges'")
        for number, entry in enumerate(record[name], start=1):
            _take(raw, rows.flat(entry, f"{path}: {name} {number}"), edges=name == "edges")


def _take(raw: Raw, values: dict[str, str], edges: bool) -> None:
    if edges:
        _edge(raw, values)
    elif not values.get("id"):
        raw.dropped["node without an id"] += 1
    else:
        raw.add(_node(raw, values))
        raw.same += [
            (values["id"], one)
            for key in _SAME
            for one in values.get(key, "").split("|")
            if one and one != values["id"]
        ]


def _node(raw: Raw, values: dict[str, str]) -> Thing:
    kinds = [kind for kind in values.get("category", "").split("|") if kind]
    kind = next((one for one in kinds if one not in _ROOTS), kinds[0] if kinds else "")
    label = clean.label(values.get("name", ""))
    synonyms = [_SPECIES.sub("", clean.label(name)) for name in values.get("synonym", "").split("|") if name]
    xrefs = [one for key in ("xref", *_SAME) for one in values.get(key, "").split("|") if one]
    return Thing(
        raw.share(values["id"]),
        _SPECIES.sub("", label),
        raw.share(kind),
        tuple(dict.fromkeys(synonyms)),
        tuple(dict.fromkeys(xrefs)),
        values.get("in_taxon_label") or values.get("in_taxon") or values.get("taxon") or None,
        license=values.get("license", ""),
    )


def _edge(raw: Raw, values: dict[str, str]) -> None:
    if not (values.get("subject") and values.get("predicate") and values.get("object")):
        raw.dropped["edge without subject, predicate or object"] += 1
        return
    references = [one for one in values.get("publications", "").split("|") if one]
    notes = [values[key] for key in _NOTED if values.get(key)]
    changed = any(values.get(key) for key in _CHANGES)
    raw.claim(
        values["subject"],
        values["predicate"],
        values["object"],
        qualifier="; ".join(notes) or None,
        source=raw.share(next((values[key] for key in _ORIGINS if values.get(key)), "")),
        license=raw.share(values.get("license", "")),
        reference="; ".join(references[:3]) or None,
        negated=values.get("negated", "").lower() in TRUE,
        askable=not changed,
    )
