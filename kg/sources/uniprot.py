"""UniProt: which gene, when mutated, causes which disorder of the nervous system.

Read from the XML files of PyPI `gnuhealth-genetics-uniprot` 5.0.4 (a zip; its code is not used): diseases, natural
variants with their gene, and which variant goes with which disease. `load()` reads the derived tables; `make()`
rebuilds them (kg/sources/derive.py).

Scope: a disease with a nervous-system keyword of UniProt, or whose name or first sentence of description speaks of the
nervous system, sense organs' neurons, or neuromuscular transmission (kg/sources/uniprot_scope.py).
Asked: the gene has a likely pathogenic variant for the disease, the disease is not described as a susceptibility,
and neither name gives the other away (`SPG11`; `biotinidase deficiency`, BTD).
Disease ids are OMIM numbers. Two records with one number are one disease; its label is the general one.
Complete (backward): a numbered subtype, or a disease not called heterogeneous, with exactly one gene in all rows.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError
from kg.graph import Complete, Fact, Layer, Node, edge_id
from kg.names import slug
from kg.sources import catalogue_names, clean, derived
from kg.sources.gene_names import abbreviates, symbol_shows
from kg.sources.uniprot_scope import CATEGORIES, KEYWORDS, MORE_GENES, NEURO, WRONG_PAIRS

NAME = "uniprot"
SOURCE = derived.Source(
    source="UniProtKB human variants (gnuhealth-genetics-uniprot 5.0.4)",
    license="CC-BY-4.0",
    attribution="The UniProt Consortium, https://www.uniprot.org, CC BY 4.0; files by GNU Solidario",
    changes="gene-disease pairs taken from variants; nervous-system diseases only; labels cleaned; records with "
    "one OMIM number merged",
    url="https://www.uniprot.org/help/downloads",
    date="2026",
    package="gnuhealth-genetics-uniprot==5.0.4 (PyPI)",
    command="python -m kg derive uniprot gnuhealth_genetics_uniprot-5.0.4-py3-none-any.whl",
)
_FOLDER = "health_genetics_uniprot/data"
_SUSCEPTIBILITY = re.compile(
    r"suscept|multifactorial|complex (?:disorder|trait|disease)|risk|predispos|polygenic", re.I
)
_SEVERAL_GENES = re.compile(r"heterogene|digenic|contiguous|oligogenic", re.I)
_SUBTYPE = re.compile(r"^(?P<base>.*?)[ ,]+(?:type |form )?(?P<number>\d+[A-Z]{0,2}\d?|[IVX]+[A-Z]?)$")
_INHERITED = re.compile(
    r"(?:, (?:autosomal (?:dominant|recessive)|X-linked(?: dominant| recessive)?|primary|familial))+$"
)
_MISSPELT = {"parkinsonsim": "parkinsonism"}
# Names of people and places that are also ordinary English words.
_PROPER = frozenset({
    "best", "brown", "down", "white", "wolf", "young", "may", "bell", "fish", "gray", "rod", "wells", "hall",
    "kings", "carpenter", "dent",
})  # fmt: skip


@dataclass
class Disease:
    """One OMIM number: every UniProt record with it."""

    id: str
    names: list[str] = field(default_factory=list)
    acronyms: set[str] = field(default_factory=set)
    keywords: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    genes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # symbol -> significance codes
    label: str = ""


class _Record(NamedTuple):
    id: str
    body: str

    def value(self, name: str) -> str:
        match = re.search(rf'<field name="{name}">(.*?)</field>', self.body, re.S)
        return html.unescape(match.group(1)).strip() if match else ""

    def refers(self, name: str) -> str:
        match = re.search(rf'<field name="{name}" (?:ref="([^"]+)"|search="[^"]*\'=\', \'([^\']+)\'[^"]*")', self.body)
        return (match.group(1) or match.group(2)) if match else ""


def load() -> Layer:
    """The layer from its derived tables, diseases named as people name them."""
    return catalogue_names.renamed(
        derived.read(NAME), frozenset({"genetic_disorder", *(name for name, _ in CATEGORIES)})
    )


def make(package: Path) -> tuple[Layer, dict[tuple[str, str], str]]:
    """The layer from the wheel (or the folder it unpacks to).

    Raises:
        InputError: the package does not hold the three XML files.
    """
    by_record: dict[str, Disease] = {}
    diseases: dict[str, Disease] = {}
    for record in _records(package, "protein_diseases.xml"):
        by_record[record.id] = _take(record, diseases)
    genes = {r.id: (r.refers("gene"), r.value("significance")) for r in _records(package, "gene_variants.xml")}
    for record in _records(package, "variant_phenotypes.xml"):
        gene, significance = genes.get(record.refers("variant"), ("", ""))
        disease = by_record.get(record.refers("phenotype"))
        if gene and disease:
            disease.genes[gene].add(significance)
    return _Maker(diseases).layer()


def _records(package: Path, name: str) -> Iterator[_Record]:
    if package.is_dir():
        found = sorted(package.rglob(f"{_FOLDER}/{name}"))
        text = found[0].read_text(encoding="utf-8") if found else None
    else:
        with zipfile.ZipFile(package) as archive:
            members = [member for member in archive.namelist() if member.endswith(f"{_FOLDER}/{name}")]
            text = archive.read(members[0]).decode("utf-8") if members else None
    if text is None:
        raise InputError(f"{package}: holds no {_FOLDER}/{name}; give the wheel of gnuhealth-genetics-uniprot 5.0.4")
    for match in re.finditer(r'<record model="[^"]+" id="([^"]+)">(.*?)</record>', text, re.S):
        yield _Record(match.group(1), match.group(2))


def _take(record: _Record, diseases: dict[str, Disease]) -> Disease:
    key = record.value("mim_reference").replace("MIM:", "OMIM:")
    if not re.fullmatch(r"OMIM:\d{6}", key):
        key = f"uniprot:{record.id}"
    disease = diseases.setdefault(key, Disease(key))
    disease.names.append(_spelling(clean.label(record.value("disease_name"))))
    disease.acronyms.add(clean.label(record.value("acronym")))
    disease.keywords.update(word.strip() for word in record.value("keywords").split(","))
    disease.texts.append(clean.label(record.value("description")))
    return disease


def _spelling(name: str) -> str:
    return " ".join(_MISSPELT.get(word, word) for word in name.split(" "))


class _Maker:
    def __init__(self, diseases: dict[str, Disease]) -> None:
        self.dropped: Counter[str] = Counter()
        self.all = diseases
        self.ordinary = clean.ordinary_words((text for d in diseases.values() for text in d.texts), _PROPER)
        self.acronyms = Counter(acronym for d in diseases.values() for acronym in d.acronyms)
        self.nodes: dict[str, Node] = {}
        self.facts: dict[str, Fact] = {}
        self.complete: list[Complete] = []
        self.notes: dict[tuple[str, str], str] = {}

    def layer(self) -> tuple[Layer, dict[tuple[str, str], str]]:
        chosen = [d for _, d in sorted(self.all.items()) if self._usable(d)]
        for disease in _one_each(chosen, self.dropped):
            self._disease(disease)
        self._series()
        nodes = [self.nodes[key] for key in sorted(self.nodes)]
        facts = [self.facts[key] for key in sorted(self.facts)]
        return Layer(NAME, nodes, facts, self.dropped, self.complete), self.notes

    def _usable(self, disease: Disease) -> bool:
        disease.label = clean.lower_initial(_general(disease.names), self.ordinary)
        reason = None
        if not disease.genes:
            reason = "disease without a variant"
        elif not _neuro(disease):
            reason = "disease outside the nervous system"
        else:
            reason = clean.reject_reason(disease.label)
        if reason:
            self.dropped[reason] += 1
        return reason is None

    def _disease(self, disease: Disease) -> None:
        synonyms = [name for name in disease.names if clean.same_key(name) != clean.same_key(disease.label)]
        for acronym in sorted(disease.acronyms - {""}):
            if self.acronyms[acronym] > 1:
                self.dropped["acronym of several diseases (not a synonym)"] += 1
            else:
                synonyms.append(acronym)
        category = next((name for name, words in CATEGORIES if words.search(disease.label)), "genetic_disorder")
        self._node(disease.id, disease.label, category, tuple(sorted(set(synonyms))))
        for symbol, codes in sorted(disease.genes.items()):
            self._node(f"gene:{symbol}", symbol, "gene")
            self._fact(f"gene:{symbol}", "mutation_causes", disease.id, self._ask(disease, symbol, codes))
        if len(disease.genes) == 1 and _one_gene(disease):
            reference = f"UniProt disease, {disease.id}"
            self.complete.append(Complete(disease.id, "mutation_causes", "backward", reference))
            self.notes[disease.id, "mutation_causes"] = "one gene; a subtype, or not called heterogeneous"

    def _ask(self, disease: Disease, symbol: str, codes: set[str]) -> bool:
        reason = None
        names = {disease.label, *disease.names, *disease.acronyms}
        if (symbol, disease.id) in WRONG_PAIRS:
            reason = "pair known to be wrong (kept, not asked)"
        elif "lpp" not in codes:
            reason = "no likely pathogenic variant (kept, not asked)"
        elif any(_SUSCEPTIBILITY.search(text) for text in (*disease.names, *disease.texts)):
            reason = "susceptibility (kept, not asked)"
        elif symbol_shows(symbol, names, numbers=False) or any(abbreviates(symbol, name) for name in names):
            reason = "one label gives the other away (kept, not asked)"
        if reason:
            self.dropped[reason] += 1
        return reason is None

    def _series(self) -> None:
        """is_a from numbered subtypes (`Parkinson disease 6`) to what they are subtypes of."""
        members: dict[str, list[str]] = defaultdict(list)
        for node in list(self.nodes.values()):
            match = _SUBTYPE.match(_INHERITED.sub("", node.label))
            if match and node.category != "gene":
                members[match["base"].rstrip(", ")].append(node.id)
        labels = {node.label: node.id for node in self.nodes.values() if node.category != "gene"}
        for base, ids in sorted(members.items()):
            if len(ids) > 1 or base in labels:
                key = labels.get(base, f"uniprot:{slug(base)}")
                self._node(key, base, self.nodes[ids[0]].category)
                for member in ids:
                    self._fact(member, "is_a", key, False)

    def _node(self, key: str, label: str, category: str, synonyms: tuple[str, ...] = ()) -> None:
        self.nodes.setdefault(key, Node(key, label, category, synonyms, (), None, SOURCE.source, SOURCE.license))

    def _fact(self, head: str, predicate: str, tail: str, askable: bool) -> None:
        key = edge_id(NAME, head, predicate, tail)
        self.facts[key] = Fact(key, head, predicate, tail, NAME, SOURCE.source, SOURCE.license, askable=askable)


def _general(names: list[str]) -> str:
    """Of the names under one number: the one that another extends (`Alzheimer disease`), else the first."""
    for name in sorted(names, key=len):
        if any(other != name and other.startswith(name) for other in names):
            return name
    return names[0]


def _neuro(disease: Disease) -> bool:
    sentences = [text.split(". ")[0] for text in disease.texts]
    return bool(disease.keywords & KEYWORDS) or any(NEURO.search(text) for text in (*disease.names, *sentences))


def _one_gene(disease: Disease) -> bool:
    if disease.id in MORE_GENES or any(_SUSCEPTIBILITY.search(text) for text in (*disease.names, *disease.texts)):
        return False
    subtype = _SUBTYPE.match(_INHERITED.sub("", disease.label))
    return bool(subtype) or not any(_SEVERAL_GENES.search(text) for text in disease.texts)


def _one_each(diseases: list[Disease], dropped: Counter[str]) -> list[Disease]:
    """Merge diseases whose labels differ by case or wording only; the lower number is kept."""
    kept: dict[str, Disease] = {}
    for disease in diseases:
        first = kept.setdefault(clean.same_key(disease.label), disease)
        if first is not disease:
            dropped["same disease under another wording (merged)"] += 1
            first.names += disease.names
            first.acronyms |= disease.acronyms
            for symbol, codes in disease.genes.items():
                first.genes[symbol] |= codes
    return list(kept.values())
