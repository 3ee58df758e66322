"""Gene Ontology: what the gene's product does, where in the cell, in which process of the nervous system.

Read from two Bioconductor SQLite files that Debian packages carry (`r-bioc-go.db`, `r-bioc-org.hs.eg.db`, 3.16.0;
R is not needed). `load()` reads the derived tables; `make()` rebuilds them (kg/sources/derive.py).

Scope: terms below `ROOTS` (kg/sources/go_terms.py) by is_a and part_of, and human genes annotated to them.
Asked: annotations with an experimental or a curator's evidence code, to a term that is neither general (true of more
than 1 % of all annotated genes, its narrower terms counted) nor spelled in the gene's name. All other annotations
are kept, not asked: they still make an answer true.
`regulation of X` is no question of its own: a gene that regulates X is kept, not asked, as taking part in X,
so that it never serves as a wrong answer for X.
NOT rows: Bioconductor leaves negated annotations out, and the files have no qualifier column (checked: AGO1, AGO3
and AGO4, which GO annotates with NOT to `miRNA-mediated gene silencing by mRNA destabilization`, are not in them).
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError
from kg.graph import Fact, Layer, Node, edge_id
from kg.sources import clean, derived
from kg.sources.gene_names import RENAMED
from kg.sources.go_terms import ROOTS, Hierarchy

NAME = "go"
SOURCE = derived.Source(
    source="Gene Ontology 2022-07-01 (Bioconductor org.Hs.eg.db 3.16.0)",
    license="CC-BY-4.0",
    attribution="Gene Ontology Consortium, https://geneontology.org, CC BY 4.0; annotations by way of NCBI gene2go "
    "and Bioconductor",
    changes="human genes and terms of the nervous system only; regulation terms folded into "
    "the process that they regulate",
    url="http://current.geneontology.org/ontology/go-basic.obo",
    date="2022-07-01",
    package="r-bioc-go.db 3.16.0-1, r-bioc-org.hs.eg.db 3.16.0-1 (Debian)",
    command="python -m kg derive go FOLDER",
)
PREDICATE = {"BP": "participates_in", "CC": "product_located_in", "MF": "has_function"}
CATEGORY = {"BP": "biological_process", "CC": "cell_part", "MF": "molecular_function"}
# Experimental evidence, and statements that a curator stands for (by an author, by sequence similarity, by
# phylogeny). Electronic (IEA), high-throughput (HDA ...), expression pattern (IEP), untraceable (NAS) and
# "no data" (ND) are not asked.
ASKED_EVIDENCE = frozenset({"EXP", "IDA", "IPI", "IMP", "IGI", "TAS", "IC", "ISS", "IBA"})
GENERAL = 0.01  # share of all annotated human genes
_NO_SYMBOL = re.compile(r"^LOC\d+$")
# Where a protein sits in a membrane, and composed terms: true, but nothing to ask.
_DULL = re.compile(r"^(?:integral|intrinsic|anchored|extrinsic) component of|\binvolved in\b| in response to |, | or ")


class Annotation(NamedTuple):
    """A gene and a term, with every evidence code for them."""

    symbol: str
    term: str
    evidence: frozenset[str]


def load() -> Layer:
    """The layer from its derived tables."""
    return derived.read(NAME)


def make(package: Path) -> tuple[Layer, dict[tuple[str, str], str]]:
    """The layer from a folder that holds GO.sqlite and org.Hs.eg.sqlite at any depth.

    Raises:
        InputError: one of the files is missing.
    """
    dropped: Counter[str] = Counter()
    with closing(_open(package, "GO.sqlite")) as ontology, closing(_open(package, "org.Hs.eg.sqlite")) as genes:
        hierarchy = Hierarchy(ontology, dropped)
        names = dict(genes.execute("select symbol, gene_name from gene_info"))
        total = genes.execute("select count(distinct _id) from (select _id from go_bp union select _id from go_cc "
                              "union select _id from go_mf)").fetchone()[0]  # fmt: skip
        rows = [row for aspect in ROOTS for row in _annotations(genes, aspect)]
    return _Maker(hierarchy, names, total, dropped).layer(rows), {}


def _open(package: Path, name: str) -> sqlite3.Connection:
    found = sorted(package.rglob(name)) if package.is_dir() else []
    if not found:
        raise InputError(f"{package}: holds no {name}; unpack r-bioc-go.db and r-bioc-org.hs.eg.db into it (dpkg -x)")
    return sqlite3.connect(f"file:{found[0]}?mode=ro", uri=True)


def _annotations(genes: sqlite3.Connection, aspect: str) -> Iterable[Annotation]:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    query = f"select symbol, go_id, evidence from go_{aspect.lower()} join gene_info using (_id)"
    for symbol, term, evidence in genes.execute(query):
        if not _NO_SYMBOL.match(symbol):
            found[RENAMED.get(symbol, symbol), term].add(evidence)
    return [Annotation(*entry, frozenset(codes)) for entry, codes in sorted(found.items())]


class _Maker:
    def __init__(self, hierarchy: Hierarchy, gene_names: dict[str, str], total: int, dropped: Counter[str]) -> None:
        self.hierarchy, self.gene_names, self.total, self.dropped = hierarchy, gene_names, total, dropped
        self.nodes: dict[str, Node] = {}
        self.facts: dict[str, Fact] = {}

    def layer(self, annotations: list[Annotation]) -> Layer:
        said: dict[tuple[str, str], bool] = defaultdict(bool)
        for row in annotations:
            for term in self.hierarchy.meant(row.term):
                direct = term == row.term
                said[row.symbol, term] |= direct and not row.evidence.isdisjoint(ASKED_EVIDENCE)
        general = self._general(said)
        for (symbol, term), asked in sorted(said.items()):
            self._annotation(symbol, term, asked, general)
        self._hierarchy()
        nodes = [self.nodes[key] for key in sorted(self.nodes)]
        return Layer(NAME, nodes, [self.facts[key] for key in sorted(self.facts)], self.dropped)

    def _general(self, said: Iterable[tuple[str, str]]) -> set[str]:
        """Terms that hold, narrower terms counted, for more than GENERAL of all annotated genes; and the roots."""
        genes: dict[str, set[str]] = defaultdict(set)
        for symbol, term in said:
            for wide in self.hierarchy.closure(term):
                genes[wide].add(symbol)
        roots = {root for aspect in ROOTS.values() for root in aspect}
        return roots | {term for term, having in genes.items() if len(having) > GENERAL * self.total}

    def _annotation(self, symbol: str, term: str, asked: bool, general: set[str]) -> None:
        about = self.hierarchy.terms[term]
        reason = None
        if not asked:
            reason = "evidence electronic, high-throughput or indirect (kept, not asked)"
        elif _DULL.search(about.label):
            reason = "composed or positional term (kept, not asked)"
        elif term in general:
            reason = "general term (kept, not asked)"
        elif spelled(symbol, self.gene_names.get(symbol, ""), about.label):
            reason = "one label gives the other away (kept, not asked)"
        if reason:
            self.dropped[reason] += 1
        gene = f"gene:{symbol}"
        self._node(gene, symbol, "gene")
        self._node(term, about.label, CATEGORY[about.aspect])
        self._fact(gene, PREDICATE[about.aspect], term, reason is None)

    def _hierarchy(self) -> None:
        """is_a and part_of among the terms that have genes and those above them."""
        todo = [key for key in self.nodes if key.startswith("GO:")]
        while todo:
            term = todo.pop()
            for predicate, table in (("is_a", self.hierarchy.is_a), ("part_of", self.hierarchy.part_of)):
                for parent in sorted(table[term] & self.hierarchy.terms.keys()):
                    about = self.hierarchy.terms[parent]
                    if predicate == "part_of" and about.aspect != "CC":
                        continue  # part_of takes structures and parts of cells; processes keep is_a
                    if parent not in self.nodes:
                        todo.append(parent)
                        self._node(parent, about.label, CATEGORY[about.aspect])
                    self._fact(term, predicate, parent, False)

    def _node(self, key: str, label: str, category: str) -> None:
        self.nodes.setdefault(key, Node(key, label, category, source=SOURCE.source, license=SOURCE.license))

    def _fact(self, head: str, predicate: str, tail: str, askable: bool) -> None:
        key = edge_id(NAME, head, predicate, tail)
        self.facts[key] = Fact(key, head, predicate, tail, NAME, SOURCE.source, SOURCE.license, askable=askable)


def spelled(symbol: str, gene_name: str, term: str) -> bool:
    """Whether the term can be read off the gene: a telling word of its full name, or its symbol's letters.

    >>> spelled("RELN", "reelin", "reelin-mediated signaling pathway"), spelled("RELN", "reelin", "neuron migration")
    (True, False)
    """
    if clean.gives_away([gene_name], [term]):
        return True
    stem = re.split(r"\d", symbol.casefold())[0]
    return len(stem) >= 4 and any(word.startswith(stem) for word in clean.telling_words([term]))
