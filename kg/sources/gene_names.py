"""When a gene symbol can be read off another name without knowing anything.

`HTR1A` for the 5-HT1A receptor or `SPG11` for spastic paraplegia 11 is spelling, not knowledge; `SCN9A` for
the Nav1.7 channel has to be known. Used by every layer that asks for genes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kg.names import GREEK
from kg.sources import clean

_RUN = re.compile(r"[a-z]+|\d+")
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}
_LATIN = str.maketrans({letter: name[0] for letter, name in GREEK.items()})
# Symbols that HGNC has changed since a source was made; all layers write the new one.
RENAMED = {"GBA": "GBA1", "CENPJ": "CPAP", "TTC26": "IFT56", "BVES": "POPDC1", "TDGF1": "CRIPTO"}


def symbol_shows(symbol: str, names: Iterable[str], numbers: bool = True) -> bool:
    """Whether the symbol (or the part that tells it from its family) stands in one of the names.

    Args:
        numbers: a shared number counts (proteins, whose numbers the genes often share; not diseases).

    >>> symbol_shows("HTR1A", ["5-HT1A receptor"]), symbol_shows("GABRA5", ["GABA-A receptor α5 subunit"])
    (True, True)
    >>> symbol_shows("SCN9A", ["Nav1.7 channel"]), symbol_shows("KCNMA1", ["BK channel"])
    (False, False)
    """
    folded = symbol.casefold()
    code = re.search(r"(?:[a-z]?\d+[a-z]?\d*[a-z]?)$", folded)
    for name in names:
        text = clean.label(name).casefold().translate(_LATIN)
        words = [_ROMAN.get(word, word) for word in re.findall(r"[a-z0-9]+", text)]
        joined = "".join(words)
        if folded in joined or (len(folded) > 4 and folded.rstrip("0123456789") in words):
            return True
        parts = {*words, *re.findall(r"[a-z]?\d+[a-z]?", joined)}
        if numbers and code and len(code.group()) > 1 and code.group() in parts:
            return True
        if (numbers and _same_number(folded, words)) or _same_start(folded, words):
            return True
    return False


def _same_number(symbol: str, words: list[str]) -> bool:
    """The last number of the name is the only number of the symbol (`mGluR5`, GRM5; `connexin-36` has GJD2)."""
    numbers = [run for word in words for run in _RUN.findall(word) if run.isdigit()]
    own = [run for run in _RUN.findall(symbol) if run.isdigit()]
    return bool(numbers and own) and numbers[-1] in own


def _same_start(symbol: str, words: list[str]) -> bool:
    """A long word of the name begins with the first letters of the symbol (`argininaemia`, ARG1)."""
    start = _RUN.findall(symbol)[0]
    return len(start) >= 3 and any(len(word) >= 5 and word.startswith(start[:4]) for word in words)


def abbreviates(symbol: str, name: str) -> bool:
    """Whether the symbol is made of first letters of the name's words, as enzymes and their deficiencies are.

    >>> abbreviates("BTD", "biotinidase deficiency"), abbreviates("HEXA", "Tay-Sachs disease")
    (True, False)
    """
    letters = re.sub(r"[^a-z]", "", symbol.casefold())
    match = re.match(r"(.*?)\s+(?:deficiency|deficit)\b", clean.label(name).casefold())
    if match is None or len(letters) < 2:
        return False
    rest = iter(re.sub(r"[^a-z]", "", match.group(1)))
    return match.group(1).lstrip("0123456789-")[:1] == letters[0] and all(letter in rest for letter in letters[:3])
