"""The rows that a judge reads, and the facts of their paths as sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from generation.item import ITEM, Item
from generation.judge.ask import Material, material
from generation.reasoning import sentence
from generation.stems import statement
from kg.closure import Closure
from kg.errors import InputError
from kg.store import load, read_rows, write_table

JUDGED = "judged_from"  # file metadata of a grpo split that a judge has filled
Tell = Callable[[str], str]


def open_closure(folder: Path) -> Closure:
    """The graph that the questions were made from."""
    return Closure(*load(folder))


def teller(closure: Closure) -> Tell:
    """Gives a fact, by its edge_id, as a sentence in the direction in which it is true."""

    def tell(edge_id: str) -> str:
        fact = closure.graph.facts.get(edge_id)
        if fact is None:
            raise InputError(
                f"fact {edge_id} of a question is not in the graph; give --graph the one the questions were made from"
            )
        return sentence(statement(closure, fact))

    return tell


def shown(rows: Sequence[Item], tell: Tell) -> list[Material]:
    """What a judge is shown of each row."""
    return [material(row, tell) for row in rows]


def read_split(questions: Path, split: str, limit: int | None = None) -> list[Item]:
    """Rows of a split; with `limit`, so many of them, drawn by the hash of their ids."""
    path = questions / f"{split}.parquet"
    if not path.exists():
        raise InputError(
            f"{path}: there is no such split; run `python -m generation make` first, or give --splits others"
        )
    rows = read_rows(path, ITEM)
    if limit is None:
        return rows
    return sorted(rows, key=lambda row: hashlib.sha256(row["item_id"].encode()).digest())[:limit]


class Pool(NamedTuple):
    """What the grpo split may be filled from: its candidates in order, and the ranked reserve."""

    candidates: list[Item]
    reserve: list[Item]


def grpo_pool(questions: Path) -> Pool:
    """The grpo candidates as the main job made them, also after a judge has filled the split, and their reserve."""
    own, kept = questions / "grpo.parquet", _kept(questions)
    filled = own.exists() and JUDGED.encode() in file_metadata(own)
    if filled and not kept.exists():
        raise InputError(f"{kept}: the candidates of the filled split are gone; make the questions again")
    candidates = read_rows(kept, ITEM) if filled else read_split(questions, "grpo")
    reserve = questions / "grpo_reserve.parquet"
    return Pool(candidates, read_rows(reserve, ITEM) if reserve.exists() else [])


def write_filled(questions: Path, candidates: Sequence[Item], rows: Sequence[Item], by: str) -> None:
    """Replace the grpo split by accepted rows; its candidates are kept beside the verdicts, so that a rerun starts anew."""
    own = questions / "grpo.parquet"
    metadata = {k.decode(): v.decode() for k, v in file_metadata(own).items() if not k.startswith(b"ARROW:")}
    if JUDGED not in metadata:
        write_table(_kept(questions), candidates, ITEM, metadata)
    write_table(own, rows, ITEM, {**metadata, JUDGED: by})


def _kept(questions: Path) -> Path:
    return questions / "judge" / "grpo_candidates.parquet"


def file_metadata(path: Path) -> dict[bytes, bytes]:
    """Key-value metadata of a Parquet file."""
    found: dict[bytes, bytes] | None = pq.read_schema(path).metadata
    return found or {}
