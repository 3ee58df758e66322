"""What a graph holds, as tables for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from kg.graph import Graph


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


def overview(graph: Graph) -> str:
    """Layers with their facts and licences, predicates by layer, and figures of the core."""
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
        _core(graph),
    ]
    return "\n\n".join(part for part in parts if part)


def _predicates(graph: Graph) -> str:
    layers = sorted({fact.layer for fact in graph.facts.values()})
    counts = Counter((fact.predicate, fact.layer) for fact in graph.facts.values() if fact.askable and not fact.negated)
    names = sorted({name for name, _ in counts}, key=lambda name: -sum(counts[name, layer] for layer in layers))
    rows = [(name, *(counts[name, layer] for layer in layers)) for name in names]
    return "askable facts by predicate\n" + table(rows, ("predicate", *layers))


def _core(graph: Graph) -> str:
    facts = [fact for fact in graph.facts.values() if fact.layer == "core"]
    if not facts:
        return ""
    degree = Counter(end for fact in graph.facts.values() for end in (fact.head_id, fact.tail_id))
    entities = {end for fact in facts for end in (fact.head_id, fact.tail_id)}
    topics = Counter(fact.source.partition("/")[2] for fact in facts)
    top, most = Counter(fact.predicate for fact in facts).most_common(1)[0]
    lines = [
        f"core: {len(facts):,} facts over {len(entities):,} entities, {len({f.predicate for f in facts})} predicates "
        f"(most used: {top}, {most / len(facts):.1%}), {sum(f.reference is not None for f in facts) / len(facts):.0%} with a reference",
        f"core entities in three or more facts: {sum(degree[e] >= 3 for e in entities) / len(entities):.0%}",
        table(topics.most_common(), ("topic", "facts")),
    ]
    return "\n".join(lines)
