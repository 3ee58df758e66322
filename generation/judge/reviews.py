"""Verdicts of people, merged from a CSV file: they win over every model and measure it.

Columns: item_id, verdict (accept, reject or abstain), comment; reviewer and time if there are any. `reviews.parquet` holds
one row an item and reviewer; a later merge replaces an earlier row of the same two.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from generation.judge.figures import Share, kappa, share
from generation.judge.verdict import VERDICTS, Row, majority
from kg.errors import InputError, nearest
from kg.store import read_rows, write_table

_TEXT = pa.string()
REVIEW = pa.schema([(name, _TEXT) for name in ("item_id", "verdict", "comment", "reviewer", "time")])
FILE = "reviews.parquet"


class Merged(NamedTuple):
    """What a merge did: rows read, rows that replaced an earlier one, rows in all."""

    read: int
    replaced: int
    total: int


class WithPeople(NamedTuple):
    """Agreement of a judge with people over the items that both gave a verdict."""

    items: int
    same: Share
    kappa: float | None


def merge_reviews(table: Path, questions: Path, known: Collection[str], now: datetime | None = None) -> Merged:
    """Take the rows of a CSV file into `reviews.parquet`.

    Args:
        known: ids of all items of the data set.
        now: time of rows without one (the clock by default).

    Raises:
        InputError: no such file, a missing column, an unknown item or verdict; nothing is merged then.
    """
    stamp = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    fresh = {(row["item_id"], row["reviewer"]): row for row in _rows(table, known, stamp)}
    old = {(row["item_id"], row["reviewer"]): row for row in read_reviews(questions)}
    merged = {**old, **fresh}
    write_table(questions / FILE, [merged[key] for key in sorted(merged)], REVIEW, {})
    return Merged(len(fresh), len(old.keys() & fresh.keys()), len(merged))


def _rows(table: Path, known: Collection[str], stamp: str) -> Iterator[dict[str, str]]:
    try:
        text = table.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{table}: cannot be read: {error}; give a CSV file in UTF-8 with item_id, verdict, comment"
        ) from error
    reader = csv.DictReader(text.splitlines(keepends=True))
    if missing := [name for name in ("item_id", "verdict") if name not in (reader.fieldnames or ())]:
        raise InputError(
            f"{table}: column {missing[0]!r} is missing; it has {', '.join(reader.fieldnames or ['no columns'])}"
        )
    for row in reader:
        where = f"{table}, line {reader.line_num}"
        item_id, verdict = (row["item_id"] or "").strip(), (row["verdict"] or "").strip().lower()
        if item_id not in known:
            raise InputError(f"{where}: no item has the id {item_id!r}; was the review made for another data set?")
        if verdict not in VERDICTS:
            raise InputError(f"{where}: verdict {verdict!r} is unknown; {nearest(verdict, VERDICTS)}")
        further = {name: (row.get(name) or "").strip() for name in ("comment", "reviewer", "time")}
        yield {"item_id": item_id, "verdict": verdict, **further, "time": further["time"] or stamp}


def read_reviews(questions: Path) -> list[dict[str, str]]:
    """All reviews, none if there is no file."""
    path = questions / FILE
    return read_rows(path, REVIEW) if path.exists() else []


def people(questions: Path) -> dict[str, str]:
    """item_id -> the verdict of more than half of its reviewers, else `abstain`."""
    said: dict[str, list[str]] = defaultdict(list)
    for row in read_reviews(questions):
        said[row["item_id"]].append(row["verdict"])
    return {item_id: majority(verdicts) for item_id, verdicts in said.items()}


def final(rows: Mapping[str, Row], reviewed: Mapping[str, str]) -> dict[str, str]:
    """item_id -> the verdict that counts: people's if there is one, else the judges'."""
    return {**{item_id: str(row["verdict"]) for item_id, row in rows.items()}, **reviewed}


def agreement(rows: Mapping[str, Row], reviewed: Mapping[str, str]) -> WithPeople:
    """How far a judge agrees with people."""
    both = sorted(rows.keys() & reviewed.keys())
    model, person = [str(rows[i]["verdict"]) for i in both], [reviewed[i] for i in both]
    same = sum(a == b for a, b in zip(model, person, strict=True))
    return WithPeople(len(both), share(same, len(both)), kappa(model, person))
