"""Reading tab-separated tables so that every fault has a file, a row and a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError

MAX_CELL = 10_000  # characters; no label, synonym list or note of a real table comes near


class Row(NamedTuple):
    """One data row. `place` is `file:line`, as editors understand it."""

    place: str
    cells: dict[str, str]


def read_tsv(path: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    """Rows of a UTF-8 table with a header line; cells are stripped, a byte-order mark is ignored.

    Args:
        columns: names that the header must have, in any order; others are an error too.

    Raises:
        InputError: unreadable file, wrong encoding, NUL or huge cells, missing columns, wrong number of cells.
    """
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
    for number, text_line in enumerate(lines[1:], start=2):
        if text_line.strip():
            yield _row(f"{path}:{number}", header, text_line.rstrip("\r"))


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
