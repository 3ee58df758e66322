"""Tables: every fault of a cell or a file is an InputError with file, line and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.sources.tables import MAX_CELL, Row, read_tsv, split_list

COLUMNS = ("head", "tail")


def rows(folder: Path, content: bytes | str) -> list[Row]:
    path = folder / "t.tsv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_tsv(path, COLUMNS))


def message(folder: Path, content: bytes | str) -> str:
    with pytest.raises(InputError) as caught:
        rows(folder, content)
    return str(caught.value)


def test_cells_are_stripped_and_places_are_file_and_line(tmp_path: Path) -> None:
    found = rows(tmp_path, "head\ttail\n a \tb\n\n\tc\n")
    assert [row.cells for row in found] == [{"head": "a", "tail": "b"}, {"head": "", "tail": "c"}]
    assert [row.place for row in found] == [f"{tmp_path / 't.tsv'}:2", f"{tmp_path / 't.tsv'}:4"]


@pytest.mark.parametrize(
    "text", ["\ufeffhead\ttail\na\tb\n", "head\ttail\r\na\tb\r\n", "tail\thead\nb\ta", " head \t tail \na\tb"]
)
def test_byte_order_mark_line_ends_and_column_order_do_not_matter(tmp_path: Path, text: str) -> None:
    assert rows(tmp_path, text)[0].cells == {"head": "a", "tail": "b"}


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.tsv: cannot be read: No such file.*check the path"):
        list(read_tsv(tmp_path / "nothing.tsv", COLUMNS))


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_tsv(tmp_path, COLUMNS))


def test_nul(tmp_path: Path) -> None:
    assert message(tmp_path, "head\ttail\na\tb\nc\td\0e\n").endswith(
        "t.tsv:3: column 'tail' holds a NUL character; remove it"
    )


def test_wrong_encoding_names_the_line(tmp_path: Path) -> None:
    assert "t.tsv:3: not UTF-8" in message(tmp_path, b"head\ttail\na\tb\nM\xe9ni\xe8re\tb\n")


def test_utf_16_is_refused(tmp_path: Path) -> None:
    assert "not UTF-8" in message(tmp_path, "head\ttail\na\tb\n".encode("utf-16"))


def test_a_million_characters_in_a_cell(tmp_path: Path) -> None:
    assert f"column 'tail' holds 1,000,000 characters; at most {MAX_CELL:,} are read" in message(
        tmp_path, f"head\ttail\na\t{'x' * 1_000_000}\n"
    )


def test_missing_column(tmp_path: Path) -> None:
    assert "t.tsv:1: column 'tail' is missing; the header needs: head, tail" in message(tmp_path, "head\tend\na\tb\n")


def test_empty_file(tmp_path: Path) -> None:
    assert "column 'head' is missing" in message(tmp_path, "")


def test_wrong_number_of_cells(tmp_path: Path) -> None:
    assert "t.tsv:2: 3 cells, but the header has 2" in message(tmp_path, "head\ttail\na\tb\tc\n")


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_an_input_error(tmp_path: Path, content: bytes) -> None:
    try:
        found = rows(tmp_path, b"head\ttail\n" + content)
    except InputError:
        return
    assert all(set(row.cells) == set(COLUMNS) for row in found)


def test_split_list() -> None:
    assert split_list(" b |a||b ") == ("a", "b")
    assert split_list("") == ()
