"""What changed between two graphs, and which questions that touches.

    old, new = load(Path("build/graph")), load(Path("other/graph"))
    changes = diff(old, new)
    print(told(changes, old, new, touched(changes, Path("build/questions"))))

A fact is known by its edge_id, which hashes what it says; a fact that says the same but has another source, licence,
reference or standing, or whose ends have other names, is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kg import store
from kg.errors import InputError
from kg.graph import Fact, Graph, Node

SHOWN = 20
SPLITS = "*.parquet"


class Change(NamedTuple):
    """A fact that is in both graphs, and the names of what differs (`license`, `head label`, ...)."""

    old: Fact
    new: Fact
    what: tuple[str, ...]


@dataclass(frozen=True)
class Diff:
    """Facts that are new, gone, or changed, in order of edge_id; nodes that are new or gone."""

    added: tuple[Fact, ...]
    removed: tuple[Fact, ...]
    changed: tuple[Change, ...]
    nodes_added: tuple[str, ...]
    nodes_removed: tuple[str, ...]

    @property
    def empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.nodes_added or self.nodes_removed)

    def edge_ids(self) -> dict[str, str]:
        """edge_id -> `removed` or `changed`: the facts that questions of the old graph may rest on."""
        gone = {fact.edge_id: "removed" for fact in self.removed}
        return gone | {change.old.edge_id: "changed" for change in self.changed}


def load(folder: Path) -> Graph:
    """A built graph. Raises InputError as `kg.store.load`."""
    return store.load(folder)[0]


def diff(old: Graph, new: Graph) -> Diff:
    """Compare two graphs.

    >>> graph = Graph({}, {})
    >>> diff(graph, graph).empty
    True
    """
    before, after = old.facts, new.facts
    changed = []
    for key in sorted(before.keys() & after.keys()):
        what = (*_differ(before[key], after[key]), *_names(old.nodes, new.nodes, before[key]))
        if what:
            changed.append(Change(before[key], after[key], what))
    return Diff(
        tuple(after[key] for key in sorted(after.keys() - before.keys())),
        tuple(before[key] for key in sorted(before.keys() - after.keys())),
        tuple(changed),
        tuple(sorted(new.nodes.keys() - old.nodes.keys())),
        tuple(sorted(old.nodes.keys() - new.nodes.keys())),
    )


def _differ(first: Fact, second: Fact) -> tuple[str, ...]:
    if first == second:
        return ()
    return tuple(one.name for one in fields(Fact) if getattr(first, one.name) != getattr(second, one.name))


def _names(old: Mapping[str, Node], new: Mapping[str, Node], fact: Fact) -> tuple[str, ...]:
    return tuple(
        f"{side} {name}"
        for side, end in (("head", fact.head_id), ("tail", fact.tail_id))
        for name in ("label", "category")
        if getattr(old[end], name) != getattr(new[end], name)
    )


class Touched(NamedTuple):
    """A question that rests on a fact that is gone or changed."""

    file: str
    item_id: str
    edge_id: str
    how: str


def touched(changes: Diff, questions: Path) -> list[Touched]:
    """Questions whose path holds a fact that is gone or changed.

    Args:
        questions: a folder of Parquet files in the form of build/questions/.

    Raises:
        InputError: the folder holds no questions, or a file cannot be read.
    """
    edges, found = changes.edge_ids(), []
    files = [
        path for path in sorted(questions.glob(SPLITS)) if path.name not in ("verdicts.parquet", "reviews.parquet")
    ]
    if not files:
        raise InputError(
            f"{questions}: holds no Parquet file of questions; run `make questions` or give another folder"
        )
    for path in files:
        for item_id, hops in _paths(path):
            found += [Touched(path.name, item_id, hop, edges[hop]) for hop in hops if hop in edges]
    return found


def _paths(path: Path) -> list[tuple[str, list[str]]]:
    try:
        table = pq.read_table(path, columns=["item_id", "path"])
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: is no file of questions: {str(error).splitlines()[0]}; give build/questions"
        ) from error
    rows = table.to_pylist()
    return [(row["item_id"], [hop["edge_id"] for hop in row["path"]]) for row in rows]


def told(changes: Diff, old: Graph, new: Graph, questions: list[Touched] | None = None) -> str:
    """The differences as plain text, with the first `SHOWN` of each kind; each fact by the names of its own graph."""
    lines = [
        f"{len(changes.added):,} facts added, {len(changes.removed):,} removed, {len(changes.changed):,} changed; "
        f"{len(changes.nodes_added):,} things added, {len(changes.nodes_removed):,} removed"
    ]
    for title, facts, graph in (("added", changes.added, new), ("removed", changes.removed, old)):
        lines += [f"{title}: {_told(fact, graph)}" for fact in facts[:SHOWN]]
        lines += [f"... and {len(facts) - SHOWN:,} more {title}"] if len(facts) > SHOWN else []
    lines += [f"changed ({', '.join(one.what)}): {_told(one.new, new)}" for one in changes.changed[:SHOWN]]
    if questions is not None:
        counts = Counter((one.file, one.how) for one in questions)
        first = sorted(questions, key=lambda one: one.how != "removed")
        number = len({(one.file, one.item_id) for one in questions})
        lines.append(f"{number:,} questions rest on a fact that is gone or changed")
        lines += [f"  {file}: {count:,} {how}" for (file, how), count in sorted(counts.items())]
        lines += [f"  {one.file} {one.item_id}: {one.edge_id} {one.how}" for one in first[:SHOWN]]
    return "\n".join(lines) + "\n"


def _told(fact: Fact, graph: Graph) -> str:
    ends = [graph.nodes[end].label if end in graph.nodes else end for end in (fact.head_id, fact.tail_id)]
    return f"{fact.edge_id}: {ends[0]} {'NOT ' if fact.negated else ''}{fact.predicate} {ends[1]}"
