"""Prose in clauses, names found in it, and the cues by which it states a fact.

Used by the statement-based path reward (training/path_reward.py). Plain Python, no model: a chain of thought of 550
tokens takes about a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import yaml

from generation.words import stem
from kg.errors import InputError
from kg.names import fold
from kg.schema import Schema

FORWARD, BACKWARD, EITHER = 1, -1, 0

_SPLIT = re.compile(
    r"(?<=[^\d\s])[.;!](?=\s|$|[\"')])|(?<=\d)[.;!](?=\s|$)|\?|\n|\b(?:but|while|whereas|although|however)\b",
    re.IGNORECASE,
)
_SNAKE = re.compile(r"\w_\w|[{}|]|->|=>|→")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,:]")
_PREPOSITIONS = frozenset(["of", "at", "for", "to", "in", "from", "on", "by", "is", "with", "against", "into"])
_GENERIC = frozenset(
    [
        "muscle",
        "nerve",
        "artery",
        "receptor",
        "nucleus",
        "cell",
        "neuron",
        "gene",
        "channel",
        "cortex",
        "tract",
        "syndrome",
        "disease",
        "disorder",
        "reflex",
        "protein",
        "drug",
        "layer",
        "ganglion",
        "vein",
        "gland",
        "transporter",
        "enzyme",
    ]
)

_IRREGULAR = dict(
    pair.split("=")
    for pair in [
        "driven=drive",
        "drove=drive",
        "bound=bind",
        "built=build",
        "made=make",
        "taken=take",
        "took=take",
        "fed=feed",
        "sent=send",
        "left=leave",
        "given=give",
        "gave=give",
        "broken=break",
        "broke=break",
        "held=hold",
        "drawn=draw",
        "shown=show",
        "lost=lose",
        "arose=arise",
        "arisen=arise",
        "sprung=spring",
        "ran=run",
        "came=come",
        "found=find",
        "seen=see",
        "saw=see",
        "grew=grow",
        "grown=grow",
        "struck=strike",
        "kept=keep",
        "led=lead",
        "lay=lie",
    ]
)


class Word(NamedTuple):
    """A word as it stands (folded), without plural s, and without endings."""

    raw: str
    stem: str
    root: str


@lru_cache(maxsize=1 << 16)
def word(raw: str) -> Word:
    base = stem(raw)
    return Word(raw, base, root(raw, base))


def root(raw: str, base: str) -> str:
    """A word without the endings of verbs: drives, driving, drove stay apart only where English is irregular.

    >>> root("innervated", "innervated") == root("innervates", "innervate")
    True
    """
    if raw in _IRREGULAR:
        return root(_IRREGULAR[raw], _IRREGULAR[raw])
    if raw.endswith("ied") and len(raw) > 4:
        base = raw[:-3] + "y"
    elif raw.endswith("ing") and len(raw) > 5:
        base = raw[:-3]
    elif raw.endswith("ed") and len(raw) > 4:
        base = raw[:-2]
    base = base[:-1] if base.endswith("e") and len(base) > 3 else base
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] else base


@dataclass(frozen=True)
class Clause:
    """Words of a clause with `,` and `:` kept as words; `question` when it ends in a question mark."""

    words: tuple[Word, ...]
    question: bool

    @property
    def counted(self) -> bool:
        """Whether it is long enough to count as something said (`So B` is not)."""
        return sum(w.raw not in ",:" for w in self.words) > 2


def clauses(text: str) -> list[Clause]:
    """Split prose at . ; ? ! newline and at but / while / whereas / although / however.

    Field names in snake case, braces and arrows make no clause: they are data, not prose.
    """
    found, start = [], 0
    for end, mark in [*((m.start(), m) for m in _SPLIT.finditer(text)), (len(text), None)]:
        part, question = text[start:end], mark is not None and mark.group() == "?"
        start = mark.end() if mark else end
        tokens = () if _SNAKE.search(part) else tuple(word(w) for w in _TOKEN.findall(fold(part)))
        if tokens:
            found.append(Clause(tokens, question))
    return found


# --- names -------------------------------------------------------------------------------------------


def name_words(label: str) -> tuple[str, ...]:
    """A name as it is looked for: words without plural s."""
    return tuple(word(w).stem for w in _TOKEN.findall(fold(label)) if w not in ",:")


class Names:
    """Longest match of labels, synonyms and short forms.

    A name may be shortened by its class noun (`vagus` for `vagus nerve`) where no other entity is left with the same.
    """

    def __init__(self, labels: Mapping[str, Iterable[str]]) -> None:
        found: dict[tuple[str, ...], set[str]] = {}
        short: dict[tuple[str, ...], set[str]] = {}
        for entity, names in labels.items():
            for words in filter(None, map(name_words, names)):
                found.setdefault(words, set()).add(entity)  # a gene and its protein may share a name
                if len(words) > 1 and words[-1] in _GENERIC and any(len(w) > 2 for w in words[:-1]):
                    short.setdefault(words[:-1], set()).add(entity)
        found |= {words: entities for words, entities in short.items() if len(entities) == 1 and words not in found}
        self.table = {words: frozenset(entities) for words, entities in found.items()}
        self.longest = max(map(len, self.table), default=0)
        self.starts = {words[0] for words in self.table}

    def find(self, words: Sequence[Word]) -> list[Mention]:
        found, place = [], 0
        while place < len(words):
            mention = self._match(words, place) if words[place].stem in self.starts else None
            found += [mention] if mention else []
            place = mention.end if mention else place + 1
        return found

    def _match(self, words: Sequence[Word], place: int) -> Mention | None:
        """The longest name that starts here; commas within it do not count."""
        name: tuple[str, ...] = ()
        best = None
        for end in range(place, len(words)):
            if words[end].raw != ",":
                name = (*name, words[end].stem)
                if entities := self.table.get(name):
                    best = Mention(place, end + 1, entities, False)
            if len(name) == self.longest:
                break
        return best


class Mention(NamedTuple):
    """A name in a clause, words[start:end]; a pronoun may stand for one of several entities."""

    start: int
    end: int
    entities: frozenset[str]
    pronoun: bool


# --- cues --------------------------------------------------------------------------------------------


class Cue(NamedTuple):
    """A phrase that states a predicate: roots of its words, and which way it runs."""

    roots: tuple[str, ...]
    way: int

    @property
    def before(self) -> bool:
        """Whether it may stand before the first end: `agonist of TAIL is HEAD`, `the release of TAIL by HEAD`."""
        return self.way == EITHER or (len(self.roots) > 1 and self.roots[-1] in _PREPOSITIONS)


@dataclass(frozen=True)
class Lexicon:
    """Cues and opposites of every predicate. `firsts[p]` speeds up the search: first root -> cues, longest first."""

    firsts: Mapping[str, Mapping[str, tuple[Cue, ...]]]
    opposite: Mapping[str, frozenset[str]]

    @classmethod
    def load(cls, schema: Schema) -> Lexicon:
        """The schema's wordings and the phrases of cues.yaml.

        Raises:
            InputError: cues.yaml is broken.
        """
        text = resources.files("training").joinpath("data/cues.yaml").read_text(encoding="utf-8")
        extra = yaml.safe_load(text)
        firsts, opposite = {}, {}
        for name, predicate in schema.predicates.items():
            entry = extra.get(name) or {"free": predicate.cues}
            if unknown := set(entry) - {"forward", "backward", "free", "opposite"}:
                raise InputError(f"training/data/cues.yaml: predicate {name!r}: unknown key {min(unknown)!r}")
            ahead = (
                [verb for pair in predicate.forward.verb for verb in pair]
                + list(map(_bare, predicate.backward.np))
                + list(entry.get("forward", ()))
            )
            behind = (
                [verb for pair in predicate.backward.verb for verb in pair]
                + list(map(_bare, predicate.forward.np))
                + list(entry.get("backward", ()))
            )
            firsts[name] = _by_first(((ahead, FORWARD), (behind, BACKWARD), (entry.get("free", ()), EITHER)))
            if predicate.symmetric:
                firsts[name] = _by_first((([*ahead, *behind], EITHER),))
            opposite[name] = frozenset(entry.get("opposite", ()))
        return cls(firsts, opposite)


def _bare(noun_phrase: str) -> str:
    """`target of {{ x }}` -> `target of`."""
    return noun_phrase.partition("{{")[0].strip()


def _by_first(groups: Iterable[tuple[Iterable[str], int]]) -> dict[str, tuple[Cue, ...]]:
    table: dict[str, dict[tuple[str, ...], Cue]] = {}
    for phrases, way in groups:
        for phrase in phrases:
            roots = tuple(word(w).root for w in _TOKEN.findall(fold(phrase)) if w not in ",:")
            roots = roots[1:] if len(roots) > 1 and roots[0] in ("is", "are", "be", "the", "a", "an") else roots
            roots = tuple(r for r in roots if r not in ("a", "an", "the")) or roots
            if roots:
                table.setdefault(roots[0], {}).setdefault(roots, Cue(roots, way))
    return {first: tuple(sorted(cues.values(), key=lambda cue: -len(cue.roots))) for first, cues in table.items()}


GAP = 2  # words that may stand between the words of a cue ("is innervated mainly by")


def match(cue: Cue, words: Sequence[Word], place: int) -> int:
    """Where a cue that starts at `place` ends, or 0."""
    at = place + 1
    for wanted in cue.roots[1:]:
        for ahead in range(at, min(at + GAP + 1, len(words))):
            if words[ahead].root == wanted:
                at = ahead + 1
                break
        else:
            return 0
    return at
