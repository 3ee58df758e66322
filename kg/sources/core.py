"""The curated core: one TSV of facts a topic, and beside them entities.tsv, complete.tsv, denied.tsv, blueprint.tsv.

Files lie in kg/data/core/ (or any folder of that form, `--core FOLDER`); kg/data/README.md tells how to add a
fact. Entity ids are `core:` and a slug of the label, so that a row needs nothing but names; genes get `gene:SYMBOL`,
the id that every layer uses for them. Rows are read in core_facts.py and core_lists.py; what `python -m kg check-core`
asks of a row beyond that stands in core_rules.py.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from kg.errors import InputError
from kg.graph import Layer
from kg.schema import Schema
from kg.sources import core_lists, core_rules
from kg.sources.core_facts import Reader, fact_rows
from kg.sources.tables import stop


def core_folder() -> Path:
    """The embedded tables."""
    return Path(str(resources.files("kg").joinpath("data/core")))


def load(schema: Schema, folder: Path | None = None) -> Layer:
    """Read the core.

    Raises:
        InputError: the first fault, with file and row (`python -m kg check-core` lists all).
    """
    folder = folder or core_folder()
    reader = Reader(schema)
    reader.take(fact_rows(folder, stop))
    return core_lists.layer(reader, folder, stop)


def faults(schema: Schema, folder: Path | None = None) -> list[str]:
    """Every fault of the tables: those of facts first, then of the tables beside them, then of the core as a whole.

    What stands later is read once all before it is clean, so that one mistake is told once.
    """
    folder = folder or core_folder()
    found: list[str] = []

    def note(error: InputError) -> None:
        found.append(str(error))

    reader = Reader(schema)
    rows = list(fact_rows(folder, note))
    reader.take(rows, note)
    core_rules.rows(rows, note)
    if found:
        return found
    layer = core_lists.layer(reader, folder, note)
    core_rules.lists(reader, folder, note)
    if not found:
        core_rules.whole(reader, layer, folder, note)
    return found
