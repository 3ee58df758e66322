"""From replies on disk to an evaluation: which items, scores of each model, comparisons, baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.asking import Item
from evaluation.baselines import baselines
from evaluation.facets import facets, facts_of, read_verdicts
from evaluation.replies import Row, read
from evaluation.report import Evaluated
from evaluation.scores import Reader, outcomes, scores
from evaluation.statistics import compare
from generation.files import read_items
from kg import store
from kg.closure import Closure
from kg.errors import InputError
from kg.schema import Schema
from training.rewards import phrases_of


def evaluated(names: Sequence[str], split: str, questions: Path, out: Path, graph: Path, seed: int = 0) -> Evaluated:
    """Score the replies of some models on the items and orders that all of them were asked.

    Args:
        names: of models, earlier stages first. out: folder of the replies. graph: folder of the built graph.

    Raises:
        InputError: replies or questions are missing, or the models have no item in common.
    """
    rows = common({name: read(out / name / split) for name in names})
    asked = {row["item_id"] for row in rows[names[0]]}
    items: list[Item] = [item for item in read_items(questions / f"{split}.parquet") if item["item_id"] in asked]
    if len(items) < len(asked):
        raise InputError(
            f"{out}: {len(asked) - len(items):,} of {len(asked):,} items with replies are not in "
            f"{questions / split}.parquet; the questions were made anew: run with --restart true"
        )
    closure, schema = graph_of(graph)
    reader = Reader(schema)
    answered = {name: reader.answered(items, rows[name]) for name in names}
    train = training_items(questions)
    seen = facts_of(train) if train else None
    verdicts = read_verdicts(questions)
    parts = [facets(item, verdicts, seen) for item in items]
    return Evaluated(
        about=_about(split, items, rows[names[0]], seed),
        answered=answered,
        scores=[scores(name, answered[name], parts) for name in names],
        comparisons=compare(
            [outcomes(name, answered[name]) for name in names], [item["source_id"] for item in items], seed
        ),
        baselines=baselines(train, items, closure, seed),
        phrases=phrases_of(schema),
    )


def common(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Rows of the (item, rotation, sample) that every model has, in the order of the first.

    Only items that have all of the common orders and samples stay, so that every item counts alike.

    Raises:
        InputError: nothing in common.
    """
    keys = [{(row["item_id"], row["rotation"], row["sample"]) for row in found} for found in rows.values()]
    shared = set.intersection(*keys)
    counts: dict[str, int] = {}
    for item_id, _, _ in shared:
        counts[item_id] = counts.get(item_id, 0) + 1
    most = max(counts.values(), default=0)
    if not most:
        raise InputError(
            f"models {', '.join(rows)} have no reply to the same item in common; ask them with the same settings"
        )
    kept = {key for key in shared if counts[key[0]] == most}
    return {
        name: [row for row in found if (row["item_id"], row["rotation"], row["sample"]) in kept]
        for name, found in rows.items()
    }


def _about(split: str, items: Sequence[Item], rows: Sequence[Row], seed: int) -> dict[str, str]:
    return {
        "split": split,
        "items": f"{len(items):,}",
        "source entities": f"{len({item['source_id'] for item in items}):,}",
        "orders of the options": str(len({row["rotation"] for row in rows})),
        "samples": str(len({row["sample"] for row in rows})),
        "seed of the tests": str(seed),
    }


def graph_of(folder: Path) -> tuple[Closure | None, Schema]:
    """The graph and its schema, or no graph and the packaged schema where none was built."""
    if not (folder / "edges.parquet").exists():
        return None, Schema.load()
    graph, schema = store.load(folder)
    return Closure(graph, schema), schema


def training_items(questions: Path) -> list[Item]:
    """Questions that models are trained on (sft and grpo), as far as they are there."""
    found: list[Item] = []
    for name in ("sft", "grpo"):
        if (questions / f"{name}.parquet").exists():
            found += read_items(questions / f"{name}.parquet")
    return found
