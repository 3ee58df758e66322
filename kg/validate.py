"""Checks of a whole graph: domain and range, cycles, functional predicates, contradictions, doubled facts, bare ends.

Each finding is one line; `python -m kg validate` prints them by kind and ends with exit code 4 if a hard one is found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import networkx as nx

from kg.closure import Closure
from kg.graph import Fact, Graph
from kg.schema import Schema


class Finding(NamedTuple):
    """What is wrong, whether it is hard (makes questions unsound), in which facts (edge ids)."""

    kind: str
    hard: bool
    text: str
    facts: tuple[str, ...] = ()


def findings(graph: Graph, schema: Schema) -> list[Finding]:
    """All findings, hard ones first."""
    found = [
        *_ends(graph, schema),
        *_cycles(graph, schema),
        *_functional(graph, schema),
        *_contradictions(graph, schema),
    ]
    return sorted(found, key=lambda f: (not f.hard, f.kind, f.text))


def said(graph: Graph, fact: Fact) -> str:
    """A fact in short, with its layer."""
    head, tail = (graph.nodes[end].label if end in graph.nodes else end for end in (fact.head_id, fact.tail_id))
    return f"{head} {fact.predicate} {tail} [{fact.layer}]"


def _ends(graph: Graph, schema: Schema) -> Iterator[Finding]:
    for fact in graph.facts.values():
        if fact.head_id not in graph.nodes or fact.tail_id not in graph.nodes:
            yield Finding("an end is no node", True, said(graph, fact), (fact.edge_id,))
            continue
        predicate = schema.predicates[fact.predicate]
        for end, allowed in ((fact.head_id, predicate.domain), (fact.tail_id, predicate.range)):
            category = graph.nodes[end].category
            if not schema.fits(category, allowed):
                text = f"{said(graph, fact)}: {category} not in {sorted(allowed)}"
                yield Finding("outside domain or range", fact.askable, text, (fact.edge_id,))


def _cycles(graph: Graph, schema: Schema) -> Iterator[Finding]:
    for name, predicate in schema.predicates.items():
        if predicate.acyclic:
            stated = [fact for fact in graph.facts.values() if fact.predicate == name and not fact.negated]
            directed = nx.DiGraph((fact.head_id, fact.tail_id) for fact in stated)
            for group in nx.strongly_connected_components(directed):
                if len(group) > 1:
                    labels = ", ".join(sorted(graph.label(node) for node in group))
                    inside = tuple(fact.edge_id for fact in stated if {fact.head_id, fact.tail_id} <= group)
                    yield Finding(f"cycle of {name}", True, labels, inside)


def _functional(graph: Graph, schema: Schema) -> Iterator[Finding]:
    """Several values where a head has one; several things, no kin of one another, where a tail has one (a note: a reflex
    may have two limbs, and the core names both)."""
    heads: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    tails: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in graph.facts.values():
        predicate = schema.predicates[fact.predicate]
        if not fact.negated and not fact.qualifier:
            if predicate.functional:
                heads[fact.head_id, fact.predicate].append(fact)
            if predicate.inverse_functional:
                tails[fact.tail_id, fact.predicate].append(fact)
    for facts in heads.values():
        if len({fact.tail_id for fact in facts}) > 1:
            hard = sum(fact.askable for fact in facts) > 1
            yield _several("several values of a functional predicate", hard, graph, facts)
    closure = Closure(graph, schema)
    for facts in tails.values():
        first, *others = (fact.head_id for fact in facts)
        if any(other not in closure.kin(first) for other in others if other != first):
            yield _several("several things in the one place of a predicate", False, graph, facts)


def _several(kind: str, hard: bool, graph: Graph, facts: list[Fact]) -> Finding:
    return Finding(kind, hard, "; ".join(said(graph, fact) for fact in facts), tuple(fact.edge_id for fact in facts))


def _contradictions(graph: Graph, schema: Schema) -> Iterator[Finding]:
    pairs: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in graph.facts.values():
        if not fact.qualifier:
            pairs[fact.head_id, fact.tail_id].append(fact)
    for facts in pairs.values():
        for place, fact in enumerate(facts):
            for other in facts[:place]:
                if disagree(fact, other, schema):
                    text = f"{said(graph, fact)} / {said(graph, other)}"
                    yield Finding("contradiction", True, text, (fact.edge_id, other.edge_id))


def disagree(first: Fact, second: Fact, schema: Schema) -> bool:
    """Whether two facts of the same ends cannot both be true: a denial, or disjoint predicates."""
    if first.negated != second.negated:
        return first.predicate == second.predicate
    if first.negated:
        return False
    return _excludes(schema, first.predicate, second.predicate) or _excludes(schema, second.predicate, first.predicate)


def _excludes(schema: Schema, first: str, second: str) -> bool:
    against = {name for weak in schema.weaker[first] for name in schema.predicates[weak].disjoint_with}
    return bool(against & schema.weaker[second])
