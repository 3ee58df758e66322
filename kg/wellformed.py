"""Rows that a graph can be made of: known words, ends that are nodes, one plain label an id.

Asked of every layer before layers are aligned (kg/build.py) and of every graph that is read from disk (kg/store.py), so that
no later step meets a row that it cannot use. What rows say is judged in kg/validate.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kg.errors import InputError, nearest
from kg.graph import Complete, Fact, Layer, Node
from kg.schema import BACKWARD, FORWARD, Schema
from kg.sources.tables import MAX_CELL


def check(schema: Schema, loaded: Sequence[Layer]) -> None:
    """Check the rows of layers that are to make one graph.

    Raises:
        InputError: the first row at fault: unknown category or predicate, an end that is no node, two labels of one id
            within a layer, a label that is blank, over MAX_CELL characters or not plain text.
    """
    nodes = {node.id for layer in loaded for node in layer.nodes}
    for layer in loaded:
        place = f"layer {layer.name}"
        labels: dict[str, str] = {}
        for node in layer.nodes:
            _node(schema, node, place)
            if labels.setdefault(node.id, node.label) != node.label:
                raise InputError(
                    f"{place}: id {node.id} has two labels: {labels[node.id]!r} and {node.label!r}; keep one"
                )
        for fact in layer.facts:
            _fact(schema, fact, nodes, place)
        for row in layer.complete:
            _complete(schema, row, nodes, place)


def _node(schema: Schema, node: Node, place: str) -> None:
    if not isinstance(node.id, str) or not isinstance(node.label, str):
        raise InputError(f"{place}: node {node.id!r} has no id or no label ({node.label!r}); give both")
    if node.category not in schema.categories:
        known = nearest(str(node.category), schema.categories)
        raise InputError(f"{place}: node {node.id} has the unknown category {node.category!r}; {known}")
    if len(node.label) > MAX_CELL:
        raise InputError(
            f"{place}: the label of node {node.id[:80]} has {len(node.label):,} characters; at most {MAX_CELL:,} are read"
        )
    if not node.label.strip() or not node.label.isprintable():
        raise InputError(
            f"{place}: the label of node {node.id} is blank or holds a control character: {node.label[:80]!r}; mend it"
        )


def _fact(schema: Schema, fact: Fact, nodes: Collection[str], place: str) -> None:
    if fact.predicate not in schema.predicates:
        known = nearest(str(fact.predicate), schema.predicates)
        raise InputError(f"{place}: fact {fact.edge_id} has the unknown predicate {fact.predicate!r}; {known}")
    for end in (fact.head_id, fact.tail_id):
        if end not in nodes:
            raise InputError(f"{place}: fact {fact.edge_id} names {end!r}, which is no node; add the node")


def _complete(schema: Schema, row: Complete, nodes: Collection[str], place: str) -> None:
    if row.predicate not in schema.predicates:
        known = nearest(str(row.predicate), schema.predicates)
        raise InputError(f"{place}: a complete list is of the unknown predicate {row.predicate!r}; {known}")
    if row.direction not in (FORWARD, BACKWARD):
        raise InputError(
            f"{place}: a complete list of {row.entity_id} is {row.direction!r}; write {FORWARD} or {BACKWARD}"
        )
    if row.entity_id not in nodes:
        raise InputError(
            f"{place}: a complete list is of {row.entity_id!r}, which is no node; add the node or drop the list"
        )
