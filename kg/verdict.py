"""Verdicts: is a statement about one entity, walked along one step, true of a value, and what shows it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kg.graph import Fact
from kg.schema import Step

if TYPE_CHECKING:
    from kg.closure import Closure

PROOFS = ("contradicted", "closed", "absent")  # strongest first


class Verdict(NamedTuple):
    """An answer and what shows it.

    status: entailed, unsettled, contradicted, closed or absent. kind: how it is known (`negated`,
    `functional`, `inverse_functional`, `disjoint`, `complete head`, `complete tail`, ...). facts: the facts
    that show it. reference: of a completeness row.
    """

    status: str
    kind: str = ""
    facts: tuple[Fact, ...] = ()
    reference: str | None = None

    @property
    def false(self) -> bool:
        """Whether a distractor may rest on it."""
        return self.status in PROOFS


class Case:
    """Everything about one entity and step that does not depend on the value which is judged, worked out once."""

    def __init__(self, closure: Closure, node: str, step: Step) -> None:
        self.closure, self.node, self.step = closure, node, step
        self.predicate = closure.schema.predicates[step.predicate]
        self.linked, self.entailed = closure.linked(node, step), closure.entailed(node, step)
        self.hinted = closure.hinted(node, step)
        self.denied = self._denied()
        self.against = self._against()
        self.own_single = self._single(node, step)

    def verdict(self, value: str) -> Verdict:
        if (negated := self._negated(value)) and value not in self.linked:
            return Verdict("contradicted", "negated", (negated,))
        if value in self.entailed:
            return Verdict("entailed", "entailed")
        kin = self.closure.kin(value)  # a node is kin of its kin
        if self.node in kin or not kin.isdisjoint(self.hinted):
            return Verdict("unsettled", "near")
        if disjoint := self.against.get(value):
            return Verdict("contradicted", "disjoint", (disjoint,))
        back = self.step.back
        own, others = self._instead(self.node, value), self._instead(value, self.node, back)
        functional, inverse = (others, own) if self.step.inverse else (own, others)
        if functional:
            return Verdict("contradicted", "functional", functional)
        if inverse:
            return Verdict("contradicted", "inverse_functional", inverse)
        lists = (self._whole(self.node, value, self.step), self._whole(value, self.node, back))
        return next(filter(None, reversed(lists) if self.step.inverse else lists), None) or Verdict("absent", "absent")

    def named(self) -> frozenset[str]:
        """Values that a fact speaks against, by name or by kind."""
        if self.step.inverse:
            return frozenset(self.against) | frozenset(self.denied)
        return frozenset(self.against).union(*(self.closure.narrower(value) for value in self.denied))

    def _denied(self) -> dict[str, Fact]:
        """Values that a negated fact names: heads of this tail or of a wider one, or tails."""
        graph, name = self.closure.graph, self.step.predicate
        if not self.step.inverse:
            return {fact.tail_id: fact for fact in graph.denied_of_head.get((self.node, name), ())}
        wider = (*sorted(self.closure.kinds(self.node) - {self.node}), self.node)  # the node's own facts count most
        return {fact.head_id: fact for tail in wider for fact in graph.denied_of_tail.get((name, tail), ())}

    def _negated(self, value: str) -> Fact | None:
        """A fact that denies the statement, of this tail or of a wider one (no X, so no kind of X)."""
        if self.step.inverse or value in self.denied or not self.denied:
            return self.denied.get(value)
        return next((self.denied[kind] for kind in sorted(self.closure.kinds(value)) if kind in self.denied), None)

    def _against(self) -> dict[str, Fact]:
        """Values joined by a fact of a predicate that cannot hold together with this one."""
        schema, graph = self.closure.schema, self.closure.graph
        weaker = schema.weaker[self.predicate.name]
        against = {other for weak in weaker for other in schema.predicates[weak].disjoint_with}
        table = (graph.into if self.step.inverse else graph.out).get(self.node, {})
        found: dict[str, Fact] = {}
        for name in sorted({strong for other in against for strong in schema.stronger[other]}):
            for fact in table.get(name, ()):
                if not fact.qualifier:
                    found.setdefault(fact.head_id if self.step.inverse else fact.tail_id, fact)
        return found

    def _facts(self, node: str, step: Step) -> list[Fact]:
        graph = self.closure.graph
        return (graph.into if step.inverse else graph.out).get(node, {}).get(step.predicate, [])

    def _single(self, node: str, step: Step) -> list[Fact]:
        """Facts that fill the one place which this step has from a node, if it has but one."""
        only = self.predicate.inverse_functional if step.inverse else self.predicate.functional
        return [fact for fact in self._facts(node, step) if not fact.qualifier] if only else []

    def _instead(self, node: str, value: str, step: Step | None = None) -> tuple[Fact, ...]:
        """The fact that fills that one place with something which is no kin of the value."""
        facts = self.own_single if step is None else self._single(node, step)
        if not facts:
            return ()
        inverse, kin = (step or self.step).inverse, self.closure.kin
        ends = (fact.head_id if inverse else fact.tail_id for fact in facts)
        return tuple(facts[:1]) if all(value not in kin(end) for end in ends) else ()

    def _whole(self, node: str, value: str, step: Step) -> Verdict | None:
        """A list of a node that is declared complete, does not hold the value and speaks of things of its kind."""
        closure = self.closure
        if not closure.is_complete(node, step.predicate, step.direction) or not closure.speaks_of(node, step, value):
            return None
        reference = closure.graph.complete.get((node, step.predicate, step.direction))
        kind = "complete tail" if step.inverse else "complete head"
        return Verdict("closed", kind, tuple(self._facts(node, step)), reference)
