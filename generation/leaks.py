"""Does a stem give its answer away? Shared rare words, inflections, acronyms, numbers of a series.

A word shared by stem and key is harmless when it is common among entities of that kind ("artery", "receptor") or
when distractors share it too; otherwise it leaks. `cholinergic neuron` leaks `acetylcholine`, `thalamic` leaks
`thalamus`, `5-HT2A receptor` leaks `HTR2A`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from generation.words import content_words
from kg.names import fold

_PREFIX = re.compile(
    r"^(neuro|neuri|hyper|hypo|micro|inter|intra|trans|extra|super|supra|infra|infer|anter|poster|media|later|dors|ventr|"
    r"electro|cerebr|sympath|parasympath|gluta|gangl|ana|anti|poly|para|post|presyn|syn|auto|contra|ipsi|multi)"
)
_SERIES = re.compile(r"\d+[a-z]?$")


@lru_cache(maxsize=1 << 16)
def rooted(first: str, second: str) -> bool:
    """Whether two folded words look like inflections of one root.

    >>> [rooted("cholinergic", "acetylcholine"), rooted("thalamic", "thalamus"), rooted("neuron", "neuropathy")]
    [True, True, False]
    """
    if first == second:
        return True
    short, long = sorted((first, second), key=len)
    if len(short) >= 4 and long.startswith(short):
        return True
    a, b = _PREFIX.sub("", first), _PREFIX.sub("", second)
    if a == b and len(a) >= 4:
        return True
    common = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        common += 1
    if common >= 5:
        return True
    return len(short) >= 6 and (short[:6] in long or (len(short) >= 8 and short[2:8] in long))


def initials(label: str) -> str:
    """The acronym of a label of several words, or "" for one word."""
    parts = re.findall(r"[0-9a-z]+", fold(label))
    return "".join(part[0] for part in parts) if len(parts) > 1 else ""


def acronyms(label: str) -> frozenset[str]:
    """Words of a label that are all capitals, folded: `koniocellular layers of the LGN` has `lgn`."""
    return frozenset(word.lower() for word in re.findall(r"\b[A-Z]{2,}\b", label))


@lru_cache(maxsize=1 << 17)
def _marks(label: str) -> frozenset[str]:
    """Strings of which two labels share at least one whenever any rule below holds for them: a quick way out."""
    compact = fold(label).replace("-", "")
    marks = {f"={compact}", f"={initials(label)}", f"^{compact[:3]}"} - {"="}
    marks |= {f"={acronym}" for acronym in acronyms(label)}
    marks |= {f"#{number}" for number in re.findall(r"\d+[a-z]?", compact)}
    for word in content_words(label):
        bare = _PREFIX.sub("", word)
        marks |= {word, bare, bare[:5], *(word[:end] for end in range(4, len(word)))}
        marks |= {word[start : start + 6] for start in range(len(word) - 5)}
    return frozenset(mark for mark in marks if len(mark) > 1)


@lru_cache(maxsize=1 << 16)
def _rare_shared(shown: str, hidden: str) -> frozenset[str]:
    """Words of the hidden label that the shown one has in some form."""
    seen = content_words(shown)
    return frozenset(
        word for word in content_words(hidden) if len(word) > 1 and any(rooted(word, other) for other in seen)
    )


def shared_words(shown: str, hidden: str) -> frozenset[str]:
    """Words by which `shown` (a label in the stem) could give `hidden` (a label that must not be given) away."""
    if _marks(shown).isdisjoint(_marks(hidden)):
        return frozenset()
    found = set(_rare_shared(shown, hidden))
    short, long = fold(hidden).replace("-", ""), fold(shown).replace("-", "")
    if len(short) > 1 and (initials(shown) == short or initials(hidden) in {long, *acronyms(shown)}):
        found.add(short)
    series = _SERIES.search(short)
    if series and len(short) > len(series[0]) and re.search(rf"(?<![0-9]){re.escape(series[0])}(?![0-9a-z])", long):
        found.add(series[0])
    if len(hidden) > 2 and hidden.isupper() and long.startswith(short[:3]):
        found.add(short[:3])
    return frozenset(found)
