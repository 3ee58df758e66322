"""One entity for one thing: nodes of several layers are merged by identifier, symbol or checked synonym.

Two nodes are one when, in this order,
  `id`       they have the same id
  `xref`     they share an identifier (a gene symbol ties proteins to proteins only)
  `name`     the label of one is the label or a synonym of the other, and the string stands for one node only in
             each of the two layers, and both are of the same main kind (`KINDS`)
A bare string alone never merges a gene with its protein or a disease with a sign. Near-identical names
(`type 6`, `type 8`) stay apart because whole names are compared. The node of the earlier layer is kept
(the core stands first); every merge is recorded in `Graph.merges`, and a pair named `apart` is not merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from kg.graph import Complete, Fact, Graph, Layer, Merge, Node, edge_id
from kg.names import key
from kg.schema import Schema

KINDS = ("structure", "cell", "cell_part", "protein", "gene", "chemical", "process", "disease", "sign")


def align(layers: Sequence[Layer], schema: Schema, apart: Collection[frozenset[str]] = ()) -> Graph:
    """Merge layers into one graph. Order matters only for which node is kept: earlier layers win.

    Args:
        apart: pairs of ids that are two things, whatever ties them together.
    """
    nodes: dict[str, Node] = {}
    moved: dict[str, str] = {}
    merges: list[Merge] = []
    for layer in layers:
        index = _Index(nodes.values(), schema)
        names = _unique_names(layer.nodes, schema)
        for node in sorted(layer.nodes, key=lambda n: n.id):
            kept, reason = index.find(node, names)
            if kept is None or frozenset((kept, node.id)) in apart:
                nodes[node.id] = node
                continue
            nodes[kept] = _joined(nodes[kept], node)
            if kept != node.id:
                moved[node.id] = kept
                merges.append(Merge(kept, node.id, node.label, reason))
    facts = moved_facts(layers, moved)
    complete = _moved_complete(layers, moved)
    return Graph(dict(sorted(nodes.items())), dict(sorted(facts.items())), complete, tuple(merges))


def kind(category: str, schema: Schema) -> str:
    """The main kind of a category: names are compared within one."""
    above = schema.ancestors(category)
    return next((main for main in KINDS if main in above), category)


class _Index:
    """What earlier layers know: ids, identifiers and names."""

    def __init__(self, nodes: Iterable[Node], schema: Schema) -> None:
        self.schema = schema
        rows = list(nodes)
        self.ids = {node.id for node in rows}
        self.xrefs = {(xref, kind(node.category, schema)): node.id for node in rows for xref in (node.id, *node.xrefs)}
        self.names = _unique_names(rows, schema)

    def find(self, node: Node, names: dict[tuple[str, str], str]) -> tuple[str | None, str]:
        main = kind(node.category, self.schema)
        if node.id in self.ids:
            return node.id, "id"
        for xref in (node.id, *node.xrefs):
            if found := self.xrefs.get((xref, main)):
                return found, f"xref {xref}"
        for name in _names(node):
            found = self.names.get((name, main))
            if found and names.get((name, main)) == node.id:
                return found, f"name {name!r}"
        return None, ""


def _names(node: Node) -> Iterator[str]:
    for name in (node.label, *node.synonyms):
        if len(folded := key(name)) > 2:
            yield folded


def _unique_names(nodes: Iterable[Node], schema: Schema) -> dict[tuple[str, str], str]:
    """(folded name, kind) -> the one node it stands for. A label beats a synonym; names of several nodes are out."""
    labels: dict[tuple[str, str], set[str]] = defaultdict(set)
    synonyms: dict[tuple[str, str], set[str]] = defaultdict(set)
    for node in nodes:
        main = kind(node.category, schema)
        labels[key(node.label), main].add(node.id)
        for name in _names(node):
            synonyms[name, main].add(node.id)
    found = {name: min(ids) for name, ids in synonyms.items() if len(ids) == 1}
    return found | {name: min(ids) for name, ids in labels.items() if len(ids) == 1}


def _joined(kept: Node, other: Node) -> Node:
    """The kept node with the other's names and identifiers; its own category stands, as that of the earlier layer."""
    return replace(
        kept,
        synonyms=tuple(sorted({*kept.synonyms, *other.synonyms, other.label} - {kept.label})),
        xrefs=tuple(sorted({*kept.xrefs, *other.xrefs, other.id} - {kept.id})),
    )


def moved_facts(layers: Sequence[Layer], moved: dict[str, str]) -> dict[str, Fact]:
    """Facts with their ends moved. Said by several layers, the first that may be asked speaks for all."""
    said: dict[tuple[str, str, str, str | None, bool], Fact] = {}
    for layer in layers:
        for fact in layer.facts:
            head, tail = moved.get(fact.head_id, fact.head_id), moved.get(fact.tail_id, fact.tail_id)
            entry = (head, fact.predicate, tail, fact.qualifier, fact.negated)
            if head != tail and (entry not in said or (fact.askable and not said[entry].askable)):
                said[entry] = fact if (head, tail) == (fact.head_id, fact.tail_id) else _moved_fact(fact, head, tail)
    return {fact.edge_id: fact for fact in said.values()}


def _moved_fact(fact: Fact, head: str, tail: str) -> Fact:
    new = edge_id(fact.layer, head, fact.predicate, tail, fact.qualifier, fact.negated)
    return replace(fact, edge_id=new, head_id=head, tail_id=tail)


def _moved_complete(layers: Sequence[Layer], moved: dict[str, str]) -> dict[tuple[str, str, str], str | None]:
    rows: Iterator[Complete] = (row for layer in layers for row in layer.complete)
    return {(moved.get(row.entity_id, row.entity_id), row.predicate, row.direction): row.reference for row in rows}
