"""The open-world error: how many distractors are true of what the graph does not know?

One layer is hidden, questions are made from the rest, and their distractors are looked up in the full graph. A
distractor that the hidden layer shows to be true would have been a second right option. Only questions whose last
predicate the hidden layer knows are counted, since only those it could refute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from generation.candidates import find_paths
from generation.distractors import Distractors
from generation.workers import spread
from kg.closure import Closure
from kg.graph import Graph
from kg.paths import Limits, Path, digest
from kg.schema import Schema

SAMPLE = 600  # paths a layer


class Hidden(NamedTuple):
    """Result for one hidden layer: `upper` as in `upper_bound`, `examples` of true distractors in words."""

    layer: str
    questions: int
    distractors: int
    true: int
    upper: float
    examples: list[str]


def upper_bound(true: int, of: int) -> float:
    """Upper end of the two-sided 95 % Clopper-Pearson interval of a share (1.0 for nothing seen)."""
    from scipy.stats import beta  # takes 1 s to load

    return float(beta.ppf(0.975, true + 1, of - true)) if of > true else 1.0


_state: dict[str, Any] = {}  # inherited by workers


def hidden_layers(
    graph: Graph, schema: Schema, limits: Limits, seed: int, sample: int = SAMPLE, workers: int = 1
) -> list[Hidden]:
    """Hide each layer in turn (those that leave something to ask about)."""
    layers = sorted({fact.layer for fact in graph.facts.values()})
    _state.update(full=Closure(graph, schema), layers=layers, limits=limits, seed=seed, sample=sample)
    found = spread(_hide_one, len(layers), workers, "hiding layers", 1, "layer")
    return [hidden for hidden in found if hidden.distractors]


def _hide_one(span: tuple[int, int]) -> Hidden:
    return _hide(_state["full"], _state["layers"][span[0]], _state["limits"], _state["seed"], _state["sample"])


def _hide(full: Closure, layer: str, limits: Limits, seed: int, sample: int) -> Hidden:
    shown = {key: fact for key, fact in full.graph.facts.items() if fact.layer != layer}
    known = {fact.predicate for fact in full.graph.facts.values() if fact.layer == layer}
    both = {fact.predicate for fact in shown.values()} & known
    closure = Closure(replace(full.graph, facts=shown), full.schema)
    paths = find_paths(closure, (1, 2), limits, Counter())
    every = [path for part in paths.values() for path in part]
    asked = [path for path in every if path.steps[-1].predicate in both]
    asked.sort(key=lambda path: digest("open world", path.path_id, path.source))
    distractors, true, total, examples = Distractors(closure, every, seed), 0, 0, []
    for path in asked[:sample]:
        for one in distractors.find(path).distractors:
            total += 1
            if one.node in set(_right(full, path)):
                true += 1
                examples.append(f"{full.graph.label(path.source)} {path.metapath}: {full.graph.label(one.node)}")
    return Hidden(layer, min(len(asked), sample), total, true, upper_bound(true, total), examples[:10])


def _right(closure: Closure, path: Path) -> Iterator[str]:
    """Every answer that the full graph entails."""
    ends = frozenset((path.source,))
    for step in path.steps:
        ends = frozenset().union(*(closure.entailed(end, step) for end in ends))
    yield from ends
