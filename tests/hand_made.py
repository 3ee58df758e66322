"""Small graphs written by hand, for tests that state every fact they rest on.

graph = graph_of("a inhibits b", "b part_of c", "NOT a excites b")
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from kg.graph import Fact, Graph, Node, edge_id
from kg.sources.core_facts import topic

SMALL = Path(__file__).parent / "small"
SCHEMA_FILE = SMALL / "schema.yaml"
CORE_FOLDER = SMALL / "core"
LICENSE = "Apache-2.0"


def node(name: str, category: str = "region", **more: object) -> Node:
    return replace(Node(f"t:{name}", name, category, source="test", license=LICENSE), **more)


def fact(text: str, qualifier: str | None = None, layer: str = "core", askable: bool = True) -> Fact:
    """`head predicate tail`, single words; `NOT` before it denies it."""
    negated = text.startswith("NOT ")
    head, predicate, tail = text.removeprefix("NOT ").split(" ")
    key = edge_id(layer, f"t:{head}", predicate, f"t:{tail}", qualifier, negated)
    return Fact(key, f"t:{head}", predicate, f"t:{tail}", layer, "test", LICENSE, qualifier, None, negated, askable)


def about(text: str, topic: str, **more: object) -> Fact:
    """A fact of the core's table of a topic."""
    return replace(fact(text), source=f"test/{topic}", **more)


def on_topics(core: Graph, topics: Collection[str]) -> Graph:
    """The part of the core that its tables of these topics state, with its denials and complete lists."""
    facts = {key: fact for key, fact in core.facts.items() if topic(fact) in topics}
    ends = {end for fact in facts.values() for end in (fact.head_id, fact.tail_id)}
    nodes = {name: node for name, node in core.nodes.items() if name in ends}
    lists = {row: reference for row, reference in core.complete.items() if row[0] in ends}
    return Graph(nodes, facts, lists, core.merges)


def graph_of(*texts: str | Fact, categories: Mapping[str, str] | None = None, complete: Iterable[str] = ()) -> Graph:
    """A graph of facts; every end is a node, a `region` unless `categories` says otherwise.

    Args:
        complete: `entity predicate direction` rows of lists declared complete.
    """
    facts = [text if isinstance(text, Fact) else fact(text) for text in texts]
    kinds = dict(categories or {})
    names = sorted({end[2:] for one in facts for end in (one.head_id, one.tail_id)} | set(kinds))
    nodes = {f"t:{name}": node(name, kinds.get(name, "region")) for name in names}
    rows = {(f"t:{entity}", predicate, direction): None for entity, predicate, direction in map(str.split, complete)}
    return Graph(nodes, {one.edge_id: one for one in facts}, rows)
