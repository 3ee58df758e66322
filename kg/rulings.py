"""Conflicts of the core with open layers that a person has ruled on: kg/data/core/resolved.tsv.

A row names what a layer states (or, of a complete list of the layer, what the core states and the list lacks) and what came
of it: `core` (the core is right, the layer errs or means something else; the conflict stays) or `mended` (one of the two was
mended, and the row tells why). Each has its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kg.comparison import Compared, Conflict
from kg.errors import InputError
from kg.sources.tables import read_tsv
from kg.stats import table

COLUMNS = ("layer", "head", "predicate", "tail", "ruling", "reason", "reference")
FILE = "resolved.tsv"
RULINGS = ("core", "mended")


class Ruling(NamedTuple):
    """What came of a conflict, and why. `place` is the row."""

    place: str
    ruling: str
    reason: str


Key = tuple[str, str, str, str]  # layer, head, predicate, tail


def read(folder: Path) -> dict[Key, Ruling]:
    """The rulings of a folder of core tables; none if it has no such table.

    Raises:
        InputError: an unknown ruling, no reason, or two rows of one conflict.
    """
    found: dict[Key, Ruling] = {}
    path = folder / FILE
    for row in read_tsv(path, COLUMNS) if path.exists() else ():
        cells = row.cells
        if cells["ruling"] not in RULINGS:
            raise InputError(f"{row.place}: ruling is {cells['ruling']!r}; write {' or '.join(RULINGS)}")
        if not cells["reason"]:
            raise InputError(f"{row.place}: gives no reason; say in 'reason' why the core is right or what was mended")
        key = (cells["layer"], cells["head"], cells["predicate"], cells["tail"])
        if key in found:
            raise InputError(f"{row.place}: the conflict has a row at {found[key].place}; make them one")
        found[key] = Ruling(row.place, cells["ruling"], cells["reason"])
    return found


def key(conflict: Conflict) -> Key:
    statement = conflict.statement
    return conflict.layer, statement.head, statement.predicate, statement.tail


def faults(conflicts: Sequence[Conflict], rulings: dict[Key, Ruling]) -> list[str]:
    """Conflicts without a ruling, and those of which a ruling says that they were mended."""
    found = []
    for conflict in conflicts:
        ruling = rulings.get(key(conflict))
        said = f"{conflict.layer} has {conflict.statement}; {conflict.kind}: {conflict.against}"
        if ruling is None:
            found.append(f"no ruling on: {said}; mend the core or the layer, and add a row to {FILE}")
        elif ruling.ruling == "mended":
            found.append(f"{ruling.place}: says that it was mended, but {said}; mend the core or the layer")
    return found


def told(areas: Sequence[Compared], rulings: dict[Key, Ruling]) -> str:
    """Agreements, conflicts and silences as tables, and each conflict with its ruling."""
    rows = [
        (
            made.area.name,
            made.area.layer,
            len(made.agree),
            len(made.differ),
            len(made.conflicts),
            len(made.only_core),
            len(made.only_layer),
        )
        for made in areas
    ]
    mended = sum(ruling.ruling == "mended" for ruling in rulings.values())
    parts = [
        "pairs of entities that both know\n"
        + table(rows, ("what", "layer", "agree", "other words", "conflicts", "core alone", "layer alone")),
        *(list(_conflicts(areas, rulings))),
        f"{mended} earlier conflicts are mended, nearly all in the core ({FILE} beside its tables says how)",
    ]
    return "\n\n".join(parts)


def _conflicts(areas: Iterable[Compared], rulings: dict[Key, Ruling]) -> Iterator[str]:
    conflicts = [conflict for made in areas for conflict in made.conflicts]
    for conflict in conflicts:
        ruling = rulings.get(key(conflict))
        said = f"the core is right: {ruling.reason}" if ruling else "no ruling yet"
        yield f"{conflict.layer}: {conflict.statement}\n    {conflict.kind}: {conflict.against}\n    {said}"
