"""What a file says against itself: neither side is asked or proves anything, and each case is counted.

    stated and denied         the statement is kept and not asked, so that it is no wrong option either; the denial goes
    predicates that exclude   both facts become one of a weaker predicate that both entail (an agonist and an antagonist both
    one another               bind), or `related_to`, kept and not asked; they go if the schema has neither

Between layers the earlier one wins (kg/build.py); within one there is nothing to choose by.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from kg.graph import Fact, edge_id
from kg.schema import Schema
from kg.validate import disagree

DENIED = "stated and denied in one file (kept, not asked; the denial is left out)"
EXCLUDED = "said of the same two things by predicates that exclude one another (neither is used)"
NEUTRAL = "related_to"


def settled(facts: Iterable[Fact], schema: Schema, dropped: Counter[str]) -> list[Fact]:
    """The facts of one layer without what they contradict among themselves."""
    rows = _without_denied(list(facts), dropped)
    clashing = _clashing(rows, schema)
    if not clashing:
        return rows
    gone = {fact.edge_id for group in clashing for fact in group}
    dropped[EXCLUDED] += len(gone)
    neutral = {made.edge_id: made for group in clashing if (made := _neutral(group, schema))}
    kept = [fact for fact in rows if fact.edge_id not in gone and fact.edge_id not in neutral]
    return kept + list(neutral.values())


def _without_denied(rows: list[Fact], dropped: Counter[str]) -> list[Fact]:
    denied = {_said(fact) for fact in rows if fact.negated}
    both = denied and {said for fact in rows if not fact.negated and (said := _said(fact)) in denied}
    if not both:
        return rows
    dropped[DENIED] += len(both)
    return [
        replace(fact, askable=False) if _said(fact) in both else fact
        for fact in rows
        if not (fact.negated and _said(fact) in both)
    ]


def _said(fact: Fact) -> tuple[str, str, str, str | None]:
    return fact.head_id, fact.predicate, fact.tail_id, fact.qualifier


def _clashing(rows: list[Fact], schema: Schema) -> list[list[Fact]]:
    """Facts of the same two ends, without qualifier, that cannot all be true; in order of edge_id."""
    risky = {name for weak, entry in schema.predicates.items() if entry.disjoint_with for name in schema.stronger[weak]}
    risky |= {
        name for entry in schema.predicates.values() for weak in entry.disjoint_with for name in schema.stronger[weak]
    }
    pairs: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in rows:
        if fact.predicate in risky and not fact.negated and not fact.qualifier:
            pairs[fact.head_id, fact.tail_id].append(fact)
    found = []
    for group in pairs.values():
        against = [fact for fact in group if any(disagree(fact, other, schema) for other in group)]
        if against:
            found.append(sorted(against, key=lambda fact: fact.edge_id))
    return found


def _neutral(group: list[Fact], schema: Schema) -> Fact | None:
    """One fact that all of the group entail and that is not asked; None if there is no word for it."""
    shared = frozenset.intersection(*(schema.weaker[fact.predicate] for fact in group)) - {f.predicate for f in group}
    word = max(sorted(shared), key=lambda name: len(schema.weaker[name]), default=NEUTRAL)
    if word not in schema.predicates:
        return None
    first, ends = group[0], (group[0].head_id, group[0].tail_id)
    head, tail = sorted(ends) if schema.predicates[word].symmetric else ends
    name = edge_id(first.layer, head, word, tail)
    return replace(first, edge_id=name, head_id=head, predicate=word, tail_id=tail, askable=False)
