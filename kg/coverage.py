"""How the core measures up: its figures against their targets, its topics, and the cells of its blueprint.

Counted are facts that may be asked (no is_a, which only sorts things); denials and complete lists are counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from kg.blueprint import Cell
from kg.graph import Fact, Graph
from kg.schema import FORWARD, Schema
from kg.sources.core_facts import topic

IN_USE = 10  # facts from which on a predicate counts as used
LINKED = 3  # facts from which on walks of two facts run through an entity


class Figure(NamedTuple):
    """A number of the core, as text, and what was asked of it. `met` is None where nothing was."""

    name: str
    value: str
    target: str = ""
    met: bool | None = None

    @property
    def verdict(self) -> str:
        return "" if self.met is None else "met" if self.met else "MISSED"


class Coverage:
    """Figures of the core within a graph.

    Args:
        cells: the blueprint (kg/blueprint.py); without one nothing is said of cells.
    """

    def __init__(self, graph: Graph, schema: Schema, cells: Sequence[Cell] = ()) -> None:
        self.graph = graph
        self.asked = [
            fact
            for fact in graph.facts.values()
            if fact.askable and not fact.negated and schema.predicates[fact.predicate].askable
        ]
        self.facts = [fact for fact in self.asked if fact.layer == "core"]
        have = Counter((topic(fact), fact.predicate) for fact in self.facts)
        self.cells = [cell._replace(have=have[cell.topic, cell.predicate]) for cell in cells]
        self.topics = Counter(topic(fact) for fact in self.facts)
        self.predicates = Counter(fact.predicate for fact in self.facts)
        self.referenced = Counter(topic(fact) for fact in self.facts if fact.reference)
        self.entities = {end for fact in self.facts for end in (fact.head_id, fact.tail_id)}

    def figures(self) -> Iterator[Figure]:
        """Every figure; nothing for a graph without a core."""
        if not self.facts:
            return
        facts, entities = len(self.facts), len(self.entities)
        yield _least("facts", facts, 4_000)
        yield _least("entities", entities, 2_000)
        used = sum(count >= IN_USE for count in self.predicates.values())
        yield _least(f"predicates with {IN_USE} facts or more", used, 25)
        name, most = self.predicates.most_common(1)[0]
        yield Figure(f"most used predicate ({name})", f"{most / facts:.1%}", "≤ 15 %", most / facts <= 0.15)
        yield self._share(f"entities in {LINKED} facts or more of the graph", self._linked(self.asked), entities, 0.60)
        yield self._share(f"entities in {LINKED} facts or more of the core", self._linked(self.facts), entities)
        for layer, shared in sorted(self.bridges.items()):
            yield Figure(f"entities that {layer} knows too", f"{len(shared):,}")
        yield _least("complete lists", len(self.lists), 600)
        yield Figure("denials", f"{sum(f.layer == 'core' and f.negated for f in self.graph.facts.values()):,}")
        yield self._share("facts with a reference", self.referenced.total(), facts, 0.50)
        if self.cells:
            yield self._share(
                "cells of the blueprint reached", sum(not c.short for c in self.cells), len(self.cells), 0.90
            )

    def _linked(self, facts: Sequence[Fact]) -> int:
        degree = Counter(end for fact in facts for end in (fact.head_id, fact.tail_id))
        return sum(degree[entity] >= LINKED for entity in self.entities)

    @staticmethod
    def _share(name: str, part: int, whole: int, least: float | None = None) -> Figure:
        value = f"{part / whole:.1%} ({part:,} of {whole:,})"
        return Figure(name, value) if least is None else Figure(name, value, f"≥ {least:.0%}", part / whole >= least)

    @cached_property
    def bridges(self) -> dict[str, set[str]]:
        """Layer -> entities of the core that stand in facts of that layer too."""
        shared: dict[str, set[str]] = defaultdict(set)
        for fact in self.graph.facts.values():
            if fact.layer != "core" and not fact.negated:
                shared[fact.layer] |= {fact.head_id, fact.tail_id} & self.entities
        return dict(shared)

    @cached_property
    def lists(self) -> dict[tuple[str, str, str], set[str]]:
        """Complete lists that hold facts of the core -> topics of these facts."""
        found: dict[tuple[str, str, str], set[str]] = {}
        for entity, predicate, direction in self.graph.complete:
            table = self.graph.out if direction == FORWARD else self.graph.into
            values = table.get(entity, {}).get(predicate, ())
            if topics := {topic(fact) for fact in values if fact.layer == "core"}:
                found[entity, predicate, direction] = topics
        return found

    def by_topic(self) -> list[tuple[str, int, int, str, int, str]]:
        """(topic, facts, predicates, share with a reference, complete lists, cells reached of all), most facts first."""
        kinds = {name: len({f.predicate for f in self.facts if topic(f) == name}) for name in self.topics}
        lists = Counter(name for topics in self.lists.values() for name in topics)
        cells = Counter(cell.topic for cell in self.cells)
        reached = Counter(cell.topic for cell in self.cells if not cell.short)
        return [
            (
                name,
                count,
                kinds[name],
                f"{self.referenced[name] / count:.0%}",
                lists[name],
                f"{reached[name]} of {cells[name]}",
            )
            for name, count in sorted(self.topics.items(), key=lambda row: (-row[1], row[0]))
        ]


def _least(name: str, value: int, target: int) -> Figure:
    return Figure(name, f"{value:,}", f"≥ {target:,}", value >= target)
