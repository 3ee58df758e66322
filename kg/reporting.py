"""What became of an import, in words: counts, the mapping, what nobody knew, and what the graph cannot support."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kg.drafting import Draft
from kg.graph import Fact, Layer, Merge
from kg.roles import UNKNOWN
from kg.schema import Schema
from kg.sources.raw import Raw
from kg.translation import Translated

SHOWN = 25
OPTIONS = 4
SHOWN_NAMES = 5


def report(raw: Raw, made: Translated, schema: Schema, drafted: Draft | None, merges: Sequence[Merge]) -> str:
    """The report of an import, as plain text."""
    layer = made.layer
    asked = len(asked_of(layer, schema))
    lines = [
        f"{layer.name}: {len(layer.nodes):,} things, {len(layer.facts):,} facts ({asked:,} may be "
        f"asked), read as {raw.format}"
    ]
    lines += [f"  {note}" for note in raw.notes]
    if merges:
        lines += [
            f"  {len(merges):,} things merged into another, e.g. {merges[0].gone_id} into "
            f"{merges[0].kept_id} ({merges[0].reason})"
        ]
    lines += ["", "categories", *_counted(Counter(node.category for node in layer.nodes))]
    lines += ["", "predicates (the file's -> ours)", *_predicates(made)]
    if drafted and drafted.unknown:
        lines += [
            "",
            "predicates that nobody knew; they are now your own, worded as below: mend them in the mapping file",
        ]
        lines += [line for name in drafted.unknown for line in _worded(name, drafted, schema)]
    if made.misfits:
        lines += ["", "ends that do not suit their predicate (kept, not asked)"]
        lines += [
            f"  {name}: {head} -> {tail}, e.g. {shown[0]}"
            for (name, head, tail), shown in list(made.misfits.items())[:SHOWN]
        ]
    if layer.dropped:
        lines += ["", "left out or not asked", *_counted(layer.dropped)]
    lines += ["", "what the graph cannot support", *(f"  {line}" for line in weaknesses(layer, schema))]
    return "\n".join(lines) + "\n"


def _counted(counts: Counter[str]) -> list[str]:
    rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    more = [f"  ... and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return [f"  {count:>9,}  {name}" for name, count in rows[:SHOWN]] + more


def _predicates(made: Translated) -> list[str]:
    rows = sorted(made.used.items(), key=lambda pair: (-pair[1], pair[0]))
    more = [f"  ... and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return [f"  {count:>9,}  {theirs} -> {ours}" for (theirs, ours), count in rows[:SHOWN]] + more


def _worded(name: str, drafted: Draft, schema: Schema) -> list[str]:
    targets = drafted.mapping.predicates[name]
    if not targets or not targets[0].askable:
        return [f"  {name}: {drafted.unknown[name]}"]
    predicate = schema.predicates[targets[0].predicate]
    said = predicate.forward.verb[0][0]
    return [f"  {name}: {drafted.unknown[name]}", f"      HEAD {said} TAIL; TAIL {predicate.backward.verb[0][0]} HEAD"]


def asked_of(layer: Layer, schema: Schema) -> list[Fact]:
    """Facts that may be asked."""
    return [
        fact for fact in layer.facts if fact.askable and not fact.negated and schema.predicates[fact.predicate].askable
    ]


def weaknesses(layer: Layer, schema: Schema) -> Iterator[str]:
    """What stands in the way of questions, in words."""
    asked = asked_of(layer, schema)
    if not asked:
        yield "no fact may be asked: see the reasons above"
        return
    by_predicate: dict[str, list[Fact]] = defaultdict(list)
    for fact in asked:
        by_predicate[fact.predicate].append(fact)
    name, share = _hub(layer, asked)
    if share > 0.5:
        yield (
            f"{name} is an end of {share:.0%} of the facts that may be asked: a star has no other things to choose from"
        )
    if unnamed := sorted({node.category for node in layer.nodes if schema.categories[node.category].noun == UNKNOWN}):
        yield (
            f"{len(unnamed)} kinds of things have no name, and questions call them `{UNKNOWN}` ({', '.join(unnamed[:SHOWN_NAMES])}): "
            "give types in the file, or name the kinds in the mapping under `ends` and `schema`"
        )
    few = [
        name
        for name, facts in by_predicate.items()
        if len({f.tail_id for f in facts} | {f.head_id for f in facts}) < 2 * OPTIONS
    ]
    if few:
        yield f"too few facts for three distractors of the same kind: {', '.join(sorted(few))}"
    if not layer.complete and not any(f.negated for f in layer.facts):
        yield from _unproved(by_predicate, schema)
    walks = [one for one in schema.metapaths if all(step.predicate in by_predicate for step in one.steps)]
    if not walks:
        yield "no allowed walk of two facts: only single-hop questions; add `metapaths` to the mapping's schema"
    if not any(fact.reference for fact in asked):
        yield "no fact names a reference"
    if {fact.license for fact in asked} == {"unknown"}:
        yield "the licence is unknown: give --license, or keep the questions to yourself"


def _unproved(by_predicate: Mapping[str, Sequence[Fact]], schema: Schema) -> Iterator[str]:
    """How many facts have no logic that could prove an option wrong."""
    bare = {name: len(facts) for name, facts in by_predicate.items() if not _provable(schema, name)}
    if len(bare) == len(by_predicate):
        yield (
            "no predicate is functional, disjoint or complete, and no fact is negated: every distractor "
            "rests on absence (open world)"
        )
    elif bare:
        share = sum(bare.values()) / sum(map(len, by_predicate.values()))
        most = ", ".join(sorted(bare, key=lambda name: (-bare[name], name))[:SHOWN_NAMES])
        yield (
            f"{share:.0%} of the facts that may be asked are of predicates that prove nothing ({most}{' ...' if len(bare) > SHOWN_NAMES else ''}): "
            "their distractors rest on absence (open world); have a judge or a person read those"
        )


def _hub(layer: Layer, asked: Sequence[Fact]) -> tuple[str, float]:
    """The thing that most facts touch, and the share of them."""
    counts = Counter(end for fact in asked for end in (fact.head_id, fact.tail_id))
    hub, count = max(sorted(counts.items()), key=lambda pair: pair[1])
    return next(node.label for node in layer.nodes if node.id == hub), count / len(asked)


def _provable(schema: Schema, name: str) -> bool:
    predicate = schema.predicates[name]
    return bool(
        predicate.functional or predicate.inverse_functional or predicate.disjoint_with or predicate.complete_for
    )
