"""Words that importers know: what Biolink, the Relation Ontology and others call our predicates and categories.

The tables are kg/data/mappings/{predicates,categories,words}.yaml; verb phrases of the schema's own wordings count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import yaml

from kg.schema import Schema, parse
from kg.wording import bare_verb

OUT = "-"
_CURIE = re.compile(r"^(?:[A-Za-z_.]+/obo/)?(RO|BFO|BSPO|CL|GOREL|HOM|IAO|UBERON)[_:](\w+)$")
_WORDY = frozenset({"biolink", "rdfs", "rdf", "owl", "skos", "obo", "sio", "schema", "http", "https"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


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

    `inverse` exchanges the ends; not `askable`: kept, never asked; `denies`: says that it is NOT so (`lacks part`);
    `also`: a second fact that each fact makes (`branch_of & part_of?`).
    """

    predicate: str
    inverse: bool = False
    askable: bool = True
    denies: bool = False
    also: str = ""

    @classmethod
    def parse(cls, text: str) -> Target:
        text, _, also = (part.strip() for part in text.partition("&"))
        bare = text.removeprefix("!")
        name = bare.removeprefix("^").removesuffix("?")
        return cls(name, bare.startswith("^"), not bare.endswith("?"), text.startswith("!"), also)

    def __str__(self) -> str:
        signs = f"{'!' if self.denies else ''}{'^' if self.inverse else ''}"
        more = f" & {self.also}" if self.also else ""
        return f"{signs}{self.predicate}{'' if self.askable else '?'}{more}"


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
