"""Walks over facts: the paths that questions are made of.

A path starts at the stem's entity and ends at the answer; each hop is a fact walked forwards or backwards, and a fact
is only ever *stated* in the direction in which it is true. `singles` gives one-hop paths, `walks` those of two and
more hops over the metapaths that the schema allows (default deny). For n > 2 every window of two steps must be allowed.

The strict rule (docs/contract.md): at most 6 bridges or values a hop as walked, at most 4 distinct answers, a bridge
that is one of a complete list, or the only one known of a predicate that is not broad, none of which a branch or part is
a bridge, too, no fact that holds only under a condition, no hop walked back, no node twice, no shortcut (the answer is not one askable fact away from the source).
Rejections are counted by reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kg.closure import Closure
from kg.graph import Fact
from kg.schema import Metapath, Step


class Hop(NamedTuple):
    """A fact as walked; `inverse` when the walk runs from its tail to its head."""

    fact: Fact
    inverse: bool

    @property
    def step(self) -> Step:
        return Step(self.fact.predicate, self.inverse)

    @property
    def start(self) -> str:
        return self.fact.tail_id if self.inverse else self.fact.head_id

    @property
    def end(self) -> str:
        return self.fact.head_id if self.inverse else self.fact.tail_id


@dataclass(frozen=True)
class Path:
    """Hops in walking order from the stem's entity to the answer."""

    hops: tuple[Hop, ...]

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        return (self.hops[0].start, *(hop.end for hop in self.hops))

    @cached_property
    def source(self) -> str:
        return self.nodes[0]

    @cached_property
    def target(self) -> str:
        return self.nodes[-1]

    @property
    def bridges(self) -> tuple[str, ...]:
        return self.nodes[1:-1]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(hop.step for hop in self.hops)

    @cached_property
    def metapath(self) -> str:
        return " > ".join(map(str, self.steps))

    @cached_property
    def path_id(self) -> str:
        """The same for a path asked at either end."""
        return digest(*sorted(hop.fact.edge_id for hop in self.hops))

    @cached_property
    def pair(self) -> tuple[str, str]:
        """The unordered pair of ends."""
        return (min(self.source, self.target), max(self.source, self.target))


def digest(*parts: str) -> str:
    """A short stable hash of strings (16 hex digits)."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()


CONDITION, MANY = "a fact that holds under a condition", "too many bridges or values"


@dataclass(frozen=True)
class Limits:
    """Bounds of a path. Defaults are the strict rule.

    Args:
        fan_out: values a hop may have as walked.
        answers: distinct right answers of a multi-hop question.
        single_answers: distinct right answers of a single-hop question.
    """

    fan_out: int = 6
    answers: int = 4
    single_answers: int = 8


def in_hash_order(ids: Iterable[str]) -> list[str]:
    """Ids in the order of a hash: growth elsewhere moves little, and no source comes first by its name."""
    return sorted(ids, key=digest)


def singles(closure: Closure, limits: Limits, dropped: Counter[str]) -> Iterator[Path]:
    """Every askable fact, at each end that may be asked."""
    for key in sorted(closure.graph.facts):
        fact = closure.graph.facts[key]
        predicate = closure.schema.predicates[fact.predicate]
        if fact.negated or not fact.askable:
            continue
        for inverse in (False, True):
            step = Step(fact.predicate, inverse)
            if step.direction not in predicate.askable:
                continue
            path = Path((Hop(fact, inverse),))
            if len(closure.linked(path.source, step)) > limits.single_answers:
                dropped["1 hop: too many right answers"] += 1
            else:
                yield path


def walks(
    closure: Closure, hops: int, limits: Limits, dropped: Counter[str], sources: Iterable[str] | None = None
) -> Iterator[Path]:
    """Paths of `hops` facts over allowed metapaths, source by source in hash order.

    Args:
        hops: 2 to 5.
        sources: start from these nodes only (all by default).

    Raises:
        ValueError: `hops` is out of range.
    """
    if not 2 <= hops <= 5:
        raise ValueError(f"hops is {hops}; walks have 2 to 5")
    for source in in_hash_order(closure.graph.nodes if sources is None else sources):
        for path in _from(closure, source, hops, limits, dropped):
            reason = _fault(closure, path, limits)
            if reason:
                dropped[f"{hops} hops: {reason}"] += 1
            else:
                yield path


def _hops_from(closure: Closure, node: str, steps: Collection[Step] | None = None) -> Iterator[Hop]:
    """Facts that may be asked, as walked from a node; over these steps only, if given."""
    for table, inverse in ((closure.graph.out, False), (closure.graph.into, True)):
        for predicate, facts in table.get(node, {}).items():
            if steps is None or Step(predicate, inverse) in steps:
                for fact in facts:
                    if fact.askable:
                        yield Hop(fact, inverse)


def _from(closure: Closure, source: str, hops: int, limits: Limits, dropped: Counter[str]) -> Iterator[Path]:
    """Walks over allowed metapaths. A step with too many values is not walked at all, and counted once from each node."""
    schema = closure.schema
    todo: list[tuple[Hop, ...]] = [
        (hop,)
        for hop in _hops_from(closure, source, _narrow(closure, source, schema.first_steps, limits, dropped, hops))
    ]
    while todo:
        walked = todo.pop()
        if len(walked) == hops:
            yield Path(walked)
            continue
        seen = {walked[0].start, *(hop.end for hop in walked)}
        last = walked[-1]
        steps = _narrow(closure, last.end, schema.next_steps.get(last.step, frozenset()), limits, dropped, hops)
        for hop in _hops_from(closure, last.end, steps):
            if hop.end not in seen and _allowed(closure, last, hop):
                todo.append((*walked, hop))


def _narrow(
    closure: Closure, node: str, steps: Collection[Step], limits: Limits, dropped: Counter[str], hops: int
) -> set[Step]:
    """Those of the steps that have few enough values from a node."""
    there = (closure.graph.out.get(node, {}), closure.graph.into.get(node, {}))
    taken = {step for step in steps if step.predicate in there[step.inverse]}
    few = {step for step in taken if len(closure.linked(node, step)) <= limits.fan_out}
    if len(few) < len(taken):
        dropped[f"{hops} hops: too many bridges or values"] += len(taken) - len(few)
    return few


def _allowed(closure: Closure, first: Hop, second: Hop) -> bool:
    """Whether some metapath of two steps admits these hops and the categories of their nodes."""
    schema, nodes = closure.schema, closure.graph.nodes
    for metapath in schema.by_steps.get((first.step, second.step), ()):
        ends = (first.start, first.end, second.end)
        fits = all(schema.fits(nodes[end].category, allowed) for end, allowed in zip(ends, metapath.at, strict=True))
        if fits and _within(closure, first, metapath):
            return True
    return False


def _within(closure: Closure, first: Hop, metapath: Metapath) -> bool:
    """Whether the source keeps the metapath's own bounds."""
    few = metapath.fan_out is None or len(closure.linked(first.start, first.step)) <= metapath.fan_out
    return few and (metapath.rare is None or closure.graph.degree[first.start] <= metapath.rare)


def answers(closure: Closure, source: str, steps: tuple[Step, ...]) -> frozenset[str]:
    """Every end that the graph gives to a walk of these steps from the source."""
    ends = frozenset((source,))
    for step in steps:
        ends = frozenset().union(*(closure.linked(end, step) for end in ends))
    return ends - {source}


def _fault(closure: Closure, path: Path, limits: Limits) -> str | None:
    """Why the strict rule rejects a path, or None."""
    if any(hop.fact.qualifier for hop in path.hops):
        return CONDITION
    for first, second in zip(path.steps, path.steps[1:], strict=False):
        if second == first.back:
            return "walks a predicate back"
    if any(_too_many(closure, hop, limits) for hop in path.hops):
        return MANY
    for hop in path.hops[:-1]:
        if reason := _bridge_fault(closure, hop, limits):
            return reason
    if len(answers(closure, path.source, path.steps)) > limits.answers:
        return "too many right answers"
    if _one_step_apart(closure, path.source, path.target):
        return "shortcut: one fact joins its ends"
    return None


def _bridge_fault(closure: Closure, hop: Hop, limits: Limits) -> str | None:
    """Why no walk may go on over a hop, or None."""
    if hop.fact.qualifier:
        return CONDITION
    if _too_many(closure, hop, limits):
        return MANY
    only = closure.linked(hop.start, hop.step) == {hop.end} and not closure.schema.predicates[hop.step.predicate].broad
    if not only and not closure.settled(hop.start, hop.step):
        return "several bridges, and perhaps more"
    if len(closure.linked(hop.start, hop.step) & closure.finer(hop.end)) > 1:
        return "a branch or part of the bridge is a bridge, too"
    return None


def _too_many(closure: Closure, hop: Hop, limits: Limits) -> bool:
    return len(closure.linked(hop.start, hop.step)) > limits.fan_out


def _one_step_apart(closure: Closure, source: str, target: str) -> bool:
    return any(hop.end == target for hop in _hops_from(closure, source))
