"""A user's graph as its file has it, before our words are put on it.

Every reader of a format (triples, KGX, OBO, ...) gives a `Raw`: things and claims in the file's own words.
kg/mapping.py turns it into a `kg.graph.Layer`. Strings that recur are shared, so that 10^6 claims stay under a
gigabyte.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

SUB_CLASS = "is_a"  # how every reader calls a subclass relation


class Thing(NamedTuple):
    """An entity in the file's words.

    Attributes:
        category: the file's own type, or "" where it has none. license, source: where the file says so.
        why: the reason why a thing may stand in the graph but not in a question, or "".
    """

    id: str
    label: str
    category: str = ""
    synonyms: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    taxon: str | None = None
    source: str = ""
    license: str = ""
    why: str = ""


class Claim(NamedTuple):
    """A statement in the file's words, in the file's direction. Fields as in `kg.graph.Fact`."""

    head: str
    predicate: str
    tail: str
    qualifier: str | None = None
    source: str = ""
    license: str = ""
    reference: str | None = None
    negated: bool = False
    askable: bool = True


class Relation(NamedTuple):
    """What the file itself says about a predicate: a label, and whether it reads the same from both ends."""

    label: str = ""
    symmetric: bool = False
    transitive: bool = False
    functional: bool = False


@dataclass
class Raw:
    """All that a reader found. `dropped` counts rows that it could not use, by reason.

    Attributes:
        version: of the data, as the file says ("" if it does not).
        relations: what the file says about its predicates.
        same: pairs of identifiers that the file declares to be one thing.
        notes: what a user should know about the file, for the report.
    """

    format: str
    things: dict[str, Thing] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    relations: dict[str, Relation] = field(default_factory=dict)
    version: str = ""
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)
    _shared: dict[str, str] = field(default_factory=dict, repr=False)

    def share(self, text: str) -> str:
        """The one copy of a string that recurs."""
        return self._shared.setdefault(text, text)

    def claim(self, head: str, predicate: str, tail: str, **more: object) -> None:
        """Add a claim with shared strings."""
        share = self._shared.setdefault
        self.claims.append(Claim(share(head, head), share(predicate, predicate), share(tail, tail), **more))  # type: ignore[arg-type]

    def add(self, thing: Thing) -> None:
        """Add a thing, or fill the gaps of one that is there already."""
        known = self.things.get(thing.id)
        if known is None:
            self.things[thing.id] = thing
            return
        self.things[thing.id] = known._replace(
            label=known.label or thing.label,
            category=known.category or thing.category,
            synonyms=tuple(dict.fromkeys((*known.synonyms, *thing.synonyms))),
            xrefs=tuple(dict.fromkeys((*known.xrefs, *thing.xrefs))),
            taxon=known.taxon or thing.taxon,
        )
