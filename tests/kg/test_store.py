"""The graph on disk: what is written is read back, and a damaged folder is an input error that names the file."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kg import store
from kg.errors import InputError
from kg.graph import Graph
from kg.schema import Schema

META = {"graph_sha256": "abc"}
Rows = list[dict[str, Any]]


@pytest.fixture
def folder(small_graph: Graph, small_schema: Schema, tmp_path: Path) -> Path:
    store.save(small_graph, small_schema, tmp_path / "graph", META)
    return tmp_path / "graph"


def rewrite(path: Path, change: Callable[[Rows], object], schema: pa.Schema | None = None) -> None:
    """Write a table anew after a change of its rows."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema or table.schema), path)


def message(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        store.load(folder)
    return str(caught.value)


# --- round trip ------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_back(small_graph: Graph, small_schema: Schema, folder: Path) -> None:
    loaded, schema = store.load(folder)
    assert loaded == small_graph
    assert (schema.categories, schema.predicates, schema.metapaths) == (
        small_schema.categories,
        small_schema.predicates,
        small_schema.metapaths,
    )


def test_columns_are_those_of_the_contract(folder: Path) -> None:
    nodes = "id label category synonyms xrefs taxon source license"
    edges = "edge_id head_id predicate tail_id qualifier layer source license reference negated askable"
    assert pq.read_schema(folder / "nodes.parquet").names == nodes.split()
    assert pq.read_schema(folder / "edges.parquet").names == edges.split()
    assert pq.read_schema(folder / "edges.parquet").metadata[b"graph_sha256"] == b"abc"


def test_the_order_of_rows_in_the_files_does_not_matter(small_graph: Graph, folder: Path) -> None:
    for name in ("nodes", "edges", "complete"):
        rewrite(folder / f"{name}.parquet", random.Random(3).shuffle)
    loaded, _ = store.load(folder)
    assert loaded.sha256 == small_graph.sha256


def test_an_empty_graph_can_be_stored(small_schema: Schema, tmp_path: Path) -> None:
    store.save(Graph({}, {}), small_schema, tmp_path, META)
    assert store.load(tmp_path)[0] == Graph({}, {})


def test_leftovers_of_a_killed_run_are_swept(small_graph: Graph, small_schema: Schema, folder: Path) -> None:
    (folder / ".nodes.parquet.abc.tmp").write_text("half")
    store.save(small_graph, small_schema, folder, META)
    assert sorted(path.name for path in folder.iterdir()) == [
        "complete.parquet",
        "edges.parquet",
        "merges.parquet",
        "nodes.parquet",
        "schema.yaml",
    ]


# --- damaged folders ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["schema.yaml", "nodes.parquet", "edges.parquet", "complete.parquet", "merges.parquet"]
)
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert name in message(folder)
    assert ("holds no graph" if name == "schema.yaml" else "cannot be read") in message(folder)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert "nowhere: holds no graph" in message(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"hello", b"PAR1", b"PAR1" + bytes(100) + b"PAR1"])
def test_a_file_that_is_no_parquet(folder: Path, content: bytes) -> None:
    (folder / "edges.parquet").write_bytes(content)
    assert "edges.parquet: cannot be read as Parquet" in message(folder)


def test_half_a_file(folder: Path) -> None:
    whole = (folder / "edges.parquet").read_bytes()
    (folder / "edges.parquet").write_bytes(whole[: len(whole) // 2])
    assert "edges.parquet: cannot be read as Parquet" in message(folder)


def test_a_flipped_byte_never_ends_in_a_traceback(folder: Path) -> None:
    """Damage is found or harmless; nothing but InputError comes out."""
    path, draw = folder / "nodes.parquet", random.Random(5)
    whole = path.read_bytes()
    found = 0
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(bytes(damaged))
        try:
            store.read_rows(path, store.NODES)
        except InputError:
            found += 1
    assert found > 20


def test_a_missing_column(folder: Path) -> None:
    table = pq.read_table(folder / "edges.parquet").drop_columns(["askable"])
    pq.write_table(table, folder / "edges.parquet")
    assert "edges.parquet: column 'askable' is missing; it has edge_id, head_id" in message(folder)


def test_a_column_of_another_type(folder: Path) -> None:
    table = pq.read_table(folder / "edges.parquet")
    numbers = pa.array([[1]] * table.num_rows, pa.list_(pa.int64()))
    pq.write_table(table.set_column(table.column_names.index("negated"), "negated", numbers), folder / "edges.parquet")
    assert "edges.parquet: not of the graph's columns" in message(folder)


def test_bytes_that_are_no_utf_8(folder: Path) -> None:
    """As a writer in another language can leave them: a string column with Latin-1 bytes."""
    table = pq.read_table(folder / "nodes.parquet")
    labels = pa.array([b"M\xe9ni\xe8re"] * table.num_rows, pa.binary())
    string = pa.Array.from_buffers(pa.string(), len(labels), labels.buffers())
    pq.write_table(table.set_column(1, "label", string), folder / "nodes.parquet")
    assert "nodes.parquet: not of the graph's columns" in message(folder)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("nodes", lambda rows: rows[0].update(category="nerv"), "unknown category 'nerv'; did you mean 'nerve'?"),
        ("nodes", lambda rows: rows[0].update(category=None), "unknown category None"),
        ("nodes", lambda rows: rows[0].update(label=None), "has no id or no label"),
        ("nodes", lambda rows: rows[0].update(label="a\0b"), "blank or holds a control character: 'a\\x00b'"),
        (
            "nodes",
            lambda rows: rows[0].update(label="x" * 1_000_000),
            "has 1,000,000 characters; at most 10,000 are read",
        ),
        ("nodes", lambda rows: rows.append({**rows[0], "label": "another"}), "has two labels"),
        ("nodes", lambda rows: rows.pop(0), "which is no node; add the node"),
        (
            "edges",
            lambda rows: rows[0].update(predicate="innervate"),
            "unknown predicate 'innervate'; did you mean 'innervates'?",
        ),
        ("edges", lambda rows: rows[0].update(tail_id="core:nothing"), "names 'core:nothing', which is no node"),
        ("edges", lambda rows: rows[0].update(head_id=None), "names None, which is no node"),
        ("complete", lambda rows: rows[0].update(predicate="x"), "a complete list is of the unknown predicate 'x'"),
    ],
)
def test_a_faulty_row_is_named(folder: Path, name: str, change: Callable[[Rows], object], said: str) -> None:
    rewrite(folder / f"{name}.parquet", change)
    assert said in message(folder)


def test_lists_that_are_null_are_empty(small_graph: Graph, folder: Path) -> None:
    rewrite(folder / "nodes.parquet", lambda rows: [row.update(synonyms=None) for row in rows])
    loaded, _ = store.load(folder)
    assert all(one.synonyms == () for one in loaded.nodes.values())
    assert loaded.nodes["core:trochlear-nerve"] == replace(small_graph.nodes["core:trochlear-nerve"], synonyms=())


# --- writing -------------------------------------------------------------------------------------------------------------


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), store.replacing(path) as temporary:
        temporary.write_text(f"new, but not whole {1 / 0}")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a.txt", "old")]


def test_a_folder_below_a_file_cannot_be_written(small_graph: Graph, small_schema: Schema, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        InputError, match=r"schema\.yaml: cannot be written: Not a directory; choose a folder that can be"
    ):
        store.save(small_graph, small_schema, tmp_path / "file" / "graph", META)


def test_a_folder_that_belongs_to_the_system_cannot_be_written(small_graph: Graph, small_schema: Schema) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        store.save(small_graph, small_schema, Path("/proc/graph"), META)


FULL = """
import resource, sys
from pathlib import Path
from kg import store
from kg.errors import InputError
graph, schema = store.load(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    store.save(graph, schema, Path(sys.argv[2]), {})
except InputError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def test_a_full_disk_is_an_input_error_and_leaves_no_half_file(folder: Path, tmp_path: Path) -> None:
    """The kernel refuses to write more than 4 kB, as a full disk would; the schema alone is larger."""
    out = tmp_path / "out"
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(folder), str(out)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (2, "")
    assert "schema.yaml: cannot be written: File too large; free space or choose another folder" in ran.stdout
    assert list(out.iterdir()) == []


def test_no_space_left(
    small_graph: Graph, small_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kg.store.os.fsync", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device; free space"):
        store.save(small_graph, small_schema, tmp_path / "out", META)
    assert list((tmp_path / "out").iterdir()) == []
