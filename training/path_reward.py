"""A path reward that pays for statements, not for words.

    R = 0.8 * g * C * X * D * L

    g  the answer is right and the format valid
    C  mean over the path's facts of S(fact): 1 stated with a cue of its predicate in the right voice, 0.3 only joined by
       other words, 0 not stated, -1 (and then 0 for good) denied, reversed or stated with an antonym; times 0.65 if any S is 0
    X  1 / (1 + facts asserted with a foil in place of an end + wrong options affirmed + the key denied)
    D  min(1, distinct clauses / clauses / 0.8) squared: repeating does not pay
    L  1 up to 550 tokens of thinking, linear to 0 at 1,500

It departs from the prototype in this: names may be shortened by their class noun where that is unambiguous; passives
are recognised by `by` for every verb; a denial counts only next to its cue; `if` and `whether` state nothing; a clause
that calls the one before it false undoes it; verdicts on options ("B. M3 receptor: yes") are read. It pays for
statements; whether the answer was drawn from them it cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from training.rewards import FREE_TOKENS, FULL_TOKENS, PATH_WEIGHT, Cut, Hop, Reward, Thinking, judged
from training.statements import BACKWARD, FORWARD, Clause, Lexicon, Mention, Names, clauses
from training.stating import denies, joined, verdict

REACH = 14  # words that may stand between the ends of a fact
MISSING = 0.65

_PRONOUNS = frozenset(["it", "its", "this", "these", "they", "their", "them", "that"])


class Scored(NamedTuple):
    """The factors of the reward before the gate, and S for each fact in walking order."""

    facts: tuple[float, ...]
    c: float
    x: float
    d: float
    l: float  # noqa: E741

    @property
    def value(self) -> float:
        """Between 0 and 1."""
        return self.c * self.x * self.d * self.l


class Item(NamedTuple):
    """What the reward reads of a row of the data contract. `option_ids` are in the order shown."""

    paths: Sequence[Sequence[Hop]]
    options: Sequence[str]
    option_ids: Sequence[str]
    answer: str
    bridge_foils: Sequence[Sequence[str]]


class Fact(NamedTuple):
    predicate: str
    head: str
    tail: str


def score(item: Item, thinking: Thinking, lexicon: Lexicon) -> Scored:
    """Score a thinking against an item; the best of the item's valid paths counts."""
    return max((_score(item, path, thinking, lexicon) for path in item.paths), key=lambda scored: scored.value)


def _score(item: Item, path: Sequence[Hop], thinking: Thinking, lexicon: Lexicon) -> Scored:
    reading = Reading(thinking.text, _names(item, path), lexicon)
    facts = [Fact(hop["predicate"], hop["head_id"], hop["tail_id"]) for hop in path]
    said = tuple(reading.stated(fact) for fact in facts)
    mean = sum(said) / len(said) * (MISSING if min(said) <= 0 else 1.0)
    wrong = sum(reading.stated(foil) >= 1 for foil in _foil_facts(item, path, facts)) + reading.wrong_verdicts(item)
    length = 1 - min(max(thinking.tokens - FREE_TOKENS, 0) / (FULL_TOKENS - FREE_TOKENS), 1)
    return Scored(said, mean, 1 / (1 + wrong), reading.variety(), length)


def _names(item: Item, path: Sequence[Hop]) -> Names:
    labels: dict[str, list[str]] = {}
    for hop in path:
        labels[hop["head_id"]] = [hop["head"], *(hop["head_synonyms"] or ())]
        labels[hop["tail_id"]] = [hop["tail"], *(hop["tail_synonyms"] or ())]
    for node, text in zip(item.option_ids, item.options, strict=True):
        labels.setdefault(node, [text])
    for foils in item.bridge_foils:
        for node in foils:
            labels.setdefault(node, [node.partition(":")[2].replace("-", " ")])  # ids are slugs of labels
    return Names(labels)


def _foil_facts(item: Item, path: Sequence[Hop], facts: Sequence[Fact]) -> set[Fact]:
    """The path's facts with one end exchanged: the answer for another option, a bridge for its foils."""
    target = item.option_ids["ABCD".index(item.answer)]
    swaps = {target: [node for node in item.option_ids if node != target]}
    for hop, foils in zip(path, item.bridge_foils, strict=False):
        swaps[hop["head_id"] if hop["inverse"] else hop["tail_id"]] = list(foils)
    found = set()
    for fact in facts:
        found |= {fact._replace(head=foil) for foil in swaps.get(fact.head, ()) if foil != fact.tail}
        found |= {fact._replace(tail=foil) for foil in swaps.get(fact.tail, ()) if foil != fact.head}
    return found - set(facts)


class Reading:
    """A thinking in clauses with the names found in each."""

    def __init__(self, text: str, names: Names, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.clauses = clauses(text)
        self.undone = [denies(after) for after in self.clauses[1:]] + [False]
        self.mentions: list[list[Mention]] = []
        last: frozenset[str] = frozenset()
        for clause in self.clauses:
            found = names.find(clause.words)
            ends = [found[0], found[-1]] if found else []
            self.mentions.append(sorted([*found, *_pronouns(clause, found, last)]) if last else found)
            last = frozenset().union(*(mention.entities for mention in ends)) or last
        self.spoken = {entity for found in self.mentions for mention in found for entity in mention.entities}

    def stated(self, fact: Fact) -> float:
        """S of a fact: its best over clauses, 0 if any clause denies it."""
        if fact.head not in self.spoken or fact.tail not in self.spoken:
            return 0.0
        best = 0.0
        for clause, found, undone in zip(self.clauses, self.mentions, self.undone, strict=True):
            value = 0.0 if clause.question else self._in_clause(fact, clause, found)
            if value < 0 or (undone and value > 0):
                return 0.0
            best = max(best, value)
        return best

    def _in_clause(self, fact: Fact, clause: Clause, found: Sequence[Mention]) -> float:
        values = []
        for first, second in _pairs(fact, found):
            way = FORWARD if fact.head in first.entities and fact.tail in second.entities else BACKWARD
            both = (first.pronoun and fact.tail in first.entities) or (second.pronoun and fact.head in second.entities)
            value = joined(self.lexicon, fact.predicate, clause.words, (first, second), way)
            if (first.pronoun or second.pronoun) and both and value < 0:
                value = 0.0
            values.append((second.start - first.end, value))
        if not values:
            return 0.0
        if any(value <= -2 for _, value in values):  # denied
            return -1.0
        if any(value == 1 for _, value in values):
            return 1.0
        return min(values)[1]

    def variety(self) -> float:
        counted = [tuple(w.root for w in clause.words) for clause in self.clauses if clause.counted]
        return min(1.0, len(set(counted)) / len(counted) / 0.8) ** 2 if counted else 1.0

    def wrong_verdicts(self, item: Item) -> int:
        """Wrong options that get a yes, and the key if it gets a no."""
        target, wrong = item.option_ids["ABCD".index(item.answer)], set()
        for clause, found in zip(self.clauses, self.mentions, strict=True):
            for mention in found:
                said = None if mention.pronoun else verdict(clause, mention.end)
                (entity,) = mention.entities if len(mention.entities) == 1 else ("",)
                if said is not None and entity in item.option_ids and said != (entity == target):
                    wrong.add(entity)
        return len(wrong)


def _pronouns(clause: Clause, found: Sequence[Mention], last: frozenset[str]) -> list[Mention]:
    """`it`, `this` ... before or after the clause's own names, standing for an end of the clause before."""
    taken = {place for mention in found for place in range(mention.start, mention.end)}
    places = [n for n, w in enumerate(clause.words) if w.raw in _PRONOUNS and n not in taken]
    first = places[0] if places else None
    relative = first is not None and first > 0 and clause.words[first].raw == "that"
    return [] if first is None or relative else [Mention(first, first + 1, last, True)]


def _pairs(fact: Fact, found: Sequence[Mention]) -> Iterable[tuple[Mention, Mention]]:
    """Neighbouring mentions of the two ends, none of either between, at most REACH words apart."""
    ends = [m for m in found if fact.head in m.entities or fact.tail in m.entities]
    for first, second in pairwise(ends):
        joins = (fact.head in first.entities and fact.tail in second.entities) or (
            fact.tail in first.entities and fact.head in second.entities
        )
        if joins and second.start - first.end <= REACH:
            yield first, second


def path_statements_reward(lexicon: Lexicon, cut: Cut) -> Reward:
    """The statement-based path reward with TRL's signature. Logs the score before the gate too."""

    def path_statements(
        completions: list[Any], completion_ids: list[list[int]], answer: list[str], path: list[Sequence[Hop]], options: list[Sequence[str]],
        option_ids: list[Sequence[str]], bridge_foils: list[Sequence[Sequence[str]]], log_metric: Any = None, **_: Any,
    ) -> list[float]:  # fmt: skip
        rows = judged(completions, completion_ids, answer, cut)
        columns = zip(path, options, option_ids, answer, bridge_foils, strict=True)
        items = [Item((hops,), texts, ids, key, foils) for hops, texts, ids, key, foils in columns]
        raw = [score(item, row.thinking, lexicon).value for item, row in zip(items, rows, strict=True)]
        if log_metric is not None:
            log_metric("path_statements/ungated", sum(raw) / len(raw))
        return [PATH_WEIGHT * value if row.paid else 0.0 for value, row in zip(raw, rows, strict=True)]

    return path_statements
