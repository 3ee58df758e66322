"""Pictures of the graph for a notebook: the neighbourhood of an entity, and how items are distributed."""

from __future__ import annotations

import io
from collections.abc import Sequence

import networkx as nx

from generation.item import Item
from kg.graph import Graph

MOST = 24  # neighbours drawn


class Svg(str):
    """A picture that a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)


def neighbourhood(graph: Graph, node: str, most: int = MOST) -> Svg:
    """The facts around a node as a drawing; arrows point the way a fact is true.

    Args:
        node: id of an entity (`kg.find.find` turns a name into one).
        most: facts drawn at most, core facts first.
    """
    facts = [
        fact
        for table in (graph.out, graph.into)
        for group in table.get(node, {}).values()
        for fact in group
        if fact.askable
    ]
    facts.sort(key=lambda fact: (fact.layer != "core", fact.predicate, fact.edge_id))
    drawn = nx.DiGraph()
    for fact in facts[:most]:
        drawn.add_edge(_shown(graph, fact.head_id), _shown(graph, fact.tail_id), name=fact.predicate.replace("_", " "))
    return _drawn(drawn, _shown(graph, node))


def _shown(graph: Graph, node: str) -> str:
    """A label that matplotlib does not take for mathematics."""
    return graph.label(node).replace("$", r"\$")


def _drawn(graph: nx.DiGraph, centre: str) -> Svg:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.add_subplot()
    places = nx.spring_layout(graph, seed=1, k=1.6) if len(graph) else {}
    colours = ["#f2c14e" if name == centre else "#cfe0f1" for name in graph]
    nx.draw_networkx(
        graph, places, ax=axes, node_color=colours, node_size=900, font_size=7, edge_color="#888888", arrowsize=12
    )
    nx.draw_networkx_edge_labels(
        graph, places, nx.get_edge_attributes(graph, "name"), ax=axes, font_size=6, label_pos=0.5
    )
    axes.set_axis_off()
    return _svg(figure)


def overview(items: Sequence[Item]) -> Svg:
    """Hops, answer letters, proofs and the most frequent predicates of items, as four small charts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    charts = {
        "hops": [str(item["hops"]) for item in items],
        "letter of the key": [item["answer"] for item in items],
        "proofs of distractors": [proof for item in items for proof in item["option_proofs"] if proof != "key"],
        "predicate of the last hop": [item["path"][-1]["predicate"].replace("_", " ") for item in items],
    }
    for axes, (title, values) in zip(figure.subplots(2, 2).flat, charts.items(), strict=True):
        names = sorted(set(values), key=values.count, reverse=True)[:12][::-1]
        axes.barh(names, [values.count(name) for name in names], color="#3b6ea5")
        axes.set_title(title, fontsize=10)
        axes.tick_params(labelsize=7)
    return _svg(figure)


def _svg(figure: object) -> Svg:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})  # type: ignore[attr-defined]
    return Svg(text.getvalue()[text.getvalue().index("<svg") :])
