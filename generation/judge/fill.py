"""The grpo split filled with accepted items: its own candidates, then the ranked reserve.

The candidates are kept in `<questions>/judge/grpo_candidates.parquet`, so that another judge, or the same again, starts from
them. The split is replaced only by a judge that is validated, or when the user says so (`--fill always`): a judge at chance
would leave next to nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from generation.files import read_metadata
from generation.item import ITEM, Item
from generation.judge.items import read_split
from kg.errors import InputError
from kg.store import read_rows, write_table

JUDGED = "judged_from"  # file metadata of a grpo split that a judge has filled


class Pool(NamedTuple):
    """What the grpo split may be filled from: its candidates in order, and the ranked reserve."""

    candidates: list[Item]
    reserve: list[Item]


class Filled(NamedTuple):
    """The accepted items, how many of them are candidates, and how many of the reserve were read."""

    taken: list[Item]
    kept: int
    looked: int

    def told(self, pool: Pool) -> str:
        """In words."""
        wanted, count = len(pool.candidates), len(self.taken)
        end = ": full" if count == wanted else f"; the reserve is dry: {wanted - count} short of {wanted}"
        return (
            f"grpo: {self.kept} of {wanted} candidates accepted, {count - self.kept} of {self.looked} read from the "
            f"reserve of {len(pool.reserve)}{end}"
        )


def grpo_pool(questions: Path) -> Pool:
    """The grpo candidates as the main job made them, also after a judge has filled the split, and their reserve."""
    own, kept = questions / "grpo.parquet", _kept(questions)
    filled = own.exists() and JUDGED in read_metadata(own)
    if filled and not kept.exists():
        raise InputError(f"{kept}: the candidates of the filled split are gone; make the questions again")
    candidates = read_rows(kept, ITEM) if filled else read_split(questions, "grpo")
    reserve = questions / "grpo_reserve.parquet"
    return Pool(candidates, read_rows(reserve, ITEM) if reserve.exists() else [])


def filled(pool: Pool, verdicts: Mapping[str, str], read: Callable[[Sequence[Item]], Mapping[str, str]]) -> Filled:
    """Accepted candidates, then accepted items of the reserve in their rank, until the split is full or the reserve is dry.

    Args:
        verdicts: item_id -> verdict, of the candidates.
        read: has items of the reserve judged and gives their verdicts.
    """
    wanted, looked = len(pool.candidates), 0
    taken = [item for item in pool.candidates if verdicts.get(item["item_id"]) == "accept"]
    kept = len(taken)
    while len(taken) < wanted and looked < len(pool.reserve):
        part = pool.reserve[looked : looked + wanted - len(taken)]
        looked += len(part)
        found = read(part)
        taken += [item for item in part if found.get(item["item_id"]) == "accept"]
    return Filled(taken, kept, looked)


def write_filled(questions: Path, candidates: Sequence[Item], rows: Sequence[Item], by: str) -> None:
    """Replace the grpo split by accepted rows, and keep its candidates beside the verdicts."""
    own = questions / "grpo.parquet"
    metadata = read_metadata(own)
    if JUDGED not in metadata:
        write_table(_kept(questions), candidates, ITEM, metadata)
    write_table(own, rows, ITEM, {**metadata, JUDGED: by})


def _kept(questions: Path) -> Path:
    return questions / "judge" / "grpo_candidates.parquet"
