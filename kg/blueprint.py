"""The blueprint of the core: how many facts each topic should have of each predicate, as an author would plan a course.

kg/data/core/blueprint.tsv holds a cell a row, with the reason for its number. `python -m kg stats` tells which cells the
facts reach.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError, nearest
from kg.schema import Schema
from kg.sources.tables import Report, read_tsv, stop

COLUMNS = ("topic", "predicate", "wanted", "why")
FILE = "blueprint.tsv"


class Cell(NamedTuple):
    """A topic and a predicate, how many facts are wanted there and how many there are."""

    topic: str
    predicate: str
    wanted: int
    why: str
    have: int = 0

    @property
    def short(self) -> int:
        return max(0, self.wanted - self.have)


def read(folder: Path) -> list[Cell]:
    """The cells of a folder's blueprint, in the order of its rows; none if it has no blueprint.

    Raises:
        InputError: no such folder, or a faulty row.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder; give one of core tables")
    return [cell for _, cell in _cells(folder, stop)]


def _cells(folder: Path, report: Report) -> Iterator[tuple[str, Cell]]:
    path = folder / FILE
    for row in read_tsv(path, COLUMNS, report) if path.exists() else ():
        wanted = row.cells["wanted"]
        if wanted.isascii() and wanted.isdigit() and int(wanted) > 0:
            yield row.place, Cell(row.cells["topic"], row.cells["predicate"], int(wanted), row.cells["why"])
        else:
            report(InputError(f"{row.place}: wanted is {wanted!r}; give a whole number of facts, 1 or more"))


def check(folder: Path, schema: Schema, topics: Collection[str], report: Report) -> None:
    """Whether each row names a topic and a predicate that there are, gives a reason, and is the only one of its cell."""
    said: dict[tuple[str, str], str] = {}
    for place, cell in _cells(folder, report):
        entry = (cell.topic, cell.predicate)
        predicate = schema.predicates.get(cell.predicate)
        if cell.topic not in topics:
            report(InputError(f"{place}: no table of facts is called {cell.topic!r}; {nearest(cell.topic, topics)}"))
        if predicate is None or predicate.inverse_of:
            hint = nearest(cell.predicate, schema.stored)
            report(InputError(f"{place}: no facts are stored as {cell.predicate!r}; {hint}"))
        if not cell.why:
            report(InputError(f"{place}: gives no reason for {cell.wanted}; say in 'why' what the facts are"))
        if before := said.get(entry):
            report(InputError(f"{place}: the cell has a row at {before}; make them one"))
        said.setdefault(entry, place)
