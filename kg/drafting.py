"""Drafts a mapping for a file that nobody has mapped yet, and says what it knows and what it does not.

Known words are looked up (kg/vocabulary.py). An unknown type becomes a category of the user's own; an unknown predicate
becomes one of the user's own with a drafted wording. Walks of two facts are drafted for the user's own
predicates where both facts narrow things down (`narrow`), so that a new field has two-hop questions too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from kg import contradictions, roles, wording
from kg.kinds import Kinds, category_for
from kg.mapping import WordMap
from kg.schema import BACKWARD, Schema, Step, parse
from kg.sources.raw import SUB_CLASS, Claim, Raw
from kg.vocabulary import OUT, Target, embedded, known, merged, plain_name, targets_for, wide

EXAMPLES = 3
NARROW = 2.0  # values a step may have on average in a drafted walk
LEAST_WALKS, LEAST_ANSWERS, MOST_COMMON = 4, 4, 0.34
MOST_METAPATHS = 60


class Draft(NamedTuple):
    """A mapping and remarks beside its entries; `unknown`: predicates that nobody knew, with counts and examples."""

    mapping: WordMap
    remarks: dict[str, str]
    unknown: dict[str, str]


def draft(raw: Raw, layer: str, license: str = "", source: str = "") -> Draft:
    """A first mapping for a file."""
    categories, own_categories = _categories(raw)
    first = Kinds(raw, categories, _base(own_categories))
    endings = first.all()
    typed = roles.ends(raw, first.untyped(endings), endings)
    own_categories |= typed.own
    kinds = Kinds(raw, categories, _base(own_categories), typed.of).all()
    seen = _uses(raw, kinds)
    predicates: dict[str, tuple[Target, ...]] = {}
    own: dict[str, Any] = {}
    remarks, unknown = {}, {}
    for name, use in sorted(seen.items(), key=lambda pair: (-pair[1].facts, pair[0])):
        relation = raw.relations.get(name)
        targets = targets_for(name, relation.label if relation else "")
        remarks[name] = f"{use.facts:,} facts: {'; '.join(use.examples)}"
        called = relation.label if relation and relation.label else name
        if targets is None and not wording.wordable(called):
            targets, unknown[name] = (
                (Target("related_to", askable=False),),
                f"{remarks[name]} (a code, not words: kept, not asked)",
            )
        elif targets is None and wording.denies(relation.label if relation and relation.label else name):
            targets, unknown[name] = (
                (),
                f"{remarks[name]} (says what is not so: left out; map it as `!name` to use it for proofs)",
            )
        elif targets is None:
            targets, entry = _own(name, relation.label if relation else "", use, own)
            own[targets[0].predicate] = entry
            unknown[name] = remarks[name]
        predicates[name] = targets
    for name, to in categories.items():
        remarks.setdefault(
            name,
            f"{sum(thing.category == name for thing in raw.things.values()):,} things" if to != OUT else "left out",
        )
    used = {target.predicate for targets in predicates.values() for target in targets}
    if any(wide().predicates[name].disjoint_with for name in used & wide().predicates.keys()):
        used.add(contradictions.NEUTRAL)
    schema = _words_used(used, set(kinds.values()), own_categories, own)
    schema["metapaths"] += _walks(raw, kinds, predicates, own)
    return Draft(WordMap(layer, license, source, categories, predicates, typed.of, schema=schema), remarks, unknown)


def _base(own: dict[str, Any]) -> Schema:
    return parse(merged(embedded(), {**known("words"), "metapaths": []}, {"categories": own}), "draft")


# --- categories ---------------------------------------------------------------------------------------


def _categories(raw: Raw) -> tuple[dict[str, str], dict[str, Any]]:
    """The file's types as ours, and those that become the user's own."""
    counts = Counter(thing.category for thing in raw.things.values() if thing.category)
    found: dict[str, str] = {}
    own: dict[str, Any] = {}
    for kind, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        category = category_for(kind)
        if category is None:
            category = plain_name(kind)
            own[category] = {"parent": "entity", "noun": wording.noun(kind)}
        found[kind] = category
    return found, own


# --- predicates ---------------------------------------------------------------------------------------


class _Use(NamedTuple):
    """How a predicate is used: count, examples, categories of its ends, and whether facts stand both ways round."""

    facts: int
    examples: list[str]
    heads: set[str]
    tails: set[str]
    both_ways: bool


def _uses(raw: Raw, kinds: dict[str, str]) -> dict[str, _Use]:
    by_name: dict[str, list[Claim]] = defaultdict(list)
    for claim in raw.claims:
        by_name[claim.predicate].append(claim)
    found = {}
    for name, claims in by_name.items():
        pairs = {(claim.head, claim.tail) for claim in claims}
        mirrored = sum((tail, head) in pairs for head, tail in pairs)
        named = [claim for claim in claims if claim.head in raw.things and claim.tail in raw.things]
        shown = [
            f"{raw.things[c.head].label} -> {raw.things[c.tail].label}"
            for c in named[:: max(1, len(named) // EXAMPLES)][:EXAMPLES]
        ]
        heads = {kinds[claim.head] for claim in named} - {OUT}
        tails = {kinds[claim.tail] for claim in named} - {OUT}
        found[name] = _Use(len(claims), shown, heads, tails, len(pairs) >= 4 and mirrored > 0.9 * len(pairs))
    return found


def _own(name: str, label: str, use: _Use, taken: dict[str, Any]) -> tuple[tuple[Target, ...], dict[str, Any]]:
    """A predicate of the user's own."""
    own_name = plain_name(label or name).replace(":", "_").lower()
    while own_name in taken or own_name in wide().predicates:
        own_name += "_x"
    symmetric = use.both_ways or wording.reads_both_ways(label or name)
    entry = {
        "domain": sorted(use.heads) or [roles.UNKNOWN],
        "range": sorted(use.tails) or [roles.UNKNOWN],
        **wording.draft(label or name, symmetric),
    }
    return (Target(own_name),), entry


def _words_used(
    used: set[str], categories: set[str], own_categories: dict[str, Any], own: dict[str, Any]
) -> dict[str, Any]:
    """The part of the schema that the mapping must carry: words of ours beyond the embedded schema, and the user's
    own.
    """
    words, core = known("words"), embedded()
    predicates = {
        name: entry for name, entry in words["predicates"].items() if name in used and name not in core["predicates"]
    }
    wanted = {c for c in categories if c in words["categories"]} | {
        c for c in words["categories"] if _names(predicates, c) or _names(own, c)
    }
    found = {
        name: entry for name, entry in words["categories"].items() if name in wanted and name not in core["categories"]
    }
    both = used | set(core["predicates"])
    for name in list(predicates):
        for other in (*predicates[name].get("disjoint_with", ()), *predicates[name].get("entails", ())):
            if other not in both:
                predicates[other] = words["predicates"][other]
    walks = [entry for entry in words["metapaths"] if all(step.predicate in used for step in _steps(entry))]
    return {"categories": found | own_categories, "predicates": predicates | own, "metapaths": walks}


def _names(predicates: dict[str, Any], category: str) -> bool:
    return any(category in (*entry.get("domain", ()), *entry.get("range", ())) for entry in predicates.values())


def _steps(entry: Any) -> list[Step]:
    return [Step.parse(part) for part in str(entry if isinstance(entry, str) else entry["path"]).split(">")]


# --- walks --------------------------------------------------------------------------------------------


def _walks(
    raw: Raw, kinds: dict[str, str], predicates: dict[str, tuple[Target, ...]], own: dict[str, Any]
) -> list[Any]:
    """Walks of two facts, at least one of them over a predicate of the user's own, that narrow things down.

    Both steps have at most `NARROW` values on average, there are at least `LEAST_WALKS` walks with `LEAST_ANSWERS`
    different ends, and no end takes more than `MOST_COMMON` of them. They are drafts: strike out what makes no sense.
    """
    table = _table(raw, kinds, predicates)
    one_way = {Step(name) for name, entry in own.items() if entry.get("askable") == BACKWARD}
    narrow = {step: ends for step, ends in table.items() if step not in one_way and _values(ends) <= NARROW}
    found: list[tuple[int, str]] = []
    for first, ends in narrow.items():
        for second, others in narrow.items():
            if (
                second == first.back
                or second.predicate == first.predicate
                or not {first.predicate, second.predicate} & set(own)
            ):
                continue
            answers = Counter(end for bridges in ends.values() for bridge in bridges for end in others.get(bridge, ()))
            total = answers.total()
            if total >= LEAST_WALKS and len(answers) >= LEAST_ANSWERS and max(answers.values()) <= MOST_COMMON * total:
                found.append((total, f"{first} > {second}"))
    return [path for _, path in sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_METAPATHS]]


def _values(ends: dict[str, set[str]]) -> float:
    """Values that a start has on average."""
    return sum(map(len, ends.values())) / len(ends)


def _table(
    raw: Raw, kinds: dict[str, str], predicates: dict[str, tuple[Target, ...]]
) -> dict[Step, dict[str, set[str]]]:
    """step -> start -> ends, for what may be asked in both directions."""
    table: dict[Step, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for step, head, tail in _askable(raw, kinds, predicates):
        table[Step(step)][head].add(tail)
        table[Step(step, True)][tail].add(head)
    return table


def _askable(
    raw: Raw, kinds: dict[str, str], predicates: dict[str, tuple[Target, ...]]
) -> Iterator[tuple[str, str, str]]:
    for claim in raw.claims:
        targets = predicates.get(claim.predicate, ())
        if not targets or claim.predicate == SUB_CLASS or claim.negated or not claim.askable or not targets[0].askable:
            continue
        if kinds.get(claim.head, OUT) != OUT and kinds.get(claim.tail, OUT) != OUT:
            yield targets[0].predicate, *((claim.tail, claim.head) if targets[0].inverse else (claim.head, claim.tail))
