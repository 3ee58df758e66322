"""How names are compared: one folding of case, width, Greek letters and punctuation.

`fold` is for people's text, `key` for matching labels, `slug` for ids. Greek letters and their names
are one (`α-synuclein`, `alpha-synuclein`); near-identical names (`type 6`, `type 8`) stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = "α β γ δ ε ζ η θ ι κ λ μ ν ξ ο π ρ σ τ υ φ χ ψ ω"
_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon "
    "phi chi psi omega"
)
GREEK = {**dict(zip(_LETTERS.split(), _NAMES.split(), strict=True)), "ς": "sigma", "ϵ": "epsilon", "ϑ": "theta"}
_GREEK_TABLE = str.maketrans(GREEK)
_NOT_WORD = re.compile(r"[^0-9a-z]+")


def fold(text: str) -> str:
    """NFKC, case-folded, Greek letters spelled out, accents kept off ASCII letters (`Ménière` = `meniere`)."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).translate(_GREEK_TABLE)


@lru_cache(maxsize=1 << 17)
def key(label: str) -> str:
    """What two spellings of one name share: folded, punctuation to single blanks.

    >>> key("α-Synuclein") == key("alpha synuclein")
    True
    """
    return _NOT_WORD.sub(" ", fold(label)).strip()


def slug(label: str) -> str:
    """A stable id part: `Purkinje cell` -> `purkinje-cell`.

    Signs that carry meaning are spelled (`K+` -> `k-plus`), so that unlike names do not meet.
    """
    spelled = label.replace("+", " plus ").replace("′", " prime ")
    return key(spelled).replace(" ", "-")
