"""The core held against an open layer: what both say, what they contradict each other in, what only one says.

Compared are ligand and target, protein and gene (Guide to Pharmacology), gene and disorder (UniProt, HPO), and mode of
inheritance (HPO), between entities that both layers know. Layers are compared as they are before they are joined, because
joining drops what an earlier layer says or contradicts (kg/build.py). Conflicts that a person has ruled on stand in
kg/data/core/resolved.tsv (kg/rulings.py). Run by `python -m kg compare`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kg.alignment import align, moved_facts
from kg.closure import Closure
from kg.graph import Fact, Layer
from kg.schema import BACKWARD, FORWARD, Schema
from kg.validate import disagree

ACTS = frozenset({"agonist_of", "antagonist_of", "activates", "inhibits", "blocks", "potentiates", "binds_to"})


class Area(NamedTuple):
    """What is compared with which layer: facts of these predicates."""

    name: str
    layer: str
    predicates: frozenset[str]


AREAS = (
    Area("ligand and target", "guide_to_pharmacology", ACTS),
    Area("protein and gene", "guide_to_pharmacology", frozenset({"encoded_by"})),
    Area("gene and disorder", "uniprot", frozenset({"mutation_causes"})),
    Area("gene and disorder", "hpo", frozenset({"mutation_causes"})),
    Area("disorder and inheritance", "hpo", frozenset({"inherited_as"})),
)


class Statement(NamedTuple):
    """A fact in words: labels of its ends."""

    head: str
    predicate: str
    tail: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{'NOT ' if self.negated else ''}{self.head} {self.predicate} {self.tail}"


class Conflict(NamedTuple):
    """Two things that cannot both be true.

    Attributes:
        layer: of the statement.
        statement: what the layer states. For a complete list of the layer: what the core states and the list lacks.
        against: the statement of the other side, or the list.
    """

    layer: str
    kind: str
    statement: Statement
    against: str


@dataclass
class Compared:
    """One area. Agreements and silences are pairs of ends; `differ` are pairs of which both say something else."""

    area: Area
    agree: list[tuple[str, str]] = field(default_factory=list)
    differ: list[tuple[str, str]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    only_core: list[tuple[str, str]] = field(default_factory=list)
    only_layer: list[tuple[str, str]] = field(default_factory=list)


Pairs = dict[tuple[str, str], list[Fact]]


class Comparison:
    """The core and open layers, aligned.

    Args:
        layers: the core first.
    """

    def __init__(self, layers: Sequence[Layer], schema: Schema) -> None:
        self.schema = schema
        self.graph = align(layers, schema)
        moved = {merge.gone_id: merge.kept_id for merge in self.graph.merges}
        self.facts = {layer.name: list(moved_facts([layer], moved).values()) for layer in layers}
        self.nodes = {layer.name: {moved.get(node.id, node.id) for node in layer.nodes} for layer in layers}
        self.lists = {
            layer.name: {
                (moved.get(row.entity_id, row.entity_id), row.predicate, row.direction) for row in layer.complete
            }
            for layer in layers
        }
        self.closure = Closure(self.graph, schema)

    def compare(self, area: Area) -> Compared:
        """Agreements, conflicts and silences of one area; pairs and conflicts in order of their labels."""
        ours, theirs = self._pairs("core", area), self._pairs(area.layer, area)
        both = self.nodes["core"] & self.nodes[area.layer]
        made = Compared(area)
        made.conflicts = sorted(set(self._conflicts(area, ours, theirs)))
        for pair in sorted(ours.keys() | theirs.keys(), key=self.labels):
            mine, other = _stated(ours.get(pair, ())), _stated(theirs.get(pair, ()))
            if mine and other:
                same = any(self._same(one, two) for one in mine for two in other)
                (made.agree if same else made.differ).append(pair)
            elif mine and set(pair) <= both:
                made.only_core.append(pair)
            elif set(pair) <= both and any(fact.askable for fact in other):
                made.only_layer.append(pair)
        clash = {(conflict.statement.head, conflict.statement.tail) for conflict in made.conflicts}
        made.differ = [pair for pair in made.differ if self.labels(pair) not in clash]
        return made

    def _pairs(self, layer: str, area: Area) -> Pairs:
        found: Pairs = defaultdict(list)
        for fact in self.facts[layer]:
            if fact.predicate in area.predicates:
                found[fact.head_id, fact.tail_id].append(fact)
        return dict(found)

    def _same(self, one: Fact, two: Fact) -> bool:
        weaker = self.schema.weaker
        return one.predicate in weaker[two.predicate] or two.predicate in weaker[one.predicate]

    # --- conflicts ---

    def _conflicts(self, area: Area, ours: Pairs, theirs: Pairs) -> Iterator[Conflict]:
        for pair, facts in theirs.items():
            for fact in facts:
                for mine in ours.get(pair, ()):
                    if not fact.qualifier and not mine.qualifier and self._against(mine, fact):
                        yield Conflict(area.layer, "contradiction", self._said(fact), str(self._said(mine)))
        yield from self._other_values(area, ours, theirs)
        for fact, listed in self._lists("core", ours, theirs):
            yield Conflict(area.layer, "not in the core's complete list", self._said(fact), listed)
        for fact, listed in self._lists(area.layer, theirs, ours):
            yield Conflict(area.layer, "not in the layer's complete list", self._said(fact), listed)

    def _against(self, mine: Fact, other: Fact) -> bool:
        if mine.negated != other.negated:
            denied, stated = (mine, other) if mine.negated else (other, mine)
            return denied.predicate in self.schema.weaker[stated.predicate]
        return disagree(mine, other, self.schema)

    def _other_values(self, area: Area, ours: Pairs, theirs: Pairs) -> Iterator[Conflict]:
        """Functional predicates: the layer has values of a thing, and none of them is the core's or a kin of it."""
        values: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in _all(theirs):
            values[fact.head_id, fact.predicate].append(fact)
        for mine in _all(ours):
            others = values.get((mine.head_id, mine.predicate), [])
            if self.schema.predicates[mine.predicate].functional and not mine.qualifier and others:
                kin = self.closure.kin(mine.tail_id)
                if all(fact.tail_id not in kin for fact in others):
                    yield Conflict(area.layer, "another value", self._said(others[0]), str(self._said(mine)))

    def _lists(self, layer: str, listed: Pairs, others: Pairs) -> Iterator[tuple[Fact, str]]:
        """What the other side states of an entity whose list a layer calls complete, and that list, which lacks it."""
        values: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for fact in _all(listed):
            values[fact.head_id, fact.predicate, FORWARD].add(fact.tail_id)
            values[fact.tail_id, fact.predicate, BACKWARD].add(fact.head_id)
        for fact in _all(others):
            for entity, value, way in ((fact.head_id, fact.tail_id, FORWARD), (fact.tail_id, fact.head_id, BACKWARD)):
                entry = (entity, fact.predicate, way)
                if entry in self.lists[layer] and value in self.nodes[layer]:
                    known = values[entry]
                    if value not in known and not known & self.closure.kin(value):
                        names = ", ".join(sorted(map(self.graph.label, known)))
                        yield fact, f"{self.graph.label(entity)} {fact.predicate} {way}: {names}"

    def labels(self, pair: tuple[str, str]) -> tuple[str, str]:
        return self.graph.label(pair[0]), self.graph.label(pair[1])

    def _said(self, fact: Fact) -> Statement:
        return Statement(self.graph.label(fact.head_id), fact.predicate, self.graph.label(fact.tail_id), fact.negated)


def _stated(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if not fact.negated]


def _all(pairs: Pairs) -> list[Fact]:
    return _stated(fact for facts in pairs.values() for fact in facts)
