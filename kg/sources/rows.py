"""Rows of a user's table, as mappings of column to text: CSV, TSV, JSON lines and Parquet, packed or not.

The delimiter is found by counting in the first lines. Memory stays at one row (one row group for Parquet).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kg.errors import InputError
from kg.sources.opening import bare_name, open_bytes, open_text

DELIMITERS = ("\t", ",", ";", "|")
LONGEST_FIELD = 1 << 20  # characters


class Row(NamedTuple):
    """A row and where it stands (line, or number of the record)."""

    line: int
    values: dict[str, str]


def header(path: Path, member: str | None = None) -> list[str]:
    """Column names of a table (keys of the first record for JSON lines).

    Raises:
        InputError: empty or unreadable.
    """
    if bare_name(path).endswith((".parquet", ".jsonl", ".ndjson")):
        first = next(read(path), None)
        return list(first.values) if first else []
    with open_text(path, member) as text:
        for line in text:
            if line.strip() and not line.startswith("#"):
                return next(csv.reader([line], delimiter=delimiter_of(line)))
    raise InputError(f"{path}: is empty; give a table with a header line")


def delimiter_of(line: str) -> str:
    """The likeliest delimiter of a header line."""
    return max(DELIMITERS, key=lambda mark: (line.count(mark), -DELIMITERS.index(mark)))


def read(path: Path, columns: list[str] | None = None, delimiter: str | None = None) -> Iterator[Row]:
    """Rows of a table.

    Args:
        columns: names for a table without a header line.
        delimiter: of a text table; found in its first line if not given.

    Raises:
        InputError: unreadable, or a row that does not fit the header (named by line).
    """
    name = bare_name(path)
    if name.endswith((".jsonl", ".ndjson")):
        return _json_lines(path)
    if name.endswith(".parquet"):
        return _parquet(path)
    return _delimited(path, columns, delimiter)


def cells(path: Path, names: Sequence[str], delimiter: str | None = None) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line, cells of the named columns) of a large delimited table with a header, without a mapping a row.

    Raises:
        InputError: a column is missing, or a row is shorter than the header.
    """
    csv.field_size_limit(LONGEST_FIELD)
    found = header(path)
    for name in names:
        if name not in found:
            raise InputError(f"{path}: no column {name!r} among {', '.join(found[:14])}; give a table that has it")
    pick = itemgetter(*(found.index(name) for name in names))
    with open_text(path) as text:
        first = next(text, "")
        mark = delimiter or delimiter_of(first)
        reader = csv.reader(text, delimiter=mark, quoting=csv.QUOTE_NONE if mark == "\t" else csv.QUOTE_MINIMAL)
        try:
            for row in reader:
                if row:
                    yield reader.line_num + 1, pick(row)
        except IndexError as error:
            raise InputError(
                f"{path}:{reader.line_num + 1}: fewer cells than the header names; mend the row"
            ) from error
        except csv.Error as error:
            raise InputError(
                f"{path}:{reader.line_num + 1}: {error}; check quotes and the length of the cells"
            ) from error


def _delimited(path: Path, columns: list[str] | None, delimiter: str | None) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with open_text(path) as text:
        lines = _Uncommented(text)
        first = next(lines, None)
        if first is None:
            raise InputError(f"{path}: is empty; give a table with a header line")
        mark = delimiter or delimiter_of(first)
        names = columns or [cell.strip() for cell in next(csv.reader([first], delimiter=mark))]
        if twice := next((name for place, name in enumerate(names) if name and name in names[:place]), None):
            raise InputError(f"{path}:{lines.number}: the header names the column {twice!r} twice; rename one")
        if columns:
            lines.back = first
        plain = mark in ("\t", "|")
        reader = csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL)
        try:
            for cells in reader:
                if cells:
                    yield Row(lines.number, _fitted(cells, names, path, lines.number))
        except csv.Error as error:
            raise InputError(f"{path}:{lines.number}: {error}; check quotes and the length of the cells") from error


class _Uncommented:
    """Lines that are not comments, with the number of the last one given."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.number, self.back = lines, 0, ""

    def __iter__(self) -> _Uncommented:
        return self

    def __next__(self) -> str:
        if self.back:
            line, self.back = self.back, ""
            return line
        for line in self.lines:
            self.number += 1
            if self.number == 1 and line.startswith("#") and "\t" in line:
                return line.lstrip("#")  # a header that is marked as a comment
            if line.strip() and not line.startswith("#"):
                return line.replace("\0", "")
        raise StopIteration


def _fitted(cells: list[str], names: list[str], path: Path, line: int) -> dict[str, str]:
    if len(cells) > len(names):
        extra = cells[len(names) :]
        if any(cell.strip() for cell in extra):
            raise InputError(
                f"{path}:{line}: {len(cells)} cells, but the header names {len(names)} columns; quote "
                "cells that hold the delimiter"
            )
    return {name: cell.strip() for name, cell in zip_longest(names, cells[: len(names)], fillvalue="")}


def _json_lines(path: Path) -> Iterator[Row]:
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                yield Row(number, flat(load_json(line, f"{path}:{number}"), f"{path}:{number}"))


def load_json(text: str, place: str) -> Any:
    """Parsed JSON; any fault as InputError that names the place."""
    try:
        found = json.loads(text)
        if "\\ud" in text or "\\uD" in text:  # an escape may be half a character, which no file can hold
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: holds half a character (a lone surrogate escape); remove it") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: is not JSON: {error}; mend the line") from error
    return found


def flat(record: Any, place: str) -> dict[str, str]:
    """A JSON object as columns of text; lists are joined with `|`, as KGX does."""
    if not isinstance(record, dict):
        raise InputError(f"{place}: expected an object, found {type(record).__name__}; write one {{...}} a line")
    return {str(key): text_of(value) for key, value in record.items()}


def text_of(value: Any) -> str:
    """A JSON or Arrow value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "|".join(text_of(one) for one in value)
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    return str(value).strip()


def _parquet(path: Path) -> Iterator[Row]:
    try:
        with open_bytes(path) as _:
            pass
        file = pq.ParquetFile(path)
        number = 0
        for batch in file.iter_batches(batch_size=1 << 14):
            for record in batch.to_pylist():
                number += 1
                yield Row(number, {key: text_of(value) for key, value in record.items()})
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; write the file anew"
        ) from error
