"""The one way to normalise words, used by checks, rewards and the view.

NFKC, lower case, Greek letters and their names are one (α = alpha), a plural s is stripped in the same way
wherever it stands, stop words are out. `[^a-z0-9]` splitting would lose α-synuclein; here letters of any script stay.

>>> content_words("The α-Synucleins of neurons") == content_words("alpha synuclein neuron")
True
"""

from __future__ import annotations

import re
from functools import lru_cache

from kg.names import fold

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SINGULAR_ENDS = ("ss", "us", "is")


def stem(word: str) -> str:
    """A folded word without its plural s (`neurons` -> `neuron`, `bodies` -> `body`; `axis`, `nucleus` stay).

    The same rule is applied to both sides of any comparison, so it need not be right, only consistent.
    """
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(_SINGULAR_ENDS):
        return word[:-1]
    return word


_STOP_WORDS = """a about above after all also an and any are as at be because been being between both but by can could did do does
doing down during each either for from further had has have having he her here him his how i if in into is it
its itself just let may me might more most must my no nor not now of off on once only or other our out over own
same she should so some such than that the their them then there these they this those through to too under until up
us very was we were what when where which while who whom why will with within without would you your yes""".split()
STOP_WORDS = frozenset(_STOP_WORDS) | frozenset(map(stem, _STOP_WORDS))  # `does` is met as `doe`


@lru_cache(maxsize=1 << 16)
def words(text: str) -> tuple[str, ...]:
    """All words of a text in order, folded and singular, stop words included."""
    return tuple(stem(word) for word in _WORD.findall(fold(text)))


@lru_cache(maxsize=1 << 16)
def content_words(text: str) -> frozenset[str]:
    """The set of words that carry meaning."""
    return frozenset(word for word in words(text) if word not in STOP_WORDS)
