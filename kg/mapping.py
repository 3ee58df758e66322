"""Puts our words on an imported graph: which predicate and category a file's own words mean.

A mapping is a YAML file, written as a first draft by the importer and meant to be read and mended:

    layer, license, source     the name of the layer; what its facts are under; where they come from
    categories                 the file's type -> a category of the schema (or `-`: leave out)
    predicates                 the file's predicate -> predicate(s) of the schema; see kg/data/mappings/predicates.yaml
    ends                       the file's predicate -> [category of heads, category of tails], for things without a type
    schema                     categories, predicates and metapaths that kg/data/schema.yaml lacks, in its form

Biolink, Relation Ontology, PrimeKG, Hetionet and UMLS words are known (kg/data/mappings/*.yaml). A predicate that
nobody knows becomes the user's own, with a drafted wording (kg/wording.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kg.errors import InputError, nearest
from kg.schema import Schema, parse
from kg.wording import bare_verb

OUT = "-"
_CURIE = re.compile(r"^(?:[A-Za-z_.]+/obo/)?(RO|BFO|BSPO|CL|GOREL|HOM|IAO|UBERON)[_:](\w+)$")
_WORDY = frozenset({"biolink", "rdfs", "rdf", "owl", "skos", "obo", "sio", "schema", "http", "https"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_KEYS = {"layer", "license", "source", "extends", "categories", "predicates", "ends", "schema"}


def load_yaml(text: str) -> Any:
    """Safe YAML, with the parser in C where it was built (ten times as fast)."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def dump_yaml(data: Any) -> str:
    """YAML in the order of the data."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def plain_name(name: str) -> str:
    """A predicate or type as the mapping tables know it: a CURIE of the Relation Ontology, or words in snake case.

    >>> plain_name("biolink:expressed_in"), plain_name("http://purl.obolibrary.org/obo/RO_0002206")
    ('expressed_in', 'RO:0002206')
    >>> plain_name("hasTarget")
    'has_target'
    """
    last = re.split(r"[/#]", name.rstrip("/#"))[-1]
    if match := _CURIE.match(last):
        return f"{match[1]}:{match[2]}"
    prefix, _, rest = last.partition(":")
    if rest and prefix.lower() in _WORDY:
        last = rest
    plain = _NOT_WORD.sub("_", _CAMEL.sub("_", last).lower()).strip("_")
    for start in ("is_", "are_"):
        if plain.startswith(start) and plain not in ("is_a", "is_active_in"):
            plain = plain.removeprefix(start)
    return plain or "related_to"


class Target(NamedTuple):
    """What a file's predicate becomes.

    `inverse` exchanges the ends; not `askable`: kept, never asked; `denies`: says that it is NOT so (`lacks part`).
    """

    predicate: str
    inverse: bool = False
    askable: bool = True
    denies: bool = False

    @classmethod
    def parse(cls, text: str) -> Target:
        bare = text.strip().removeprefix("!")
        name = bare.removeprefix("^").removesuffix("?")
        return cls(name, bare.startswith("^"), not bare.endswith("?"), text.strip().startswith("!"))

    def __str__(self) -> str:
        signs = f"{'!' if self.denies else ''}{'^' if self.inverse else ''}"
        return f"{signs}{self.predicate}{'' if self.askable else '?'}"


@dataclass(frozen=True)
class WordMap:
    """A mapping, read or drafted. An empty tuple of targets leaves a predicate out."""

    layer: str = ""
    license: str = ""
    source: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)
    predicates: Mapping[str, tuple[Target, ...]] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    schema: Mapping[str, Any] = field(default_factory=dict)
    extends: bool = True


# --- what is known ------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def known(name: str) -> dict[str, Any]:
    """One of kg/data/mappings/{predicates,categories,words}.yaml."""
    data: dict[str, Any] = load_yaml(
        resources.files("kg").joinpath(f"data/mappings/{name}.yaml").read_text(encoding="utf-8")
    )
    return data


@lru_cache(maxsize=1)
def embedded() -> dict[str, Any]:
    """kg/data/schema.yaml as plain data."""
    data: dict[str, Any] = load_yaml(resources.files("kg").joinpath("data/schema.yaml").read_text(encoding="utf-8"))
    return data


def merged(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Schemas as plain data made one; the first that has a name decides it."""
    whole: dict[str, Any] = {"version": 1, "categories": {}, "predicates": {}, "metapaths": []}
    for part in parts:
        for kind in ("categories", "predicates"):
            whole[kind] |= {name: entry for name, entry in (part.get(kind) or {}).items() if name not in whole[kind]}
        whole["metapaths"] += list(part.get("metapaths") or ())
    whole["categories"] = dict(_parents_first(whole["categories"]))
    return whole


def _parents_first(categories: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    done: set[str] = set()
    todo = list(categories)
    while todo:
        ready = [
            name
            for name in todo
            if not isinstance(categories[name], dict) or (categories[name].get("parent") or name) in (*done, name)
        ]
        if not ready:
            ready = todo  # an unknown parent: kg.schema names it
        for name in ready:
            done.add(name)
            yield name, categories[name]
        todo = [name for name in todo if name not in done]


@lru_cache(maxsize=1)
def wide() -> Schema:
    """The embedded schema with every word that importers know, to draft against."""
    data = merged(embedded(), {key: known("words")[key] for key in ("categories", "predicates")})
    return parse(data, "kg/data/mappings/words.yaml")


@lru_cache(maxsize=1)
def phrases() -> dict[str, Target]:
    """Verb phrases of the schema's wordings, as plain names, where they belong to one predicate only."""
    found: dict[str, set[Target]] = {}
    for name, predicate in wide().predicates.items():
        if predicate.inverse_of:
            continue
        for wording, inverse in ((predicate.forward, False), (predicate.backward, True)):
            for pair in wording.verb:
                for verb in pair:
                    found.setdefault(plain_name(verb.replace(" ", "_")), set()).add(
                        Target(name, inverse and not predicate.symmetric)
                    )
    return {phrase: next(iter(targets)) for phrase, targets in found.items() if len(targets) == 1}


def targets_for(name: str, label: str = "") -> tuple[Target, ...] | None:
    """What a predicate means, by its identifier or its label; () to leave it out, None if nobody knows."""
    for text in filter(None, (name, label, bare_verb(name))):
        plain = plain_name(text)
        entry = known("predicates").get(plain)
        if entry is not None:
            return tuple(Target.parse(one) for one in ([entry] if isinstance(entry, str) else entry) if one != OUT)
        predicate = wide().predicates.get(plain)
        if predicate:
            return (Target(predicate.inverse_of, True),) if predicate.inverse_of else (Target(plain),)
        if plain in phrases():
            return (phrases()[plain],)
    return None


# --- files --------------------------------------------------------------------------------------------


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


def resolved(mapping: WordMap, where: str) -> Schema:
    """The schema of an import: the embedded one and the mapping's own words.

    Raises:
        InputError: the mapping's schema is wrong, or a line names a word that the schema lacks.
    """
    data = merged(*([embedded()] if mapping.extends else []), mapping.schema)
    schema = parse(data, where, dump_yaml(data))
    for name, targets in mapping.predicates.items():
        for target in targets:
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
# of several the first that suits its ends"""


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
    own = dump_yaml({"schema": dict(mapping.schema)})
    return "\n".join(lines) + "\n" + own


def _remark(remarks: Mapping[str, str], name: str) -> str:
    text = " ".join(remarks.get(name, "").split())
    return f"  # {text}" if text else ""
