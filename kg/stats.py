"""What a graph holds, as tables for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kg.blueprint import Cell
from kg.coverage import Coverage
from kg.graph import Graph
from kg.schema import Schema


def table(rows: Iterable[Sequence[object]], header: Sequence[str]) -> str:
    """A plain text table; numbers are right-aligned, thousands are marked."""
    cells = [
        [f"{c:,}" if isinstance(c, int) else f"{c:.2f}" if isinstance(c, float) else str(c) for c in row]
        for row in rows
    ]
    numeric = (
        [all(isinstance(row[n], int | float) for row in rows) for n in range(len(header))]
        if (rows := list(rows))
        else [False] * len(header)
    )
    widths = [max(len(row[n]) for row in [list(header), *cells]) for n in range(len(header))]
    lines = [
        [text.rjust(w) if right else text.ljust(w) for text, w, right in zip(row, widths, numeric, strict=True)]
        for row in [list(header), *cells]
    ]
    rule = ["-" * width for width in widths]
    return "\n".join("  ".join(line).rstrip() for line in [lines[0], rule, *lines[1:]])


def overview(graph: Graph, schema: Schema, blueprint: Sequence[Cell] = (), every_cell: bool = False) -> str:
    """Layers with their facts and licences, predicates by layer, and how the core measures up.

    Args:
        blueprint: what each topic of the core should hold.
        every_cell: show every cell of the blueprint, not only those that fall short.
    """
    layers: dict[str, Counter[str]] = defaultdict(Counter)
    for fact in graph.facts.values():
        layers[fact.layer].update(
            {"facts": 1, "askable": int(fact.askable and not fact.negated), "negated": int(fact.negated)}
        )
        layers[fact.layer]["referenced"] += fact.reference is not None
    licences = {fact.layer: fact.license for fact in graph.facts.values()}
    rows = [
        (n, c["facts"], c["askable"], c["negated"], c["referenced"], licences[n]) for n, c in sorted(layers.items())
    ]
    parts = [
        f"{len(graph.nodes):,} nodes, {len(graph.facts):,} facts, {len(graph.complete):,} complete lists, {len(graph.merges):,} merged entities",
        table(rows, ("layer", "facts", "askable", "negated", "referenced", "licence")),
        _predicates(graph),
        *_core(Coverage(graph, schema, blueprint), every_cell),
    ]
    return "\n\n".join(part for part in parts if part)


def _predicates(graph: Graph) -> str:
    layers = sorted({fact.layer for fact in graph.facts.values()})
    counts = Counter((fact.predicate, fact.layer) for fact in graph.facts.values() if fact.askable and not fact.negated)
    names = sorted({name for name, _ in counts}, key=lambda name: -sum(counts[name, layer] for layer in layers))
    rows = [(name, *(counts[name, layer] for layer in layers)) for name in names]
    return "askable facts by predicate\n" + table(rows, ("predicate", *layers))


def _core(core: Coverage, every_cell: bool) -> Iterator[str]:
    if not core.facts:
        return
    figures = [(figure.name, figure.value, figure.target, figure.verdict) for figure in core.figures()]
    yield "the core: facts that may be asked\n" + table(figures, ("figure", "value", "target", ""))
    yield table(core.by_topic(), ("topic", "facts", "predicates", "referenced", "complete lists", "cells reached"))
    cells = [cell for cell in core.cells if every_cell or cell.short]
    rows = [(cell.topic, cell.predicate, cell.wanted, cell.have, cell.short, cell.why) for cell in cells]
    if rows:
        head = (
            "cells of the blueprint"
            if every_cell
            else "cells of the blueprint that fall short (--every_cell true shows all)"
        )
        yield f"{head}\n" + table(rows, ("topic", "predicate", "wanted", "have", "short", "what is wanted"))
