"""An entity by what a person calls it."""

from __future__ import annotations

from kg.errors import InputError, nearest
from kg.graph import Graph
from kg.names import key


def find(graph: Graph, name: str) -> str:
    """The node that an id, label or synonym stands for.

    Raises:
        InputError: nothing or several things are called that.
    """
    if name in graph.nodes:
        return name
    folded = key(name)
    exact = [node.id for node in graph.nodes.values() if key(node.label) == folded]
    found = exact or [node.id for node in graph.nodes.values() if folded in map(key, node.synonyms)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name!r} stands for several entities; give one id: {', '.join(found[:8])}")
    raise InputError(f"no entity is called {name!r}; {nearest(name, [node.label for node in graph.nodes.values()])}")
