"""build/questions/ on disk: Parquet splits, report, dataset card, plain JSON of the test split.

Every file is written under a temporary name and renamed; leftovers of a killed run are swept first. File metadata of
every Parquet carries what the bytes depend on and nothing else (no workers, paths or times).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.item import ITEM, SCHEMA_VERSION, Item
from generation.prompt import LETTERS
from kg.errors import InputError
from kg.store import replacing, settle, sweep

SPLITS = ("sft", "grpo", "test")
LONGER = ("neurobench_3hop", "neurobench_4hop", "neurobench_5hop")  # made by generation/longer.py


def metadata(config: Any, graph_sha256: str) -> dict[str, str]:
    """File metadata of the splits; `config` is the dataclass of all that decides the items."""
    return {
        "schema_version": SCHEMA_VERSION,
        "config": json.dumps(asdict(config), sort_keys=True),
        "graph_sha256": graph_sha256,
        "seed": str(config.seed),
        "code_version": version("neuro-si"),
    }


def write_split(path: Path, items: Sequence[Item], meta: Mapping[str, str]) -> None:
    """Write rows in their order."""
    with replacing(path) as temporary:
        _write(temporary, items, meta)


def _write(path: Path, items: Sequence[Item], meta: Mapping[str, str]) -> None:
    pq.write_table(pa.Table.from_pylist(list(items), schema=ITEM.with_metadata(dict(meta))), path, compression="zstd")


def write_all(
    folder: Path, splits: Mapping[str, Sequence[Item]], meta: Mapping[str, str], texts: Mapping[str, str] | None = None
) -> None:
    """Write every split, the plain JSON of the test split and further files (name -> text).

    All of them take their names at the end, one right after the other: a run that is killed before leaves an older set
    as it was.
    """
    plain = [
        {key: item[key] for key in ("item_id", "question", "options", "answer", "reasoning", "explanation")}
        | {"path": [{k: hop[k] for k in ("head", "predicate", "tail", "inverse", "qualifier")} for hop in item["path"]]}
        for item in splits.get("test", ())
    ]
    plain_text = json.dumps(plain, ensure_ascii=False, indent=1) + "\n"
    with ExitStack() as together:
        temporary = []
        for name, items in splits.items():
            temporary.append(together.enter_context(replacing(folder / f"{name}.parquet")))
            _write(temporary[-1], items, meta)
        for name, text in {"neurobench_test_set.json": plain_text, **(texts or {})}.items():
            temporary.append(together.enter_context(replacing(folder / name)))
            temporary[-1].write_text(text, encoding="utf-8")
        for path in temporary:
            settle(path)  # so that nothing but renaming is left to do


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def prepare(folder: Path) -> None:
    """Make the folder and sweep what a killed run left.

    Raises:
        InputError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}; choose another folder with --out") from error
    sweep(folder)


def remove_longer(folder: Path) -> list[str]:
    """Remove the longer test sets: they are apart from the splits they were made beside, and from no others.

    Returns:
        names of those that were there.
    """
    found = [name for name in LONGER if (folder / f"{name}.parquet").exists()]
    for name in found:
        (folder / f"{name}.parquet").unlink()
    return found


def read_metadata(path: Path) -> dict[str, str]:
    """What was written into a split's file besides its rows: `metadata`, and more where a judge has filled it."""
    found: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
    return {key.decode(): value.decode() for key, value in found.items() if not key.startswith(b"ARROW:")}


def made_from(path: Path) -> str:
    """The sha256 of the graph that a split was made from ("" where the file does not say)."""
    return read_metadata(path).get("graph_sha256", "")


def read_items(path: Path) -> list[Item]:
    """Rows of a split.

    Raises:
        InputError: the file is missing, no Parquet, or not of the contract's schema.
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; run `make questions`"
        ) from error
    if missing := [name for name in ITEM.names if name not in table.column_names]:
        raise InputError(f"{path}: column {missing[0]!r} is missing: not a table of questions (docs/contract.md)")
    rows: list[dict[str, Any]] = _checked(table, path).to_pylist()
    return rows


def _checked(table: pa.Table, path: Path) -> pa.Table:
    """The table with the contract's types; options, their ids, proofs and evidence are as many as letters."""
    for field in ITEM:
        place, column = table.column_names.index(field.name), table.column(field.name)
        try:
            table = table.set_column(place, field.name, column.cast(field.type))
        except pa.ArrowException as error:
            raise InputError(
                f"{path}: column {field.name!r} holds {column.type}, not {field.type}: not a table of questions "
                "(docs/contract.md)"
            ) from error
    for name in ("options", "option_ids", "option_proofs", "option_evidence"):
        lengths = pc.fill_null(pc.list_value_length(table.column(name)), 0).to_pylist()
        for row, length in enumerate(lengths):
            if length != len(LETTERS):
                raise InputError(
                    f"{path}: row {row}: {name!r} has {length} entries, not {len(LETTERS)}; run `make questions`"
                )
    return table
