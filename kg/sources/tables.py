"""Reading tab-separated tables so that every fault has a file, a row and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError, nearest

MAX_CELL = 10_000  # characters; no label, synonym list or note of a real table comes near


class Row(NamedTuple):
    """One data row. `place` is `file:line`, as editors understand it."""

    place: str
    cells: dict[str, str]


Report = Callable[[InputError], None]  # what takes a fault: raises it, or notes it so that the rest is read too


def stop(error: InputError) -> None:
    """The report that ends at the first fault."""
    raise error


def read_tsv(path: Path, columns: tuple[str, ...], report: Report = stop) -> Iterator[Row]:
    """Rows of a UTF-8 table with a header line; cells are stripped, a byte-order mark is ignored.

    Args:
        columns: names that the header must have, in any order; others are an error too.
        report: takes the faults; the table ends after one of the whole file, a faulty row is passed over.

    Raises:
        InputError: unreadable file, wrong encoding, NUL or huge cells, missing columns, wrong number of cells.
    """
    try:
        header, lines = _lines(path, columns)
    except InputError as error:
        report(error)
        return
    for number, line in enumerate(lines, start=2):
        if line.strip():
            try:
                row = _row(f"{path}:{number}", header, line.rstrip("\r"))
            except InputError as error:
                report(error)
            else:
                yield row


def _lines(path: Path, columns: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The header's names and the lines below it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: not UTF-8 (byte {error.start}); save the file as UTF-8") from error
    lines = text.split("\n")
    header = [name.strip() for name in lines[0].rstrip("\r").split("\t")]
    if missing := [name for name in columns if name not in header]:
        raise InputError(
            f"{path}:1: column {missing[0]!r} is missing; the header needs: {', '.join(columns)} (tab-separated)"
        )
    if more := [name for name in header if name not in columns]:
        raise InputError(f"{path}:1: unknown column {more[0]!r}; {nearest(more[0], columns)}")
    if twice := [name for name in columns if header.count(name) > 1]:
        raise InputError(f"{path}:1: column {twice[0]!r} stands there twice; keep one")
    return header, lines[1:]


def _row(place: str, header: list[str], line: str) -> Row:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) != len(header):
        raise InputError(
            f"{place}: {len(cells)} cells, but the header has {len(header)}; check for missing or extra tabs"
        )
    for name, cell in zip(header, cells, strict=True):
        if "\0" in cell:
            raise InputError(f"{place}: column {name!r} holds a NUL character; remove it")
        if len(cell) > MAX_CELL:
            raise InputError(f"{place}: column {name!r} holds {len(cell):,} characters; at most {MAX_CELL:,} are read")
    return Row(place, dict(zip(header, cells, strict=True)))


def split_list(cell: str) -> tuple[str, ...]:
    """A `|`-separated cell as a sorted tuple without blanks and doubles."""
    return tuple(sorted({part.strip() for part in cell.split("|")} - {""}))
