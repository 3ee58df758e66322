"""Nodes, facts and the graph they make.

A `Layer` is what one source gives (a list of nodes, a list of facts, and a count of what was left out
and why). A `Graph` is the union of layers after alignment: nodes by id, facts by edge_id, and the
adjacency that walks need. `Graph.to_networkx()` gives the same as a `networkx.MultiDiGraph`, which
is what other programs should work with.

A fact stands in the direction in which it is true: `head predicate tail`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import networkx as nx


@dataclass(frozen=True, slots=True)
class Node:
    """One thing: a nucleus, a gene, a drug.

    Attributes:
        id: CURIE or stable slug, e.g. `core:purkinje-cell`, `gene:SCN1A`.
        label: what a person calls it; plain Unicode.
        category: entity type of the schema, as fine as is known.
        synonyms: exact synonyms, sorted.
        xrefs: identifiers of the same thing elsewhere, sorted; `symbol:SCN1A` ties a protein to its gene symbol.
        taxon: NCBI taxon label or None where it does not matter.
        source: data set and version. license: SPDX id or a licence name.
    """

    id: str
    label: str
    category: str
    synonyms: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    taxon: str | None = None
    source: str = ""
    license: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One proposition. Field meanings are those of edges.parquet (docs/contract.md)."""

    edge_id: str
    head_id: str
    predicate: str
    tail_id: str
    layer: str
    source: str
    license: str
    qualifier: str | None = None
    reference: str | None = None
    negated: bool = False
    askable: bool = True


def edge_id(
    layer: str, head_id: str, predicate: str, tail_id: str, qualifier: str | None = None, negated: bool = False
) -> str:
    """A stable id for a fact: its layer and a hash of what it says."""
    said = "\t".join((head_id, predicate, tail_id, qualifier or "", "NOT" if negated else ""))
    return f"{layer}:{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"


class Complete(NamedTuple):
    """The field knows the whole list: every value of `predicate` from `entity_id` in `direction` is in the graph."""

    entity_id: str
    predicate: str
    direction: str
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source gives. `dropped` counts what it left out, by reason."""

    name: str
    nodes: list[Node]
    facts: list[Fact]
    dropped: Counter[str] = field(default_factory=Counter)
    complete: list[Complete] = field(default_factory=list)


class Merge(NamedTuple):
    """A record that one entity was taken into another, and why."""

    kept_id: str
    gone_id: str
    gone_label: str
    reason: str


DENYING = frozenset({"core", "hpo"})  # layers that deny so much that what they leave out may well be true
Adjacency = dict[str, dict[str, list[Fact]]]  # node id -> predicate -> facts


@dataclass(frozen=True)
class Graph:
    """Nodes by id, facts by edge_id, lists declared complete, and the merges that made it."""

    nodes: Mapping[str, Node]
    facts: Mapping[str, Fact]
    complete: Mapping[tuple[str, str, str], str | None] = field(default_factory=dict)  # (entity, predicate, direction)
    merges: tuple[Merge, ...] = ()

    @cached_property
    def out(self) -> Adjacency:
        """Facts by head, in order of edge_id; negated ones left out."""
        return self._adjacency(lambda fact: fact.head_id)

    @cached_property
    def into(self) -> Adjacency:
        """Facts by tail, in order of edge_id; negated ones left out."""
        return self._adjacency(lambda fact: fact.tail_id)

    def _adjacency(self, end: Callable[[Fact], str]) -> Adjacency:
        table: Adjacency = {}
        for key in sorted(self.facts):
            fact = self.facts[key]
            if not fact.negated:
                table.setdefault(end(fact), {}).setdefault(fact.predicate, []).append(fact)
        return table

    @cached_property
    def degree(self) -> Counter[str]:
        """Facts that a node takes part in; negated ones left out."""
        ends = (end for f in self.facts.values() if not f.negated for end in (f.head_id, f.tail_id))
        return Counter(ends)

    @cached_property
    def negated(self) -> dict[tuple[str, str, str], Fact]:
        """(head, predicate, tail) -> the fact that says it is NOT so."""
        return {(f.head_id, f.predicate, f.tail_id): f for f in self.facts.values() if f.negated}

    @cached_property
    def denying(self) -> frozenset[str]:
        """Predicates of which a layer of `DENYING` denies statements: experts have told what is not so."""
        return frozenset(fact.predicate for fact in self.negated.values() if fact.layer in DENYING)

    @cached_property
    def denied_of_head(self) -> dict[tuple[str, str], list[Fact]]:
        """(head, predicate) -> negated facts, in order of edge_id."""
        return self._denied(lambda fact: (fact.head_id, fact.predicate))

    @cached_property
    def denied_of_tail(self) -> dict[tuple[str, str], list[Fact]]:
        """(predicate, tail) -> negated facts, in order of edge_id."""
        return self._denied(lambda fact: (fact.predicate, fact.tail_id))

    def _denied(self, entry: Callable[[Fact], tuple[str, str]]) -> dict[tuple[str, str], list[Fact]]:
        table: dict[tuple[str, str], list[Fact]] = {}
        for fact in sorted(self.negated.values(), key=lambda fact: fact.edge_id):
            table.setdefault(entry(fact), []).append(fact)
        return table

    def label(self, node_id: str) -> str:
        return self.nodes[node_id].label

    @cached_property
    def sha256(self) -> str:
        """Hash of every node, fact and completeness row, whatever their order."""
        digest = hashlib.sha256()
        for rows in (self.nodes, self.facts):
            for key in sorted(rows):
                digest.update(repr(rows[key]).encode() + b"\n")
        for line in sorted(map(repr, self.complete.items())):
            digest.update(line.encode() + b"\n")
        return digest.hexdigest()

    def to_networkx(self, layers: Collection[str] | None = None) -> nx.MultiDiGraph:
        """The graph as networkx knows it: node attributes of `Node`, edges keyed by edge_id with those of `Fact`.

        Args:
            layers: keep facts of these layers only (all by default).

        >>> node = Node("core:a", "A", "nucleus")
        >>> Graph({"core:a": node}, {}).to_networkx().nodes["core:a"]["label"]
        'A'
        """
        graph = nx.MultiDiGraph()
        for node in self.nodes.values():
            graph.add_node(node.id, **_attributes(node))
        for fact in self.facts.values():
            if layers is None or fact.layer in layers:
                graph.add_edge(fact.head_id, fact.tail_id, key=fact.edge_id, **_attributes(fact))
        return graph


def _attributes(row: Node | Fact) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}
