"""Hetionet (Himmelstein et al. 2017): the nodes table and the .sif of edges, or the one JSON.

A .sif names its edges by abbreviations (`CtD`); they are built from the kinds (`Compound`, `treats`, `Disease`) as
metaedges.tsv spells them. A .sif alone has no names: give nodes.tsv beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.sources import clean, rows
from kg.sources.opening import bare_name, open_text
from kg.sources.raw import Raw, Thing

FORMAT = "hetionet"
KINDS = {
    "A": "Anatomy", "BP": "Biological Process", "CC": "Cellular Component", "C": "Compound", "D": "Disease",
    "G": "Gene",
    "MF": "Molecular Function", "PW": "Pathway", "PC": "Pharmacologic Class", "SE": "Side Effect", "S": "Symptom",
}  # fmt: skip
VERBS = {
    "d": "downregulates", "e": "expresses", "u": "upregulates", "r": "resembles", "p": "palliates", "t": "treats",
    "b": "binds",
    "c": "causes", "l": "localizes", "a": "associates", "i": "interacts",
}  # fmt: skip
# Abbreviations whose verb depends on the kinds; the rest follow KINDS and VERBS.
METAEDGES = {
    "DpS": "presents", "GpBP": "participates", "GpCC": "participates_component", "GpMF": "participates_function",
    "GpPW": "participates",
    "GcG": "covaries", "Gr>G": "regulates_gene", "GiG": "interacts", "PCiC": "includes", "CcSE": "causes",
    "CpD": "palliates",
}  # fmt: skip
_BY_WORDS = {
    ("participates", "Cellular Component"): "participates_component",
    ("participates", "Molecular Function"): "participates_function",
    ("regulates", "Gene"): "regulates_gene",
}


def read(paths: list[Path]) -> Raw:
    """Read nodes.tsv and a .sif (in any order), or the JSON.

    Raises:
        InputError: an unknown metaedge, or a JSON of another form.
    """
    raw = Raw(FORMAT)
    for path in sorted(paths, key=lambda p: ".sif" in p.name):
        if bare_name(path).endswith(".json"):
            _json(path, raw)
        elif set(rows.header(path)) == {"id", "name", "kind"}:
            for row in rows.read(path, delimiter="\t"):
                raw.add(_thing(row.values["id"], row.values["name"], row.values["kind"]))
        else:
            _sif(path, raw)
    if raw.claims and not raw.things:
        raise InputError(f"{paths[0]}: a .sif has no names; give the nodes table (id, name, kind) as a second file")
    return raw


def _thing(identity: str, name: str, kind: str) -> Thing:
    xrefs = (f"symbol:{name}",) if kind == "Gene" else ()
    return Thing(identity, clean.label(name), kind, xrefs=xrefs)


def _sif(path: Path, raw: Raw) -> None:
    for line, (source, metaedge, target) in rows.cells(path, ("source", "metaedge", "target"), delimiter="\t"):
        raw.claim(source, _verb(metaedge, f"{path}:{line}"), target)


def _verb(metaedge: str, place: str) -> str:
    if metaedge in METAEDGES:
        return METAEDGES[metaedge]
    for head in sorted(KINDS, key=len, reverse=True):
        rest = metaedge.removeprefix(head)
        if metaedge.startswith(head) and rest[:1] in VERBS and rest[1:] in KINDS:
            return VERBS[rest[0]]
    raise InputError(f"{place}: unknown metaedge {metaedge!r}; the form is CtD, GpBP, ... as in metaedges.tsv")


def _json(path: Path, raw: Raw) -> None:
    with open_text(path) as text:
        record = rows.load_json(text.read(), str(path))
    if (
        not isinstance(record, dict)
        or not isinstance(record.get("nodes"), list)
        or not isinstance(record.get("edges"), list)
    ):
        raise InputError(f"{path}: holds no nodes and edges (a metagraph only?); give hetionet-v1.0.json")
    for number, node in enumerate(record["nodes"], start=1):
        place = f"{path}: node {number}"
        kind, identity = _need(node, "kind", place), _need(node, "identifier", place)
        raw.add(_thing(f"{kind}::{identity}", str(node.get("name", "")), str(kind)))
    for number, edge in enumerate(record["edges"], start=1):
        place = f"{path}: edge {number}"
        ends = [_need(edge, side, place) for side in ("source_id", "target_id")]
        verb = str(_need(edge, "kind", place))
        head, tail = ("::".join(map(str, end)) if isinstance(end, list) else str(end) for end in ends)
        if edge.get("direction") == "backward":
            head, tail = tail, head
        data = edge.get("data") if isinstance(edge.get("data"), dict) else {}
        verb = _BY_WORDS.get((verb, tail.partition("::")[0]), verb)
        raw.claim(
            head,
            verb,
            tail,
            source=raw.share(rows.text_of(data.get("sources"))),
            license=raw.share(rows.text_of(data.get("license"))),
        )


def _need(entry: Any, key: str, place: str) -> Any:
    if not isinstance(entry, dict) or key not in entry:
        raise InputError(f"{place}: lacks {key!r}; give hetionet-v1.0.json as published")
    return entry[key]
