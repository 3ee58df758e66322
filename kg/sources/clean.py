"""Cleaning that every open source needs: labels, placeholders, leaks, one name for one thing.

Nothing here decides alone: a source asks `reject_reason` or `gives_away` and counts the answer in
`Layer.dropped`. All functions are pure.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

from kg.names import key

MAX_LABEL = 70

# Look-alikes of Greek letters, invisible characters, and typographic signs that differ between sources.
_SIGNS = str.maketrans(
    {"µ": "μ", "∆": "Δ", "\ufeff": "", "\u200b": "", "\u00ad": "", "\u00a0": " ", "’": "'", "‘": "'",
     "‐": "-", "‑": "-", "–": "-", "−": "-"}
)  # fmt: skip
_MARKUP = re.compile(r"[<&]|\s\s|[\t\r\n\v\f]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BLANKS = re.compile(r"\s+")
_PLACEHOLDER = re.compile(
    r"\bcompounds?\s+\(?\w*\d|\[PMID|\[?WO\d{6}|\bexample\s+\d|\bPMID:?\s*\d|\bcpd\s*\d|\bderivative\s+\d", re.I
)
_SHOUTED = re.compile(r"(?=.*[A-Z]{7})[A-Z0-9 ,;:()/-]{9,}")
_OBSOLETE = re.compile(r"^\s*obsolete\b|^\s*\(obsolete\)|\bREMOVED FROM DATABASE\b|^\s*moved to\b", re.I)
_FIRST_WORD = re.compile(r"([A-Z][a-z]+)(?![\w'])(?!-[A-Z])")
_LOWER_WORD = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w])")
_MID_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?!\w)")
_AFTER_SLASH = re.compile(r"(?<=[a-z]/)[A-Z](?=[a-z])")
_MEDICAL = re.compile(
    r"(?:ular|itis|osis|uria|emia|plasia|trophia|pathy|pathic|cranial|facial|genital|melia|melic|dactyly|cephaly|oma|ism|lepsy|trophic|phyria)$"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
# Words that say what kind of thing it is; two labels may share them without one giving the other away.
_PLAIN_WORDS = frozenset({
    "receptor", "receptors", "channel", "channels", "subunit", "transporter", "type", "alpha", "beta", "acid",
    "sodium", "potassium", "calcium", "chloride", "protein", "proteins", "factor", "gene", "disease", "disorder",
    "syndrome", "deficiency", "autosomal", "recessive", "dominant", "linked", "familial", "with", "without", "and",
    "from", "into", "cell", "cells", "neuron", "neurons", "neuronal", "nerve", "nervous", "system", "brain",
    "activity", "process", "regulation", "positive", "negative", "binding", "molecular", "function", "response",
    "early", "onset", "late", "juvenile", "infantile", "adult", "congenital", "progressive", "hereditary",
    "susceptibility", "synaptic", "synapse", "membrane", "complex", "signaling", "signalling", "pathway", "human",
    "peptide", "hormone", "abnormal", "abnormality",
})  # fmt: skip


def label(text: str) -> str:
    """A source's label as plain Unicode: no tags, entities, control or direction marks, padding; NFC.

    >>> label(" 5-HT<sub>6</sub> receptor ")
    '5-HT6 receptor'
    >>> label("&mu; receptor")
    'μ receptor'
    """
    if text.isascii() and text.isprintable() and not _MARKUP.search(text):
        return text.strip()
    plain = html.unescape(html.unescape(text))
    plain = _TAG.sub("", plain)
    plain = unicodedata.normalize("NFC", plain.translate(_SIGNS))
    return _BLANKS.sub(" ", "".join(c for c in plain if c.isprintable() or c.isspace())).strip()


def reject_reason(text: str) -> str | None:
    """Why a cleaned label cannot stand in a question, or None if it can."""
    if not text or text in {"-", "?", "NA", "n/a", "None"}:
        return "blank label"
    if _OBSOLETE.search(text):
        return "obsolete term"
    if _PLACEHOLDER.search(text):
        return "placeholder label"
    if _SHOUTED.fullmatch(text):
        return "label all in capitals"
    if len(text) > MAX_LABEL:
        return f"label over {MAX_LABEL} characters"
    return None


def same_key(text: str) -> str:
    """Equal for two wordings of one thing, different for things that differ in a number or a letter.

    Case, punctuation, spelled-out Greek letters, a possessive s and the word `type` do not count:
    `Pontocerebellar hypoplasia 10` and `Pontocerebellar hypoplasia, type 10` are one; `autosomal dominant 6`
    and `autosomal recessive 6` stay apart.
    """
    words = key(label(text).replace("'s ", " ")).split()
    return " ".join(word for word in words if word not in {"type", "the", "of"})


def lower_initial(text: str, ordinary: frozenset[str] | set[str]) -> str:
    """Lower the first letter when the first word is an ordinary word (it occurs in lower case in running text).

    For names of diseases: `Ataxia` becomes `ataxia`; `Rett syndrome`, `Diamond-Blackfan anemia` and
    `GABA transaminase deficiency` stay.
    """
    first = _capital_word(text)
    return text[0].lower() + text[1:] if first and (first in ordinary or _MEDICAL.search(first)) else text


def lower_unless(text: str, proper: frozenset[str] | set[str]) -> str:
    """Lower the first letter unless the first word is a name; after a slash too (`Aplasia/Hypoplasia`).

    For names of signs, which are ordinary words with few exceptions: `Babinski sign`, `EEG abnormality`.
    """
    text = _AFTER_SLASH.sub(lambda match: match.group().lower(), text)
    first = _capital_word(text)
    return text[0].lower() + text[1:] if first and first not in proper else text


def _capital_word(text: str) -> str | None:
    """The first word, folded, if only its first letter is a capital and no capitalised part follows a hyphen."""
    match = _FIRST_WORD.match(text)
    return match.group(1).casefold() if match else None


def ordinary_words(texts: Iterable[str], proper: frozenset[str] = frozenset()) -> set[str]:
    """Words that running text writes in lower case, less those in `proper` (names that are also words: Best, Down)."""
    found: set[str] = set()
    for text in texts:
        found.update(_LOWER_WORD.findall(text))
    return found - proper


def proper_words(texts: Iterable[str]) -> set[str]:
    """Words that running text writes with a capital in mid-sentence, folded."""
    return {word.casefold() for text in texts for word in _MID_CAPITAL.findall(text)}


def telling_words(texts: Iterable[str]) -> set[str]:
    """Words of three letters or more that could give a thing away; plural s off, common class words out."""
    words = {word for text in texts for word in _WORD.findall(label(text).casefold())}
    words = {word.removesuffix("s") if len(word) > 4 else word for word in words}
    return {word for word in words if len(word) >= 3 and not word.isdigit() and word not in _PLAIN_WORDS}


def gives_away(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether one thing's names give the other's away: a shared telling word, or one that begins like another.

    >>> gives_away(["histamine"], ["histamine H1 receptor"]), gives_away(["muscarine"], ["muscarinic M1 receptor"])
    (True, True)
    >>> gives_away(["pitolisant"], ["histamine H3 receptor"])
    False
    """
    left, right = telling_words(names), telling_words(others)
    if left & right:
        return True
    return any(_alike(one, other) for one in left for other in right)


def _alike(one: str, other: str) -> bool:
    """Two long words with the same first six letters, or one that holds the other (`adrenaline`, `noradrenaline`)."""
    short, long = sorted((one, other), key=len)
    if len(short) < 5:
        return len(short) == 4 and long.startswith(short)
    return one[:6] == other[:6] or short in long
