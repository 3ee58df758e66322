"""Whether the words around two names state a fact: its cue in the right voice, denied, reversed, or only joined.

Used by training/path_reward.py. `joined` judges a pair of names, `denies` a clause that calls the one before it
false, `verdict` what is said of an option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from training.statements import BACKWARD, EITHER, FORWARD, Clause, Cue, Lexicon, Mention, Word, match

JOINED = 0.3

_NOT = frozenset(
    [
        "not",
        "no",
        "never",
        "cannot",
        "neither",
        "nor",
        "hardly",
        "without",
        "can't",
        "doesn't",
        "don't",
        "isn't",
        "aren't",
        "didn't",
        "won't",
        "wasn't",
        "fails",
        "fail",
        "lacks",
        "lack",
        "unable",
    ]
)
_FALSE = frozenset(
    [
        "false",
        "untrue",
        "incorrect",
        "wrong",
        "wrongly",
        "mistaken",
        "myth",
        "nonsense",
        "impossible",
        "deny",
        "denies",
        "denied",
        "disproved",
        "refuted",
    ]
)
_IF = frozenset(["if", "whether", "suppose", "supposing", "assuming", "imagine", "unless", "were"])
_RELATIVE = frozenset(["which", "that", "whom"])
_YES = frozenset(["yes", "fits", "fit", "correct", "right", "true", "matches"])
_NO = frozenset(["no", "wrong", "incorrect", "false", "out"])


def joined(lexicon: Lexicon, predicate: str, words: Sequence[Word], ends: tuple[Mention, Mention], way: int) -> float:
    """The value of a pair: 1, 0.3, 0, -1 (reversed, antonym) or -2 (denied)."""
    first, second = ends
    if any(w.raw in _IF for w in words[: first.start]):
        return 0.0
    between = [w for w in words[first.end : second.start] if w.raw not in ",:"]
    way = (
        -way
        if not first.pronoun and way == FORWARD and _relative(lexicon, predicate, between, words[second.end :])
        else way
    )
    ways = _ways(lexicon, predicate, words, ends)
    if way in ways or EITHER in ways:
        return -2.0 if _denied(words, ends) else 1.0
    if -way in ways:
        return -1.0 if not _denied(words, ends) else 0.0
    if way == BACKWARD and _relative(lexicon, predicate, between, words[second.end :]):
        return 1.0
    if any(way in _ways(lexicon, other, words, ends) for other in lexicon.opposite[predicate]):
        return -1.0
    if not between or _other(lexicon, predicate, words[first.end : second.start]):
        return 0.0
    return 0.0 if _denied(words, ends) else JOINED


def _ways(lexicon: Lexicon, predicate: str, words: Sequence[Word], ends: tuple[Mention, Mention]) -> set[int]:
    """Which ways the predicate's cues between (or just before) two ends run. The longest cue at a place counts."""
    first, second = ends
    table, found, place = lexicon.firsts[predicate], set(), first.end
    while place < second.start:
        step = 1
        for cue in table.get(words[place].root, ()):
            if end := match(cue, words[: second.start], place):
                found.add(-cue.way if _passive(words, place, end, second.start) else cue.way)
                step = end - place
                break
        place += step
    return found | _before(table, words, first)


def _before(table: Mapping[str, tuple[Cue, ...]], words: Sequence[Word], first: Mention) -> set[int]:
    """Nominal cues that end right before the first end: `agonist of TAIL is HEAD` runs the other way round."""
    found = set()
    for place in range(max(0, first.start - 6), first.start):
        for cue in table.get(words[place].root, ()):
            end = match(cue, words[: first.start], place) if cue.before else 0
            if end and first.start - end <= (1 if cue.way != EITHER else 3):
                found.add(-cue.way)
                break
    return found


def _passive(words: Sequence[Word], start: int, end: int, stop: int) -> bool:
    """`activated directly by`: a verb form without s, and `by` before a name within three words."""
    if words[start].raw.endswith("s") or words[end - 1].raw in ("by", "from", "in", "of"):
        return False
    for place in range(end, min(end + 3, stop)):
        if words[place].raw == "by":
            return not (place + 1 < stop and words[place + 1].raw.endswith("ing"))
    return False


def _relative(lexicon: Lexicon, predicate: str, between: Sequence[Word], after: Sequence[Word]) -> bool:
    """`TAIL, which HEAD drives`."""
    if not between or between[0].raw not in _RELATIVE or len(between) > 2:
        return False
    table = lexicon.firsts[predicate]
    return any(
        cue.way == FORWARD and match(cue, after, n) for n, w in enumerate(after[:3]) for cue in table.get(w.root, ())
    )


def _other(lexicon: Lexicon, predicate: str, between: Sequence[Word]) -> bool:
    """Whether a directed cue of another predicate stands between."""
    for name, table in lexicon.firsts.items():
        if name != predicate:
            for place, w in enumerate(between):
                if any(cue.way != EITHER and match(cue, between, place) for cue in table.get(w.root, ())):
                    return True
    return False


def _denied(words: Sequence[Word], ends: tuple[Mention, Mention]) -> bool:
    """A negation between the ends or just before them, or a word that calls the clause false."""
    first, second = ends
    inside = [w.raw for w in words[first.end : second.start]]
    ahead = [w.raw for w in words[max(0, first.start - 5) : first.start]]
    ahead = ahead[len(ahead) - ahead[::-1].index(",") :] if "," in ahead else ahead
    for place, raw in enumerate(inside):
        if raw in _NOT and inside[place + 1 : place + 2] != ["only"] and "," not in inside[place:-2]:
            return True
    if any(raw in _NOT for raw in ahead) and "without" not in ahead:
        return True
    behind = [w.raw for w in words[second.end : second.end + 4]]
    return any(w.raw in _FALSE for w in words[: first.start]) or any(raw in _FALSE for raw in [*inside, *behind])


def denies(clause: Clause) -> bool:
    """`That is false.`, `This is not true.`: a short clause about the one before."""
    raw = [w.raw for w in clause.words if w.raw not in ",:"]
    about = (
        bool(raw)
        and raw[0] in ("that", "this", "which", "it", "both", "all", "these", "none", "neither")
        and len(raw) <= 7
    )
    negated = any(word in _FALSE for word in raw) or (
        any(word in _NOT or word in ("none", "neither") for word in raw)
        and any(word in ("true", "correct", "right", "so", "case") for word in raw)
    )
    return about and negated


def verdict(clause: Clause, end: int) -> bool | None:
    """What a clause says of an option right after its name: `: yes`, `: does not fit`, `fits`."""
    rest = [w.raw for w in clause.words[end : end + 5]]
    if not rest or rest[0] not in (":", "is", "fits", "does", "matches"):
        return None
    rest = rest[1:] if rest[0] in (":", "is") else rest
    head = rest[:3]
    if any(raw in ("not", "doesn't") for raw in head) and any(raw in _YES for raw in rest[:4]):
        return False
    if head and head[0] in _NO:
        return False
    return True if head and head[0] in _YES else None
