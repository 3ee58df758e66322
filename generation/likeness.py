"""When do two labels say the same to a reader, or name members of one family?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from generation.words import content_words
from kg.names import fold

KIND_WORDS = content_words("receptor channel transporter subunit protein enzyme kinase")
_MEMBER = re.compile(r"(?<=[a-zα-ω-])-?\d+([./]\d+)*[a-z]{0,2}$")
_SIDE = re.compile(r"\b(left|right)\b ?")


class _Reading(NamedTuple):
    """A label as a reader takes it in."""

    text: str
    words: frozenset[str]


@lru_cache(maxsize=1 << 17)
def _reading(label: str) -> _Reading:
    return _Reading(_SIDE.sub("", fold(label)), content_words(label))


@lru_cache(maxsize=1 << 15)
def family(label: str) -> frozenset[str]:
    """Words that tell a protein's family: its content words without the number of the member.

    >>> sorted(family("5-HT1D receptor")), sorted(family("mGluR5")), sorted(family("dopamine D2 receptor"))
    (['ht'], ['mglur'], ['dopamine'])
    """
    words = (_MEMBER.sub("", word) or word for word in content_words(label) - KIND_WORDS)
    return frozenset(word for word in words if len(word) > 1 and not word.isdigit())


def alike(first: str, second: str) -> bool:
    """Labels that mean the same to a reader: the same words, or a left/right twin."""
    a, b = _reading(first), _reading(second)
    return a.text == b.text or a.words == b.words
