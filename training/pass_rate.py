"""Pass rates: how often a model answers an item right, and the prompts that are worth training on.

A rollout table is a Parquet with the columns `item_id` and `right` (one row a completion); the tables that GRPO writes
(checkpoints/completions/) and those of `python -m training pass-rate` are such tables and can be used again. With 4
completions a group at accuracy 0.87 more than half of the groups carry no signal: keep prompts of rate 0.2 to 0.8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from generation.item import Item
from generation.prompt import parse_reply
from kg.errors import InputError
from kg.store import write_table
from training.recipe import PassRate

ROLLOUTS = pa.schema(
    [
        ("item_id", pa.string()),
        ("sample", pa.int64()),
        ("reply", pa.string()),
        ("parsed", pa.string()),
        ("right", pa.bool_()),
    ]
)


def rates(table: Path) -> dict[str, float]:
    """item_id -> share of right completions, from a rollout table or a folder of them.

    Raises:
        InputError: no table, or one without the two columns.
    """
    files = sorted(table.glob("*.parquet")) if table.is_dir() else [table]
    if not files or not files[0].exists():
        raise InputError(
            f"pass_rate.table {table}: not found; measure with `python -m training pass-rate`, or set it to null"
        )
    right: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for file in files:
        try:
            rows = pq.read_table(file, columns=["item_id", "right"]).to_pylist()
        except (OSError, pa.ArrowException, KeyError) as error:
            raise InputError(
                f"pass_rate.table {file}: needs the columns item_id and right: {str(error).splitlines()[0]}"
            ) from error
        for row in rows:
            tried[row["item_id"]] += 1
            right[row["item_id"]] += bool(row["right"])
    return {item: right[item] / count for item, count in tried.items()}


def keep(items: Sequence[Item], known: Mapping[str, float], band: PassRate, say: Callable[[str], None]) -> list[Item]:
    """Items whose rate lies in the band; what is left out is counted by reason."""
    if not 0 <= band.low <= band.high <= 1:
        raise InputError(f"pass_rate: band {band.low} to {band.high}; give 0 <= low <= high <= 1")
    reasons: Counter[str] = Counter()
    kept = []
    for item in items:
        rate = known.get(item["item_id"])
        reason = (
            "not measured"
            if rate is None
            else "too hard"
            if rate < band.low
            else "too easy"
            if rate > band.high
            else ""
        )
        reasons[reason or "kept"] += 1
        kept += [] if reason else [item]
    say(
        f"pass-rate filter {band.low} to {band.high}: "
        + ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    )
    return kept


def write_rollouts(
    out: Path, items: Sequence[Item], replies: Sequence[Sequence[str]], metadata: Mapping[str, str]
) -> dict[str, float]:
    """Write a rollout table; returns the rates. `replies[i]` are the samples of item i."""
    rows = []
    for item, samples in zip(items, replies, strict=True):
        for number, text in enumerate(samples):
            answer = parse_reply(text).answer
            rows.append(
                {
                    "item_id": item["item_id"],
                    "sample": number,
                    "reply": text,
                    "parsed": answer or "",
                    "right": answer == item["answer"],
                }
            )
    write_table(out, rows, ROLLOUTS, metadata)
    return rates(out)
