"""Diseases of the HPO's annotation file: which entries are one disease, and which is a kind of which.

OMIM and Orphanet describe the same diseases under other numbers and words (`spastic paraplegia 44, autosomal
recessive`, `Autosomal recessive spastic paraplegia type 44`). Two nodes for one disease would make a true answer
pass for a wrong one, so:

- one name (words in any order, inheritance aside): one disease, the OMIM number is kept;
- an Orphanet disease whose only gene is the only gene of an OMIM disease: the same disease if the names are much
  alike; a kind of it if its name only adds words (`Alexander disease type I`); else left out, since nobody can
  tell whether it is another disease;
- an Orphanet disease of several genes is the wider class of the OMIM diseases that have one of these genes and
  share its words (`Joubert syndrome with renal defect`, `Joubert syndrome 3`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kg.names import key as name_key
from kg.sources.frequency import Frequency

ALIKE = 0.7  # share of words in common from which two names of one gene's disease are one
_PLAIN = frozenset({
    "type", "of", "the", "autosomal", "dominant", "recessive", "with", "and", "due", "to", "disease", "disorder",
    "syndrome", "x", "linked", "form", "familial", "hereditary",
})  # fmt: skip
NEURO_SHARE = 0.25  # of a disease's phenotypes
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}


@dataclass
class Disease:
    """A disease with all that is said of it.

    Attributes:
        phenotypes: nervous-system terms with their frequency. modes: of inheritance. denied: terms of NOT rows.
        elsewhere: number of rows about phenotypes of other systems. genes: symbols.
    """

    id: str
    names: list[str] = field(default_factory=list)
    xrefs: set[str] = field(default_factory=set)
    phenotypes: dict[str, Frequency] = field(default_factory=lambda: defaultdict(Frequency))
    modes: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    genes: set[str] = field(default_factory=set)
    elsewhere: int = 0
    label: str = ""

    @property
    def neuro(self) -> bool:
        """Whether it is a disease of the nervous system, not one that merely shows headache or hypotonia too."""
        own = len(self.phenotypes)
        return own >= NEURO_SHARE * (own + self.elsewhere)

    @property
    def only_gene(self) -> str | None:
        return min(self.genes) if len(self.genes) == 1 else None

    def merge(self, other: Disease) -> None:
        """Take in another entry for the same disease."""
        self.names += other.names
        self.xrefs.add(other.id)
        self.modes |= other.modes
        self.denied |= other.denied
        self.genes |= other.genes
        self.elsewhere += other.elsewhere
        for term, frequency in other.phenotypes.items():
            self.phenotypes[term].join(frequency)


class Settled(NamedTuple):
    """Diseases that stay, and pairs (kind, class) among their ids."""

    diseases: list[Disease]
    kinds: list[tuple[str, str]]


def words(label: str) -> frozenset[str]:
    """The words of a name that tell it from others; Roman numbers as Arabic."""
    return frozenset(_ROMAN.get(word, word) for word in name_key(label).split()) - _PLAIN


def settle(diseases: Mapping[str, Disease], dropped: Counter[str]) -> Settled:
    """One node a disease. `diseases` by id; OMIM ids sort before Orphanet's, and are kept."""
    named = _by_name(diseases, dropped)
    by_gene: dict[str, list[Disease]] = defaultdict(list)
    for disease in named:
        if disease.id.startswith("OMIM:") and disease.only_gene:
            by_gene[disease.only_gene].append(disease)
    kept: list[Disease] = []
    kinds: list[tuple[str, str]] = []
    for disease in named:
        if disease.id.startswith("OMIM:") or not disease.genes:
            kept.append(disease)
        elif disease.only_gene:
            if _twin(disease, by_gene[disease.only_gene], kinds, dropped):
                kept.append(disease)
        else:
            kept.append(disease)
            kinds += _members(disease, by_gene)
    return Settled(kept, kinds + _series(kept))


def _by_name(diseases: Mapping[str, Disease], dropped: Counter[str]) -> list[Disease]:
    kept: dict[tuple[frozenset[str], str], Disease] = {}
    for _, disease in sorted(diseases.items()):
        first = kept.setdefault((words(disease.label), _mode_in_name(disease.label)), disease)
        if first is not disease:
            dropped["same disease under another number or wording (merged)"] += 1
            first.merge(disease)
    return list(kept.values())


def _mode_in_name(label: str) -> str:
    """`autosomal dominant 6` and `autosomal recessive 6` are two diseases."""
    found = re.findall(r"dominant|recessive|x-linked", label.casefold())
    return " ".join(sorted(set(found)))


def _twin(disease: Disease, others: list[Disease], kinds: list[tuple[str, str]], dropped: Counter[str]) -> bool:
    """Settle an Orphanet disease against the OMIM diseases of its only gene; whether it stays a node of its own."""
    if not others:
        return True
    own = words(disease.label)
    best = max(others, key=lambda other: (_overlap(own, words(other.label)), other.id))
    if _overlap(own, words(best.label)) >= ALIKE:
        dropped["same disease under another number or wording (merged)"] += 1
        best.merge(disease)
        return False
    if words(best.label) and own > words(best.label):
        kinds.append((disease.id, best.id))
        return True
    dropped["Orphanet disease with the gene of an OMIM disease, names unlike"] += 1
    return False


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _members(wide: Disease, by_gene: Mapping[str, list[Disease]]) -> list[tuple[str, str]]:
    own = {word for word in words(wide.label) if not word.isdigit()}
    found = []
    for gene in sorted(wide.genes):
        for disease in by_gene.get(gene, ()):
            theirs = {word for word in words(disease.label) if word.isalpha()}
            if len(own & theirs) * 2 >= max(1, len(theirs)):
                found.append((disease.id, wide.id))
    return found


def _series(diseases: list[Disease]) -> list[tuple[str, str]]:
    """Numbered diseases are kinds of the disease that bears the name without the number."""
    bases = {words(disease.label): disease.id for disease in diseases}
    found = []
    for disease in diseases:
        own = words(disease.label)
        base = frozenset(word for word in own if not re.fullmatch(r"\d+[a-z]?\d?", word))
        if base and base != own and base in bases and bases[base] != disease.id:
            found.append((disease.id, bases[base]))
    return found
