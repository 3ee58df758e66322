"""Types for things that have none, read off the predicates that they stand in.

Each predicate has two roles, head and tail. Roles whose members largely are the same things (`OVERLAP`) are one type:
what is given for a disorder and what blocks a receptor are the same kind of thing. A type is named by a known
predicate (what treats is a drug), by the predicate's own noun (`has adverse effect`), by the names of its members
(`... artery`), or else numbered, for the user to name in the mapping file (`ends`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from kg import wording
from kg.sources.raw import SUB_CLASS, Raw
from kg.vocabulary import known, plain_name, targets_for, wide

UNKNOWN = "item"
OVERLAP = 0.3
MAJORITY = 0.5
Role = tuple[str, int]  # predicate, 0 for its head and 1 for its tail


class Ends(NamedTuple):
    """predicate -> categories of its head and tail, and the categories of these that are new."""

    of: dict[str, tuple[str, str]]
    own: dict[str, Any]


def ends(raw: Raw, untyped: set[str], by_ending: Mapping[str, str]) -> Ends:
    """Types of the roles that untyped things play.

    Args:
        by_ending: category that a thing's name says, where it says one.
    """
    members = _members(raw, untyped)
    named: dict[Role, str] = {}
    own: dict[str, Any] = {}
    for number, roles in enumerate(_groups(members), start=1):
        things = set().union(*(members[role] for role in roles))
        category = _known(roles, members) or _noun(roles) or _majority(things, by_ending) or f"{UNKNOWN}_{number}"
        if category not in wide().categories:
            noun = UNKNOWN if category.startswith(f"{UNKNOWN}_") else category.replace("_", " ")
            own[category] = {"parent": "entity", "noun": noun, "short": "one" if noun == UNKNOWN else noun}
        named |= dict.fromkeys(roles, category)
    predicates = sorted({name for name, _ in named})
    return Ends({name: (named.get((name, 0), UNKNOWN), named.get((name, 1), UNKNOWN)) for name in predicates}, own)


def _members(raw: Raw, untyped: set[str]) -> dict[Role, set[str]]:
    members: dict[Role, set[str]] = defaultdict(set)
    for claim in raw.claims:
        if claim.predicate != SUB_CLASS:
            for side, end in enumerate((claim.head, claim.tail)):
                if end in untyped:
                    members[claim.predicate, side].add(end)
    return dict(sorted(members.items()))


def _groups(members: dict[Role, set[str]]) -> list[list[Role]]:
    """Roles that share many members, the largest group first."""
    groups = [([role], set(things)) for role, things in members.items()]
    joined = True
    while joined:
        joined = False
        for place, (roles, things) in enumerate(groups):
            other = next((n for n in range(place) if _overlap(groups[n][1], things)), None)
            if other is not None:
                groups[other] = (groups[other][0] + roles, groups[other][1] | things)
                del groups[place]
                joined = True
                break
    return [sorted(roles) for roles, _ in sorted(groups, key=lambda one: (-len(one[1]), sorted(one[0])))]


def _overlap(first: set[str], second: set[str]) -> bool:
    return len(first & second) > OVERLAP * min(len(first), len(second))


def _known(roles: list[Role], members: dict[Role, set[str]]) -> str | None:
    """The type that known predicates give to these roles, by vote of their members."""
    votes: Counter[str] = Counter()
    table: dict[str, list[str]] = known("categories")["roles"]
    for name, side in roles:
        for target in (targets_for(name) or ())[:1]:
            if target.predicate in table:
                votes[table[target.predicate][side ^ target.inverse]] += len(members[name, side])
    return max(sorted(votes), key=lambda one: votes[one]) if votes else None


def _noun(roles: list[Role]) -> str | None:
    """A type that a predicate's name spells out: the tail of `has adverse effect`, the head of `agonist of`."""
    for name, side in roles:
        noun = wording.noun_of_end(name, tail=side == 1)
        if noun:
            return plain_name(noun)
    return None


def _majority(things: set[str], by_ending: Mapping[str, str]) -> str | None:
    votes = Counter(by_ending[thing] for thing in things if by_ending.get(thing, UNKNOWN) != UNKNOWN)
    if not votes:
        return None
    best = max(sorted(votes), key=lambda one: votes[one])
    return best if votes[best] > MAJORITY * len(things) else None


def votes(raw: Raw, untyped: set[str], of: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Untyped thing -> the category that most of its claims give it."""
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for claim in raw.claims:
        for end, category in zip((claim.head, claim.tail), of.get(claim.predicate, ()), strict=False):
            if end in untyped:
                count[end][category] += 1
    return {thing: max(sorted(table), key=lambda one: table[one]) for thing, table in count.items()}
