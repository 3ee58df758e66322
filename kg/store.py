"""The graph on disk: build/graph/{schema.yaml, nodes.parquet, edges.parquet, complete.parquet, merges.parquet}.

Columns of nodes and edges are those of the data contract (docs/contract.md). Files are written under
a temporary name and renamed, so that a file under its own name is always whole.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kg import wellformed
from kg.errors import InputError
from kg.graph import Complete, Fact, Graph, Layer, Merge, Node
from kg.schema import Schema

_TEXT = pa.string()
NODES = pa.schema(
    [("id", _TEXT), ("label", _TEXT), ("category", _TEXT), ("synonyms", pa.list_(_TEXT)), ("xrefs", pa.list_(_TEXT)),
     ("taxon", _TEXT), ("source", _TEXT), ("license", _TEXT)]
)  # fmt: skip
EDGES = pa.schema(
    [("edge_id", _TEXT), ("head_id", _TEXT), ("predicate", _TEXT), ("tail_id", _TEXT), ("qualifier", _TEXT),
     ("layer", _TEXT), ("source", _TEXT), ("license", _TEXT), ("reference", _TEXT), ("negated", pa.bool_()),
     ("askable", pa.bool_())]
)  # fmt: skip
COMPLETE = pa.schema([("entity_id", _TEXT), ("predicate", _TEXT), ("direction", _TEXT), ("reference", _TEXT)])
MERGES = pa.schema([(name, _TEXT) for name in Merge._fields])
BATCH = 1 << 17  # rows that are turned from objects into columns, or back, at a time


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name when the block ends well, and is removed otherwise.

    Raises:
        InputError: the folder cannot be written or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror}; choose a folder that can be, or free space"
        ) from error
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        settle(temporary)
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror or error}; free space or choose another folder"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: millions of facts hold no cycles, and looking for them costs a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def settle(path: Path) -> None:
    """Have a file on the disk; what is there already takes no time."""
    with path.open("rb") as written:
        os.fsync(written.fileno())


def sweep(folder: Path) -> None:
    """Remove what a killed run left under temporary names."""
    for left in folder.glob(".*.tmp") if folder.is_dir() else ():
        left.unlink(missing_ok=True)


def write_table(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema, metadata: Mapping[str, str]) -> None:
    """Write rows as one Parquet file with file metadata, atomically."""
    whole = schema.with_metadata(dict(sorted(metadata.items())))
    table = pa.Table.from_pylist(list(rows), schema=whole)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def save(graph: Graph, schema: Schema, folder: Path, metadata: Mapping[str, str]) -> None:
    """Write the graph. See the module's text for files; `metadata` goes into each Parquet file."""
    sweep(folder)
    with replacing(folder / "schema.yaml") as temporary:
        temporary.write_text(schema.source, encoding="utf-8")
    _write_objects(folder / "nodes.parquet", graph.nodes.values(), NODES, metadata)
    _write_objects(folder / "edges.parquet", graph.facts.values(), EDGES, metadata)
    complete = (dict(zip(COMPLETE.names, (*row, reference), strict=True)) for row, reference in graph.complete.items())
    write_table(folder / "complete.parquet", complete, COMPLETE, metadata)
    write_table(folder / "merges.parquet", (merge._asdict() for merge in graph.merges), MERGES, metadata)


def _write_objects(path: Path, rows: Collection[Node | Fact], schema: pa.Schema, metadata: Mapping[str, str]) -> None:
    """As `write_table`, column by column and `BATCH` rows at a time: millions of facts never become mappings."""
    whole = schema.with_metadata(dict(sorted(metadata.items())))
    left = iter(rows)
    parts = []
    while part := list(islice(left, BATCH)):
        columns = [pa.array([getattr(row, field.name) for row in part], field.type) for field in whole]
        parts.append(pa.RecordBatch.from_arrays(columns, schema=whole))
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_batches(parts, schema=whole), temporary, compression="zstd")


def load(folder: Path) -> tuple[Graph, Schema]:
    """Read what `save` wrote.

    Raises:
        InputError: a file is missing, unreadable, lacks a column or has one of another type, or a row is at fault
            (kg/wellformed.py).
    """
    if not (folder / "schema.yaml").exists():
        raise InputError(
            f"{folder}: holds no graph (there is no schema.yaml); make one with `make questions` or `python -m kg build`, "
            "or name its folder with --graph"
        )
    with uncollected():
        return _loaded(folder)


def _loaded(folder: Path) -> tuple[Graph, Schema]:
    schema = Schema.load(folder / "schema.yaml")
    nodes = [Node(**_tuples(row)) for row in read_rows(folder / "nodes.parquet", NODES)]
    facts = _facts(folder / "edges.parquet")
    complete = [Complete(*row.values()) for row in read_rows(folder / "complete.parquet", COMPLETE)]
    merges = tuple(Merge(**row) for row in read_rows(folder / "merges.parquet", MERGES))
    wellformed.check(schema, [Layer(str(folder), nodes, facts, complete=complete)])
    lists = {(row.entity_id, row.predicate, row.direction): row.reference for row in complete}
    return Graph({node.id: node for node in nodes}, {fact.edge_id: fact for fact in facts}, lists, merges), schema


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "synonyms": tuple(row["synonyms"] or ()), "xrefs": tuple(row["xrefs"] or ())}


def _facts(path: Path) -> list[Fact]:
    """Facts of edges.parquet; strings that recur (all but edge_ids) are one object each."""
    share: dict[str, str] = {}
    found: list[Fact] = []
    with _columns(path, EDGES) as table:
        for batch in table.select(list(Fact.__dataclass_fields__)).to_batches(BATCH):
            edge_ids, *rest = batch.columns
            found += map(Fact, edge_ids.to_pylist(), *(_shared(column, share) for column in rest))
    return found


def _shared(column: pa.Array, share: dict[str, str]) -> list[Any]:
    if column.type != _TEXT:
        values: list[Any] = column.to_pylist()
        return values
    encoded = column.dictionary_encode()
    words = [None if word is None else share.setdefault(word, word) for word in encoded.dictionary.to_pylist()]
    return [None if place is None else words[place] for place in encoded.indices.to_pylist()]


def read_rows(path: Path, schema: pa.Schema) -> list[dict[str, Any]]:
    """Rows of a Parquet file that must have the columns of `schema`."""
    with _columns(path, schema) as table:
        rows: list[dict[str, Any]] = table.to_pylist()
    return rows


@contextmanager
def _columns(path: Path, schema: pa.Schema) -> Iterator[pa.Table]:
    """The columns of `schema`; a fault in them, or in the values as they are read, is an InputError."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; run `python -m kg build`"
        ) from error
    if missing := [name for name in schema.names if name not in table.column_names]:
        raise InputError(f"{path}: column {missing[0]!r} is missing; it has {', '.join(table.column_names)}")
    try:
        yield table.select(schema.names).cast(schema)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: not of the graph's columns: {str(error).splitlines()[0]}; see docs/contract.md"
        ) from error
