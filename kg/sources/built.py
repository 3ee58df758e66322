"""A graph that `python -m kg build` or `import` wrote before (nodes.parquet, edges.parquet): as a layer of another.

Predicates and categories keep their names; the mapping finds those that the schema has.
"""

from __future__ import annotations

from pathlib import Path

from kg import store
from kg.sources.raw import Raw, Thing

FORMAT = "built"


def read(path: Path) -> Raw:
    """Read a built graph.

    Raises:
        InputError: a file is missing or lacks a column.
    """
    graph, _ = store.load(path)
    raw = Raw(FORMAT)
    for node in graph.nodes.values():
        raw.add(
            Thing(node.id, node.label, node.category, node.synonyms, node.xrefs, node.taxon, node.source, node.license)
        )
    for fact in graph.facts.values():
        raw.claim(
            fact.head_id,
            fact.predicate,
            fact.tail_id,
            qualifier=fact.qualifier,
            source=raw.share(fact.source),
            license=raw.share(fact.license),
            reference=fact.reference,
            negated=fact.negated,
            askable=fact.askable,
        )
    return raw
