"""What scores are split by: one value a facet for each item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from evaluation.asking import Item
from generation.prompt import LETTERS

FACETS = (
    "hops",
    "predicate",
    "metapath",
    "letter",
    "difficulty",
    "topic",
    "layer",
    "proof",
    "judged",
    "facts seen in training",
)
_STRENGTH = ("absent", "closed", "contradicted")  # weakest first
HARD, EASY = 0.2, 0.8  # pass rates below and above which an item is called hard and easy

Verdicts = Mapping[str, Mapping[str, Any]]  # item_id -> its row of verdicts.parquet


def facets(item: Item, verdicts: Verdicts, seen: frozenset[str] | None) -> dict[str, str]:
    """The facets of an item, by name; `letter` is that of the stored order.

    Args:
        seen: edge ids of the facts in training questions; None where there are none to compare with.
    """
    return {
        "hops": str(item["hops"]),
        "predicate": str(item["path"][-1]["predicate"]),
        "metapath": item["metapath"],
        "letter": item["answer"],
        "difficulty": _difficulty(verdicts.get(item["item_id"])),
        "topic": item["topic"],
        "layer": " + ".join(sorted({hop["layer"] for hop in item["path"]})),
        "proof": weakest_proof(item),
        "judged": str((verdicts.get(item["item_id"]) or {}).get("verdict") or "not judged"),
        "facts seen in training": "not known" if seen is None else _seen(item, seen),
    }


def weakest_proof(item: Item) -> str:
    """The weakest proof among the item's distractors."""
    proofs = set(item["option_proofs"])
    return next((proof for proof in _STRENGTH if proof in proofs), "none")


def _seen(item: Item, seen: frozenset[str]) -> str:
    return f"{sum(hop['edge_id'] in seen for hop in item['path'])} of {len(item['path'])}"


def _difficulty(verdict: Mapping[str, Any] | None) -> str:
    rate = (verdict or {}).get("pass_rate")
    if rate is None:
        return "not measured"
    return "hard" if rate < HARD else "easy" if rate > EASY else "middle"


def facts_of(items: Iterable[Item]) -> frozenset[str]:
    """Edge ids of all facts in the items' paths."""
    return frozenset(hop["edge_id"] for item in items for hop in item["path"])


def read_verdicts(folder: Path) -> Verdicts:
    """Rows of verdicts.parquet by item, with people's reviews over it; empty where nothing was judged."""
    rows: dict[str, dict[str, Any]] = {}
    for name in ("verdicts.parquet", "reviews.parquet"):
        if (folder / name).exists():
            wanted = [
                column
                for column in ("item_id", "verdict", "pass_rate")
                if column in pq.read_schema(folder / name).names
            ]
            for row in pq.read_table(folder / name, columns=wanted).to_pylist():
                rows[row["item_id"]] = rows.get(row["item_id"], {}) | row
    return rows


def facet_order(name: str, values: Sequence[str]) -> list[str]:
    """Values of a facet in the order of the report."""
    known = {
        "letter": list(LETTERS),
        "proof": ["contradicted", "closed", "absent"],
        "difficulty": ["easy", "middle", "hard"],
    }
    first = [value for value in known.get(name, []) if value in values]
    return [*first, *sorted(value for value in set(values) if value not in first)]
