"""The rows that a judge reads, and the facts of their paths as sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from generation.item import ITEM, Item
from generation.judge.ask import Material, material
from generation.reasoning import sentence
from generation.stems import statement
from kg.closure import Closure
from kg.errors import InputError
from kg.store import load, read_rows

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
        raise InputError(f"{path}: there is no such split; run `make questions` first, or give --splits others")
    rows = read_rows(path, ITEM)
    if limit is None:
        return rows
    return sorted(rows, key=lambda row: hashlib.sha256(row["item_id"].encode()).digest())[:limit]
