"""Which category of ours an imported thing belongs to (kg/data/mappings/categories.yaml).

A type that the file gives comes first; a coarse one (`structure`) is made finer where the is_a relations or the name
say so. Without a type: up the is_a relations nearest first, by identifier or by the last words of a name; then the
prefix of the identifier; then the roles that the thing plays (what treats something is a drug); at last `item`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from kg import roles
from kg.roles import UNKNOWN
from kg.schema import Schema
from kg.sources.raw import SUB_CLASS, Raw, Thing
from kg.vocabulary import OUT, known, plain_name, wide

NAMED_ONLY = "user:"  # ids of things that have a name and nothing else (kg/sources/triples.py)
STEPS_UP, MOST_SEEN = 6, 200  # how far up, and how many classes in all
_PARTITIVE = re.compile(r"\b(?:branch|ramus|division|trunk|tributary)(?: \w+)? (?:of|to|from) ")
_NUMERAL = re.compile(r"[ivx]+")
_TAIL = re.compile(r" (?:of|in|from|for|to|with|on|by|derived|innervating|without) ")
_COARSE = frozenset(
    {"structure", "cell", "chemical", "protein", "disease", "process", "biological_process", "phenotype", "entity"}
)


def category_for(kind: str) -> str | None:
    """Our category for a type that a file gives, `-` to leave it out, None if nobody knows it."""
    plain = plain_name(kind)
    entry: str | None = known("categories")["types"].get(plain)
    return entry or (plain if plain in wide().categories else None)


class Kinds:
    """Categories of the things of one file.

    Args:
        types: the file's type -> category of ours or `-`, from the mapping.
        ends: the file's predicate -> categories of its head and tail, for things that have no type.
    """

    def __init__(
        self, raw: Raw, types: Mapping[str, str], schema: Schema, ends: Mapping[str, tuple[str, str]] | None = None
    ) -> None:
        self.raw, self.types, self.schema, self.ends = raw, types, schema, ends or {}
        self.memo: dict[str, _Found] = {}
        self.parents: dict[str, list[str]] = defaultdict(list)
        for claim in raw.claims:
            if claim.predicate == SUB_CLASS and not claim.negated:
                self.parents[claim.head].append(claim.tail)

    def all(self) -> dict[str, str]:
        """Thing -> category (`-`: leave out)."""
        found = {name: self._of(thing) for name, thing in self.raw.things.items()}
        if self.ends:
            for name, category in roles.votes(self.raw, self.untyped(found), self.ends).items():
                finer = found[name]
                if finer == UNKNOWN or category not in self.schema.ancestors(finer):
                    found[name] = category
        return found

    def untyped(self, found: Mapping[str, str]) -> set[str]:
        """Things that neither the file nor their place among classes gives a type; a name's ending is no type."""
        return {
            name
            for name, thing in self.raw.things.items()
            if found[name] != OUT
            and not thing.category
            and not self.parents.get(name)
            and thing.id.startswith(NAMED_ONLY)
        }

    def _of(self, thing: Thing) -> str:
        given = self.types.get(thing.category, UNKNOWN) if thing.category else UNKNOWN
        if given == OUT or (given != UNKNOWN and given not in _COARSE):
            return given
        found = self._climbed(thing)
        if not thing.category:
            prefix = thing.id.partition(":")[0] if ":" in thing.id else ""
            given = known("categories")["prefixes"].get(prefix, UNKNOWN)
        if found.surely or given == UNKNOWN:
            return found.category or given
        return found.category if given != OUT and given in self._ancestors(found.category) else given

    def _ancestors(self, category: str) -> tuple[str, ...]:
        return self.schema.ancestors(category) if category in self.schema.categories else ()

    def _climbed(self, thing: Thing) -> _Found:
        """The category that the nearest class above the thing, itself included, says; a finer one from further up."""
        level, seen, found = [thing.id], {thing.id}, _Found("", surely=False)
        for _ in range(STEPS_UP):
            for name in level:
                said = self._said(name)
                if said.category and (not found.category or found.category in self._ancestors(said.category)[1:]):
                    found = said
            level = [up for name in level for up in self.parents.get(name, ()) if up not in seen]
            seen.update(level)
            if len(seen) > MOST_SEEN:
                break
        return found

    def _said(self, name: str) -> _Found:
        if name not in self.memo:
            self.memo[name] = self._says(name)
        return self.memo[name]

    def _says(self, name: str) -> _Found:
        anchors: dict[str, str] = known("categories")["anchors"]
        if name in anchors:
            return _Found(anchors[name], surely=True)
        thing = self.raw.things.get(name)
        return _Found(by_ending(thing.label) if thing else "", surely=False)


class _Found(NamedTuple):
    """A category found among names and classes above; `surely` by an identifier, not by the look of a name."""

    category: str
    surely: bool


def by_ending(label: str) -> str:
    """The category that the head noun of a name says, or "".

    >>> by_ending("foramen spinosum of sphenoid bone"), by_ending("nerve to stylohyoid")
    ('opening', 'nerve')
    >>> by_ending("superior branch of oculomotor nerve"), by_ending("cranial nerve II")
    ('nerve', 'cranial_nerve')
    """
    label = _PARTITIVE.split(label, maxsplit=1)[-1]  # a branch of a nerve is a nerve
    words = _TAIL.split(label.lower().split(" (")[0].split(",")[0])[0].split()
    words = words[:-1] if len(words) > 1 and _NUMERAL.fullmatch(words[-1]) else words
    endings: dict[str, str] = known("categories")["endings"]
    for count in (2, 1):
        if len(words) >= count and (found := endings.get(" ".join(words[-count:]))):
            return found
    starts: dict[str, str] = known("categories")["starts"]
    return starts.get(words[0], "") if words else ""
