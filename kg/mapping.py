"""Puts our words on an imported graph: which predicate and category a file's own words mean.

A mapping is a YAML file, written as a first draft by the importer and meant to be read and mended:

    layer, license, source     the name of the layer; what its facts are under; where they come from
    categories                 the file's type -> a category of the schema (or `-`: leave out)
    predicates                 the file's predicate -> predicate(s) of the schema; see kg/data/mappings/predicates.yaml
    ends                       the file's predicate -> [category of heads, category of tails], for things without a type
    apart                      pairs of identifiers that are two things: takes a merge back (build/graph/merges.parquet)
    schema                     categories, predicates and metapaths that kg/data/schema.yaml lacks, in its form

Biolink, Relation Ontology, PrimeKG, Hetionet and UMLS words are known (kg/data/mappings/*.yaml). A predicate that
nobody knows becomes the user's own, with a drafted wording (kg/wording.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from kg.errors import InputError, nearest
from kg.schema import Schema, parse
from kg.vocabulary import OUT, Target, dump_yaml, embedded, load_yaml, merged

_KEYS = {"layer", "license", "source", "extends", "categories", "predicates", "ends", "apart", "schema"}


@dataclass(frozen=True)
class WordMap:
    """A mapping, read or drafted. An empty tuple of targets leaves a predicate out."""

    layer: str = ""
    license: str = ""
    source: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)
    predicates: Mapping[str, tuple[Target, ...]] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    apart: frozenset[frozenset[str]] = frozenset()
    schema: Mapping[str, Any] = field(default_factory=dict)
    extends: bool = True


def read(path: Path) -> WordMap:
    """Read a mapping file.

    Raises:
        InputError: unreadable, or an entry of the wrong form (named).
    """
    try:
        raw = load_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"mapping {path}: cannot be read: {error}") from error
    if not isinstance(raw, dict):
        raise InputError(
            f"mapping {path}: expected a mapping with {', '.join(sorted(_KEYS))}, found {type(raw).__name__}"
        )
    for key in raw:
        if key not in _KEYS:
            raise InputError(f"mapping {path}: unknown key {key!r}; {nearest(str(key), _KEYS)}")
    parts = {key: raw.get(key) or {} for key in ("categories", "predicates", "ends", "schema")}
    for key, part in parts.items():
        if not isinstance(part, dict):
            raise InputError(f"mapping {path}: {key} is {part!r}; write `name: value` lines under it")
    for key, form in (("categories", dict), ("predicates", dict), ("metapaths", list)):
        part = parts["schema"].get(key)
        if part is not None and not isinstance(part, form):
            how = "`- step > step` lines" if form is list else "`name: {...}` lines"
            raise InputError(f"mapping {path}: schema: {key} is {part!r}; write {how} under it")
    predicates = {
        str(name): _targets(entry, f"mapping {path}: predicate {name!r}") for name, entry in parts["predicates"].items()
    }
    categories = {str(name): str(entry) for name, entry in parts["categories"].items()}
    ends = {str(name): _two(entry, f"mapping {path}: ends of {name!r}") for name, entry in parts["ends"].items()}
    texts = {key: str(raw.get(key) or "") for key in ("layer", "license", "source")}
    return WordMap(
        categories=categories,
        predicates=predicates,
        ends=ends,
        apart=_apart(raw.get("apart") or [], f"mapping {path}: apart"),
        schema=parts["schema"],
        extends=raw.get("extends", True),
        **texts,
    )


def _targets(entry: Any, place: str) -> tuple[Target, ...]:
    entries = entry if isinstance(entry, list) else [entry]
    if not all(isinstance(one, str) for one in entries):
        raise InputError(
            f"{place}: is {entry!r}; write the name of a predicate, `^name`, `name?`, `!name`, or `-` to leave it out"
        )
    return tuple(Target.parse(one) for one in entries if one != OUT)


def _two(entry: Any, place: str) -> tuple[str, str]:
    if not (isinstance(entry, list) and len(entry) == 2 and all(isinstance(one, str) for one in entry)):
        raise InputError(f"{place}: is {entry!r}; write [category of heads, category of tails]")
    return entry[0], entry[1]


def _apart(entry: Any, place: str) -> frozenset[frozenset[str]]:
    pairs = entry if isinstance(entry, list) else [entry]
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)):
            raise InputError(
                f"{place} holds {pair!r}; write pairs of identifiers: [[KEPT, GONE]] as merges.parquet has them"
            )
    return frozenset(frozenset(pair) for pair in pairs)


def resolved(mapping: WordMap, where: str) -> Schema:
    """The schema of an import: the embedded one and the mapping's own words.

    Raises:
        InputError: the mapping's schema is wrong, or a line names a word that the schema lacks.
    """
    data = merged(*([embedded()] if mapping.extends else []), mapping.schema)
    schema = parse(data, where, dump_yaml(data))
    for name, targets in mapping.predicates.items():
        for target in (*targets, *(Target.parse(one.also) for one in targets if one.also)):
            if target.predicate not in schema.predicates:
                hint = nearest(target.predicate, schema.predicates)
                raise InputError(
                    f"mapping {where}: predicate {name!r} becomes {target.predicate!r}, which the schema lacks; {hint}"
                )
    given = [*mapping.categories.items(), *((name, end) for name, pair in mapping.ends.items() for end in pair)]
    for name, category in given:
        if category != OUT and category not in schema.categories:
            hint = nearest(category, schema.categories)
            raise InputError(
                f"mapping {where}: {name!r} becomes the category {category!r}, which the schema lacks; {hint}"
            )
    return schema


_HEADER = """\
# How the words of the imported graph become ours. Read it, mend it, and import again with --map THIS_FILE.
# predicates: name | ^name (ends exchanged) | name? (kept, never asked) | !name (denied) | - (left out);
# of several the first that suits its ends. apart: [[KEPT, GONE]] takes back a merge that merges.parquet lists"""


def written(mapping: WordMap, remarks: Mapping[str, str]) -> str:
    """The mapping as YAML. `remarks`: predicate or category -> what to say beside it."""
    lines = [_HEADER]
    lines += [f"{name}: {json.dumps(getattr(mapping, name))}" for name in ("layer", "license", "source")]
    lines.append("categories:" if mapping.categories else "categories: {}")
    lines += [
        f"  {json.dumps(name)}: {json.dumps(to)}{_remark(remarks, name)}" for name, to in mapping.categories.items()
    ]
    lines.append("predicates:" if mapping.predicates else "predicates: {}")
    for name, targets in mapping.predicates.items():
        shown = json.dumps([str(target) for target in targets]) if len(targets) != 1 else json.dumps(str(targets[0]))
        lines.append(f"  {json.dumps(name)}: {shown if targets else json.dumps(OUT)}{_remark(remarks, name)}")
    if mapping.ends:
        lines.append(
            "ends:  # what the heads and tails of a predicate are, where the file gives no types: "
            "name the numbered ones"
        )
        lines += [f"  {json.dumps(name)}: {json.dumps(list(pair))}" for name, pair in mapping.ends.items()]
    if mapping.apart:
        lines.append(f"apart: {json.dumps(sorted(sorted(pair) for pair in mapping.apart))}")
    own = dump_yaml({"schema": dict(mapping.schema)})
    return "\n".join(lines) + "\n" + own


def _remark(remarks: Mapping[str, str], name: str) -> str:
    text = " ".join(remarks.get(name, "").split())
    return f"  # {text}" if text else ""
