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

Sets are memoised per (entity, step) up to a bound (kg/memo.py), so that proving a distractor is a set look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kg.graph import Graph
from kg.memo import Memo
from kg.schema import FORWARD, Schema, Step
from kg.verdict import Case, Verdict

HIERARCHY = ("is_a", "part_of", "subunit_of")


@dataclass
class Closure:
    """Answers questions about one graph under one schema."""

    graph: Graph
    schema: Schema
    _memo: Memo[tuple[str, str, Step | None], frozenset[str]] = field(default_factory=Memo, repr=False)
    _cases: Memo[tuple[str, Step], Case] = field(default_factory=Memo, repr=False)

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
        trunks = _reach(node, lambda n: (f.tail_id for f in self.graph.out.get(n, {}).get("branch_of", ())))
        return self.above(node) | self.finer(node) | trunks

    def finer(self, node: str) -> frozenset[str]:
        """The node, its kinds, parts and subunits, and its branches: what may be meant when the node is named."""
        branches = _reach(node, lambda n: (f.head_id for f in self.graph.into.get(n, {}).get("branch_of", ())))
        return self.below(node) | branches

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
        narrower = self.below(node) if predicate.entails_up else self.narrower(node)
        direct = {head for part in narrower for head in self.linked(part, step)}
        return frozenset(member for head in direct for member in self.narrower(head))

    def narrower(self, node: str) -> frozenset[str]:
        """The node and everything below it by is_a."""
        return self._once("narrower", node, None, lambda: _reach(node, self._subclasses))

    def _subclasses(self, node: str) -> Iterator[str]:
        return (fact.head_id for fact in self.graph.into.get(node, {}).get("is_a", ()))

    def hinted(self, node: str, step: Step) -> frozenset[str]:
        """Values that the node or its kin have by the predicate, a stronger or a weaker one. Kin of these are unsettled."""
        return self._once("hinted", node, step, lambda: self._hinted(node, step))

    def _hinted(self, node: str, step: Step) -> frozenset[str]:
        near = self.schema.stronger[step.predicate] | self.schema.weaker[step.predicate]
        return frozenset(value for relative in self.kin(node) for value in self._neighbours(relative, step, near))

    def possible(self, node: str, step: Step) -> frozenset[str]:
        """Every node of which the statement is entailed or unsettled. Large beside hubs: to judge one node, `judge` it."""
        hinted = self.hinted(node, step)
        return self._once(
            "possible", node, step, lambda: self.entailed(node, step).union(*(self.kin(value) for value in hinted))
        )

    # --- verdicts -------------------------------------------------------------------------------------

    def judge(self, node: str, step: Step, value: str) -> Verdict:
        """Is the statement, walked from `node` along `step` to `value`, true?

        Raises:
            KeyError: either node is not in the graph.
        """
        for end in (node, value):
            self.graph.nodes[end]
        return self._case(node, step).verdict(value)

    def _case(self, node: str, step: Step) -> Case:
        case = self._cases.get((node, step))
        if case is None:
            case = Case(self, node, step)
            self._cases.keep((node, step), case, len(case.entailed) + len(case.hinted))
        return case

    def is_complete(self, entity: str, predicate: str, direction: str) -> bool:
        """Whether the whole list of values is declared to be in the graph (and is not empty)."""
        if (entity, predicate, direction) in self.graph.complete:
            return True
        declared = direction in self.schema.predicates[predicate].complete_for
        table = self.graph.out if direction == FORWARD else self.graph.into
        return declared and bool(table.get(entity, {}).get(predicate))

    def speaks_of(self, node: str, step: Step, value: str) -> bool:
        """Whether a list of values holds anything of the value's kind, of those that the predicate takes there.

        The nerves of a muscle may all be known: that says nothing of the type of neuron which innervates it.
        """
        listed = self._once("listed", node, step, lambda: self._listed(node, step))
        return not listed or not listed.isdisjoint(self._kind(value, step))

    def _listed(self, node: str, step: Step) -> frozenset[str]:
        facts = (self.graph.into if step.inverse else self.graph.out).get(node, {}).get(step.predicate, ())
        ends = {fact.head_id if step.inverse else fact.tail_id for fact in facts}
        return frozenset(kind for end in ends for kind in self._kind(end, step))

    def _kind(self, node: str, step: Step) -> frozenset[str]:
        predicate = self.schema.predicates[step.predicate]
        allowed = predicate.domain if step.inverse else predicate.range
        return allowed.intersection(self.schema.ancestors(self.graph.nodes[node].category))

    def provable(self, node: str, step: Step) -> frozenset[str] | None:
        """Values that could be shown to be false; None if there is no telling without judging each."""
        predicate = self.schema.predicates[step.predicate]
        of_value = predicate.functional if step.inverse else predicate.inverse_functional
        if self.settled(node, step) or of_value or step.back.direction in predicate.complete_for:
            return None
        whole = self._once("whole", "", step, lambda: self._whole_lists(step.back))
        return self._once("provable", node, step, lambda: whole | self._case(node, step).named())

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
            found = make()
            self._memo.keep(entry, found, len(found))
        return found


def _reach(start: str, neighbours: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Everything that can be reached, the start included; cycles do no harm."""
    seen, todo = {start}, [start]
    while todo:
        for node in neighbours(todo.pop()):
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return frozenset(seen)
