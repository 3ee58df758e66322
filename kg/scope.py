"""Cuts a part out of a layer: what is near seeds, which are identifiers, categories or branches of an ontology.

The same for any field: neuroscience out of PrimeKG (`branches=MONDO:0005071`), cardiology out of UMLS. An empty
scope keeps everything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from kg.errors import InputError, nearest
from kg.graph import Layer
from kg.names import key
from kg.schema import Schema

HIERARCHY = ("is_a", "part_of")


@dataclass(frozen=True)
class Scope:
    """What to keep.

    Args:
        seeds: identifiers or labels of things.
        categories: every thing of these categories is a seed.
        branches: a thing, by identifier or label, and everything below it by is_a and part_of are seeds.
        steps: keep facts up to so many facts away from a seed; 1 keeps the facts of the seeds themselves.
    """

    seeds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    steps: int = 1

    @property
    def empty(self) -> bool:
        return not (self.seeds or self.categories or self.branches)


def within(layer: Layer, scope: Scope, schema: Schema) -> Layer:
    """The layer cut down to the scope; what is cut is counted in `dropped`.

    Hierarchy facts between kept things stay, so that proofs keep working.

    Raises:
        InputError: a seed, category or branch that the layer does not have, or a scope that keeps no fact.
    """
    if scope.empty:
        return layer
    if scope.steps < 1:
        raise InputError(f"--scope.steps: {scope.steps}; give 1 or more")
    kept = _grown(layer, _seeds(layer, scope, schema), scope.steps)
    facts = [fact for fact in layer.facts if fact.head_id in kept and fact.tail_id in kept]
    if not facts:
        raise InputError("--scope: no fact is within it; choose wider seeds or more --scope.steps")
    used = {end for fact in facts for end in (fact.head_id, fact.tail_id)}
    nodes = [node for node in layer.nodes if node.id in used]
    gone = Counter(
        {
            "fact outside the scope": len(layer.facts) - len(facts),
            "thing outside the scope": len(layer.nodes) - len(nodes),
        }
    )
    complete = [row for row in layer.complete if row.entity_id in used]
    return replace(layer, nodes=nodes, facts=facts, dropped=layer.dropped + gone, complete=complete)


def _seeds(layer: Layer, scope: Scope, schema: Schema) -> set[str]:
    for category in scope.categories:
        if category not in schema.categories:
            raise InputError(
                f"--scope.categories: unknown category {category!r}; {nearest(category, schema.categories)}"
            )
    wanted = frozenset(scope.categories)
    found = {node.id for node in layer.nodes if wanted and schema.fits(node.category, wanted)}
    names = _names(layer)
    found |= {_found(name, names, "--scope.seeds") for name in scope.seeds}
    tops = [_found(name, names, "--scope.branches") for name in scope.branches]
    return found | _below(layer, tops)


def _names(layer: Layer) -> dict[str, str]:
    return {key(node.label): node.id for node in layer.nodes} | {node.id: node.id for node in layer.nodes}


def _found(name: str, names: dict[str, str], place: str) -> str:
    identity = names.get(name) or names.get(key(name))
    if identity is None:
        raise InputError(f"{place}: the graph has no {name!r}; {nearest(key(name), names)}")
    return identity


def _below(layer: Layer, tops: list[str]) -> set[str]:
    children: dict[str, list[str]] = defaultdict(list)
    for fact in layer.facts:
        if fact.predicate in HIERARCHY and not fact.negated:
            children[fact.tail_id].append(fact.head_id)
    found, todo = set(tops), list(tops)
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def _grown(layer: Layer, seeds: set[str], steps: int) -> set[str]:
    """Seeds and what is up to `steps` facts away; hierarchy facts do not count as a way."""
    kept = set(seeds)
    for _ in range(steps):
        near: set[str] = set()
        for fact in layer.facts:
            if fact.predicate not in HIERARCHY and (fact.head_id in kept or fact.tail_id in kept):
                near.update((fact.head_id, fact.tail_id))
        kept |= near
    return kept
