"""Item-writing flaws that a program can see, after the 19 rules of Haladyna as SAQUET counts them.

Each function says whether one flaw is there. Rules that need a reader (plausible distractors, one best answer,
focus on what matters) are not here: the judge and people look at those.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from generation.shortcuts import Item, key_place
from generation.words import content_words, words

LONG_STEM = 45  # words
FAR_LONGER = 1.6  # key beside the longest distractor, in characters
_NEGATIVE = re.compile(r"\b(not|except|never|least likely)\b", re.IGNORECASE)
_ABSOLUTE = frozenset(words("always never all none only every must completely entirely"))
_VAGUE = frozenset(words("usually often sometimes frequently rarely generally occasionally mostly"))
_ABOVE = re.compile(
    r"\b(all|none|both|neither) of the (above|these|following)\b|\b[A-D] (and|or) [A-D]\b", re.IGNORECASE
)
_DIGIT, _BRACKET = re.compile(r"\d"), re.compile(r"[(\[]")
_BLANK = re.compile(r"_{2,}|\.{3,}")


def _options(item: Item) -> Sequence[str]:
    options: Sequence[str] = item["options"]
    return options


def negative_stem(item: Item) -> bool:
    return bool(_NEGATIVE.search(item["question"]))


def all_or_none(item: Item) -> bool:
    return any(_ABOVE.search(text) for text in _options(item))


def absolute_terms(item: Item) -> bool:
    return any(_ABSOLUTE & set(words(text)) for text in _options(item))


def vague_terms(item: Item) -> bool:
    return any(_VAGUE & set(words(text)) for text in _options(item))


def longest_is_right(item: Item) -> bool:
    """The key stands out by its length."""
    place = key_place(item)
    others = [len(text) for n, text in enumerate(_options(item)) if n != place]
    return len(_options(item)[place]) > FAR_LONGER * max(others) and len(_options(item)[place]) > max(others) + 8


def word_repeats(item: Item) -> bool:
    """A word of the stem stands in the key and in no distractor."""
    place = key_place(item)
    stem = content_words(item["question"])
    others = frozenset().union(*(content_words(text) for n, text in enumerate(_options(item)) if n != place))
    return bool(stem & content_words(_options(item)[place]) - others)


def converging(item: Item) -> bool:
    """The key shares its words with every distractor, while no two distractors share one that the key lacks."""
    place = key_place(item)
    key = content_words(_options(item)[place])
    others = [content_words(text) for n, text in enumerate(_options(item)) if n != place]
    among = Counter(word for text in others for word in text - key)
    return len(key) > 1 and all(text & key for text in others) and all(count < 2 for count in among.values()) and len({
        text & key for text in others}) > 1  # fmt: skip


def grammar_clue(item: Item) -> bool:
    """The stem ends in an article that fits some options only."""
    last = re.search(r"\b(a|an)\s*[.?]?$", item["question"])
    if last is None:
        return False
    vowel = [text[:1].lower() in "aeiou" for text in _options(item)]
    return len(set(vowel)) > 1


def unlike_options(item: Item) -> bool:
    """One option alone begins with a capital, or has a number, or is in brackets, and it is the key."""
    place = key_place(item)
    for mark in (_DIGIT, _BRACKET):
        marks = [bool(mark.search(text)) for text in _options(item)]
        if sum(marks) == 1 and marks[place]:
            return True
    return False


def contained_option(item: Item) -> bool:
    """The words of one option are all in another."""
    read = [frozenset(words(text)) for text in _options(item)]
    return any(a < b for n, a in enumerate(read) for m, b in enumerate(read) if n != m and a)


def blank_in_stem(item: Item) -> bool:
    return bool(_BLANK.search(item["question"]))


def no_question(item: Item) -> bool:
    return not item["question"].rstrip().endswith("?")


def long_stem(item: Item) -> bool:
    return len(item["question"].split()) > LONG_STEM


FLAWS: tuple[Callable[[Item], bool], ...] = (
    negative_stem, all_or_none, absolute_terms, vague_terms, longest_is_right, word_repeats, converging, grammar_clue,
    unlike_options, contained_option, blank_in_stem, no_question, long_stem,
)  # fmt: skip


def flaws(item: Item) -> list[str]:
    """Names of the flaws of an item."""
    return [flaw.__name__.replace("_", " ") for flaw in FLAWS if flaw(item)]


def counted(items: Iterable[Item]) -> tuple[dict[str, int], float]:
    """Items by flaw, and the share of items with at most one (1.0 without items)."""
    counts: Counter[str] = Counter()
    few = total = 0
    for item in items:
        found = flaws(item)
        counts.update(found)
        few += len(found) <= 1
        total += 1
    return dict(counts.most_common()), few / total if total else 1.0


def readability(items: Sequence[Item]) -> dict[str, float]:
    """Words a stem and a sentence have, and the share of long words (over 12 letters)."""
    lengths = [len(item["question"].split()) for item in items]
    sentences = [len(re.findall(r"[.?!](?:\s|$)", item["question"])) or 1 for item in items]
    letters = [word for item in items for word in re.findall(r"[^\W\d_]+", item["question"])]
    return {
        "words a stem (median)": float(median(lengths)),
        "words a stem (most)": float(max(lengths)),
        "words a sentence (mean)": sum(lengths) / sum(sentences),
        "words over 12 letters (share)": sum(len(word) > 12 for word in letters) / max(1, len(letters)),
    }
