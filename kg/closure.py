"""What the graph entails: is `head predicate tail` true, false with proof, or unknown?

Four answers are for the outside, from the data contract: `entailed`, `contradicted`, `closed`, `absent`.
A fifth, `unsettled`, keeps questions honest: the statement is not entailed, but something close to it
is (it holds of a part, a whole, a kind, a weaker relation), so it may well be true. Only contradicted,
closed and absent statements serve as distractors.

What is taken as true (`linked`, `entailed`):
  a stronger predicate (an agonist binds), a symmetric one read backwards, transitive chains, what holds
  of a class (`is_a`) for its members, a wider tail where the schema says so (`entails_up: part_of`).
What is taken as false:
  `contradicted`  a negated fact of this or a wider tail; another value of a functional predicate;
                  a predicate declared disjoint with this one
  `closed`        the list of values of either end is declared complete and the statement is not in it

Sets are memoised per (entity, step), so that proving a distractor is a set look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kg.graph import Fact, Graph
from kg.schema import FORWARD, Schema, Step

PROOFS = ("contradicted", "closed", "absent")  # strongest first
HIERARCHY = ("is_a", "part_of", "subunit_of")


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


@dataclass
class Closure:
    """Answers questions about one graph under one schema."""

    graph: Graph
    schema: Schema
    _memo: dict[tuple[str, str, Step | None], frozenset[str]] = field(default_factory=dict, repr=False)
    _cases: dict[tuple[str, Step], _Case] = field(default_factory=dict, repr=False)

    # --- hierarchy ------------------------------------------------------------------------------------

    def above(self, node: str) -> frozenset[str]:
        """The node and every kind, whole and complex that it belongs to."""
        return self._once("above", node, None, lambda: _reach(node, lambda n: self._parents(n, HIERARCHY)))

    def below(self, node: str) -> frozenset[str]:
        """The node and all its kinds, parts and subunits."""
        return self._once("below", node, None, lambda: _reach(node, self._children))

    def kin(self, node: str) -> frozenset[str]:
        """Ancestors and descendants, branches and trunks: what cannot stand beside the node as another option."""
        return self._once("kin", node, None, lambda: self._kin(node))

    def _kin(self, node: str) -> frozenset[str]:
        graph = self.graph
        trunks = _reach(node, lambda n: (f.tail_id for f in graph.out.get(n, {}).get("branch_of", ())))
        branches = _reach(node, lambda n: (f.head_id for f in graph.into.get(n, {}).get("branch_of", ())))
        return self.above(node) | self.below(node) | trunks | branches

    def kinds(self, node: str) -> frozenset[str]:
        """The node and its superclasses by is_a alone."""
        return self._once("kinds", node, None, lambda: _reach(node, lambda n: self._parents(n, ("is_a",))))

    def wholes(self, node: str) -> frozenset[str]:
        """The node, its superclasses and wholes."""
        return self._once("wholes", node, None, lambda: _reach(node, lambda n: self._parents(n, ("is_a", "part_of"))))

    def _parents(self, node: str, predicates: tuple[str, ...]) -> Iterator[str]:
        facts = self.graph.out.get(node, {})
        for predicate in predicates:
            yield from (fact.tail_id for fact in facts.get(predicate, ()))
        if "part_of" in predicates and self._structure(node):
            yield from (fact.tail_id for fact in facts.get("located_in", ()) if self._structure(fact.tail_id))

    def _children(self, node: str) -> Iterator[str]:
        facts = self.graph.into.get(node, {})
        for predicate in HIERARCHY:
            yield from (fact.head_id for fact in facts.get(predicate, ()))
        if self._structure(node):
            yield from (fact.head_id for fact in facts.get("located_in", ()) if self._structure(fact.head_id))

    def _structure(self, node: str) -> bool:
        return "structure" in self.schema.ancestors(self.graph.nodes[node].category)

    # --- truth ----------------------------------------------------------------------------------------

    def linked(self, node: str, step: Step) -> frozenset[str]:
        """Nodes joined to `node` by a fact of the predicate or a stronger one, as walked."""
        return self._once(
            "linked", node, step, lambda: frozenset(self._neighbours(node, step, self.schema.stronger[step.predicate]))
        )

    def _neighbours(self, node: str, step: Step, predicates: Iterable[str]) -> Iterator[str]:
        heads, tails = self.graph.into.get(node, {}), self.graph.out.get(node, {})
        symmetric = self.schema.predicates[step.predicate].symmetric
        for name in predicates:
            both = symmetric or self.schema.predicates[name].symmetric
            if not step.inverse or both:
                yield from (fact.tail_id for fact in tails.get(name, ()))
            if step.inverse or both:
                yield from (fact.head_id for fact in heads.get(name, ()))

    def entailed(self, node: str, step: Step) -> frozenset[str]:
        """Every node of which the statement follows from the graph."""
        return self._once("entailed", node, step, lambda: self._entailed(node, step))

    def _entailed(self, node: str, step: Step) -> frozenset[str]:
        predicate = self.schema.predicates[step.predicate]
        if predicate.transitive:
            return _reach(node, lambda n: self.linked(n, step)) - {node}
        if predicate.symmetric:
            return self._one_way(node, step) | self._one_way(node, step.back)
        return self._one_way(node, step)

    def _one_way(self, node: str, step: Step) -> frozenset[str]:
        """What the kinds of the node inherit to it, or (walked back) its own kinds and parts from it."""
        predicate = self.schema.predicates[step.predicate]
        widen = self.wholes if predicate.entails_up else self.kinds
        if not step.inverse:
            direct = {tail for kind in self.kinds(node) for tail in self.linked(kind, step)}
            return frozenset(wide for tail in direct for wide in widen(tail))
        narrower = self.below(node) if predicate.entails_up else _reach(node, self.subclasses)
        direct = {head for part in narrower for head in self.linked(part, step)}
        return frozenset(member for head in direct for member in _reach(head, self.subclasses))

    def subclasses(self, node: str) -> Iterator[str]:
        """Direct subclasses by is_a."""
        return (fact.head_id for fact in self.graph.into.get(node, {}).get("is_a", ()))

    def possible(self, node: str, step: Step) -> frozenset[str]:
        """Every node of which the statement is entailed or unsettled: what may not be a distractor."""
        return self._once("possible", node, step, lambda: self._possible(node, step))

    def _possible(self, node: str, step: Step) -> frozenset[str]:
        near = self.schema.stronger[step.predicate] | self.schema.weaker[step.predicate]
        direct = {value for relative in self.kin(node) for value in self._neighbours(relative, step, near)}
        return self.entailed(node, step).union(*(self.kin(value) for value in direct))

    # --- verdicts -------------------------------------------------------------------------------------

    def judge(self, node: str, step: Step, value: str) -> Verdict:
        """Is the statement, walked from `node` along `step` to `value`, true?

        Raises:
            KeyError: either node is not in the graph.
        """
        for end in (node, value):
            self.graph.nodes[end]
        return self._case(node, step).verdict(value)

    def _case(self, node: str, step: Step) -> _Case:
        case = self._cases.get((node, step))
        if case is None:
            case = self._cases[node, step] = _Case(self, node, step)
        return case

    def is_complete(self, entity: str, predicate: str, direction: str) -> bool:
        """Whether the whole list of values is declared to be in the graph (and is not empty)."""
        if (entity, predicate, direction) in self.graph.complete:
            return True
        declared = direction in self.schema.predicates[predicate].complete_for
        table = self.graph.out if direction == FORWARD else self.graph.into
        return declared and bool(table.get(entity, {}).get(predicate))

    def provable(self, node: str, step: Step) -> frozenset[str] | None:
        """Values that could be shown to be false; None if there is no telling without judging each."""
        predicate = self.schema.predicates[step.predicate]
        of_value = predicate.functional if step.inverse else predicate.inverse_functional
        if self.settled(node, step) or of_value or step.back.direction in predicate.complete_for:
            return None
        whole = self._once("whole", "", step, lambda: self._whole_lists(step.back))
        return whole | self._once("against", node, step, lambda: self._case(node, step).named())

    def _whole_lists(self, step: Step) -> frozenset[str]:
        wanted = (step.predicate, step.direction)
        return frozenset(entity for entity, *row in self.graph.complete if tuple(row) == wanted)

    def settled(self, node: str, step: Step) -> bool:
        """Whether every value of the step from this node is known: the list is complete, or the relation has one value."""
        predicate = self.schema.predicates[step.predicate]
        single = predicate.inverse_functional if step.inverse else predicate.functional
        known = bool(self.linked(node, step))
        return (single and known) or self.is_complete(node, step.predicate, step.direction)

    def _once(self, name: str, node: str, step: Step | None, make: Callable[[], frozenset[str]]) -> frozenset[str]:
        entry = (name, node, step)
        found = self._memo.get(entry)
        if found is None:
            found = self._memo[entry] = make()
        return found


class _Case:
    """Everything about one entity and step that does not depend on the value which is judged, worked out once."""

    def __init__(self, closure: Closure, node: str, step: Step) -> None:
        self.closure, self.node, self.step = closure, node, step
        self.predicate = closure.schema.predicates[step.predicate]
        self.linked, self.entailed = closure.linked(node, step), closure.entailed(node, step)
        self.unsettled = closure.possible(node, step) | closure.kin(node)
        self.denied = self._denied()
        self.against = self._against()
        self.own_list = self._whole(node, step)
        self.own_single = self._single(node, step)

    def verdict(self, value: str) -> Verdict:
        if (negated := self._negated(value)) and value not in self.linked:
            return Verdict("contradicted", "negated", (negated,))
        if value in self.entailed:
            return Verdict("entailed", "entailed")
        if value in self.unsettled:
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
        lists = (self.own_list, self._whole(value, back))
        return next(filter(None, reversed(lists) if self.step.inverse else lists), None) or Verdict("absent", "absent")

    def named(self) -> frozenset[str]:
        """Values that a fact speaks against, by name or by kind."""
        closure = self.closure
        wider = closure.kinds(self.node) if self.step.inverse else ()
        denied = {
            f.head_id for kind in wider for f in closure.graph.denied_of_tail.get((self.step.predicate, kind), ())
        }
        kinds = (_reach(value, closure.subclasses) for value in (*self.denied, *denied))
        return frozenset(self.against).union(*kinds)

    def _denied(self) -> dict[str, Fact]:
        """Values that a negated fact names."""
        graph, name = self.closure.graph, self.step.predicate
        if self.step.inverse:
            return {fact.head_id: fact for fact in graph.denied_of_tail.get((name, self.node), ())}
        return {fact.tail_id: fact for fact in graph.denied_of_head.get((self.node, name), ())}

    def _negated(self, value: str) -> Fact | None:
        """A fact that denies the statement, of this tail or of a wider one (no X, so no kind of X)."""
        if not self.step.inverse:
            wider = self.closure.kinds(value) if self.denied else ()
            return next((self.denied[kind] for kind in wider if kind in self.denied), None)
        if value in self.denied:
            return self.denied[value]
        negated = self.closure.graph.negated
        kinds = self.closure.kinds(self.node)
        if len(kinds) == 1 or not negated:
            return None
        return next((f for kind in kinds if (f := negated.get((value, self.step.predicate, kind)))), None)

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

    def _whole(self, node: str, step: Step) -> Verdict | None:
        """A list that is declared complete (and does not hold the statement)."""
        if not self.closure.is_complete(node, step.predicate, step.direction):
            return None
        reference = self.closure.graph.complete.get((node, step.predicate, step.direction))
        kind = "complete tail" if step.inverse else "complete head"
        return Verdict("closed", kind, tuple(self._facts(node, step)), reference)


def _reach(start: str, neighbours: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Everything that can be reached, the start included; cycles do no harm."""
    seen, todo = {start}, [start]
    while todo:
        for node in neighbours(todo.pop()):
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return frozenset(seen)
