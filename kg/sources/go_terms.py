"""Which Gene Ontology terms are of the nervous system, and what lies above each: for kg/sources/go.py."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass

from kg.sources import clean

ROOTS = {
    "BP": (
        "GO:0050877",  # nervous system process
        "GO:0007399",  # nervous system development
        "GO:0099536",  # synaptic signaling
        "GO:0050804",  # modulation of chemical synaptic transmission (with long-term potentiation and depression)
        "GO:0050808",  # synapse organization
        "GO:0006836",  # neurotransmitter transport
        "GO:0001505",  # regulation of neurotransmitter levels
        "GO:0042133",  # neurotransmitter metabolic process
        "GO:0099003",  # vesicle-mediated transport in synapse
        "GO:0097479",  # synaptic vesicle localization
        "GO:0007218",  # neuropeptide signaling pathway
        "GO:0019226",  # transmission of nerve impulse
        "GO:0001508",  # action potential
        "GO:0008088",  # axo-dendritic transport
        "GO:0070050",  # neuron cellular homeostasis
        "GO:0051402",  # neuron apoptotic process
        "GO:0008038",  # neuron recognition
        "GO:0001764",  # neuron migration
        "GO:0007610",  # behavior
        "GO:0007623",  # circadian rhythm
        "GO:0042063",  # gliogenesis
        "GO:0048265",  # response to pain
        "GO:0050905",  # neuromuscular process
    ),
    "CC": (
        "GO:0045202",  # synapse
        "GO:0043005",  # neuron projection
        "GO:0043025",  # neuronal cell body
        "GO:0036477",  # somatodendritic compartment
        "GO:0043209",  # myelin sheath
        "GO:0098878",  # neurotransmitter receptor complex
        "GO:0031045",  # dense core granule
        "GO:0001750",  # photoreceptor outer segment
        "GO:0032420",  # stereocilium
        "GO:0034703",  # cation channel complex
        "GO:0097386",  # glial cell projection
    ),
    "MF": (
        "GO:0030594",  # neurotransmitter receptor activity
        "GO:0005216",  # ion channel activity
        "GO:0005326",  # neurotransmitter transmembrane transporter activity
        "GO:0042165",  # neurotransmitter binding
        "GO:0008188",  # neuropeptide receptor activity
        "GO:0005184",  # neuropeptide hormone activity
        "GO:0071855",  # neuropeptide receptor binding
        "GO:0048156",  # tau protein binding
        "GO:0001540",  # amyloid-beta binding
        "GO:0000149",  # SNARE binding
        "GO:0030215",  # semaphorin receptor binding
        "GO:0046875",  # ephrin receptor binding
        "GO:0045499",  # chemorepellent activity
        "GO:0035254",  # glutamate receptor binding
        "GO:0050811",  # GABA receptor binding
        "GO:0098918",  # structural constituent of synapse
        "GO:0005165",  # neurotrophin receptor binding
        "GO:0005030",  # neurotrophin receptor activity
        "GO:0008020",  # G protein-coupled photoreceptor activity
        "GO:0004984",  # olfactory receptor activity
    ),
}
_REGULATION = re.compile(r"^(?:positive |negative )?regulation of ")
# Heart, muscle and hair come in by the hierarchy (action potential, neuromuscular process), not by subject.
_ELSEWHERE = re.compile(
    r"cardiac|heart|atrial|ventricular|SA node|AV node|bundle of His|Purkinje myocyte|skeletal muscle|lateral line"
)


@dataclass(frozen=True)
class Term:
    """A GO term in scope."""

    id: str
    label: str
    aspect: str


class Hierarchy:
    """GO terms in scope, what lies above each, and which process a regulation term regulates."""

    def __init__(self, ontology: sqlite3.Connection, dropped: Counter[str]) -> None:
        self.names: dict[str, str] = {}
        self.aspects: dict[str, str] = {}
        self.is_a: dict[str, set[str]] = defaultdict(set)
        self.part_of: dict[str, set[str]] = defaultdict(set)
        self.regulates: dict[str, set[str]] = defaultdict(set)
        for term, name, aspect in ontology.execute("select go_id, term, ontology from go_term"):
            self.names[term], self.aspects[term] = clean.label(name), aspect
        for aspect in ROOTS:
            self._parents(ontology, aspect)
        self.above: dict[str, frozenset[str]] = {}
        below = {term for term in sorted(self.names) if self._in_scope(term)}
        usable = sorted(term for term in below if self._usable(term, dropped))
        self.terms = {term: Term(term, self.names[term], self.aspects[term]) for term in usable}

    def _parents(self, ontology: sqlite3.Connection, aspect: str) -> None:
        table = f"go_{aspect.lower()}_parents"
        kinds = {"isa": self.is_a, "part of": self.part_of, "regulates": self.regulates,
                 "positively regulates": self.regulates, "negatively regulates": self.regulates}  # fmt: skip
        query = (f"select a.go_id, b.go_id, relationship_type from {table} p join go_term a on a._id = p._id "
                 "join go_term b on b._id = p._parent_id")  # fmt: skip
        for child, parent, kind in ontology.execute(query):
            if kind in kinds:
                kinds[kind][child].add(parent)

    def closure(self, term: str) -> frozenset[str]:
        """The term and all terms above it by is_a and part_of (GO has no cycle here; one would stop the walk)."""
        if term not in self.above:
            self.above[term] = frozenset({term})  # guards against a cycle
            parents = self.is_a[term] | self.part_of[term]
            self.above[term] = frozenset({term}).union(*(self.closure(parent) for parent in parents))
        return self.above[term]

    def _in_scope(self, term: str) -> bool:
        return not self.closure(term).isdisjoint(ROOTS.get(self.aspects[term], ()))

    def _usable(self, term: str, dropped: Counter[str]) -> bool:
        reason = clean.reject_reason(self.names[term])
        if reason is None and _ELSEWHERE.search(self.names[term]):
            reason = "term outside the nervous system"
        if reason is None and _REGULATION.match(self.names[term]):
            reason = "regulation term (folded into what it regulates)"
        if reason:
            dropped[reason] += 1
        return reason is None

    def meant(self, term: str) -> set[str]:
        """Terms in scope that an annotation to `term` speaks of: itself, or what it regulates."""
        if term in self.terms:
            return {term}
        regulated = {target for above in self.closure(term) for target in self.regulates[above]}
        return regulated & self.terms.keys()
