"""What people decided about the Guide to Pharmacology: targets.tsv, ligands.tsv, asked.tsv (kg/data/sharealike/).

kg/sources/guide_to_pharmacology.py says what each is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kg.sources.tables import read_tsv, split_list


@dataclass(frozen=True)
class Target:
    """A row of targets.tsv. `acts_as`: label of the complex that drugs act on; `kind`: label of the wider class."""

    id: str
    label: str
    category: str
    acts_as: str
    kind: str
    symbol: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """A row of ligands.tsv. `category`: if empty, drug if approved, else compound. `kind`: label of the wider class."""

    label: str
    category: str
    kind: str
    synonyms: tuple[str, ...]


def targets(path: Path) -> dict[str, Target]:
    """Targets by their id in the source."""
    columns = ("target_id", "label", "category", "acts_as", "kind", "symbol", "synonyms", "source_name")
    return {
        c["target_id"]: Target(
            c["target_id"], c["label"], c["category"], c["acts_as"], c["kind"], c["symbol"], split_list(c["synonyms"])
        )
        for _, c in read_tsv(path, columns)
    }


def ligands(path: Path) -> dict[str, Known]:
    """Known ligands by their name in the source."""
    columns = ("source_name", "label", "category", "kind", "synonyms")
    return {
        c["source_name"]: Known(c["label"], c["category"], c["kind"], split_list(c["synonyms"]))
        for _, c in read_tsv(path, columns)
    }


def asked(path: Path) -> dict[tuple[str, str], bool]:
    """(ligand, target) -> whether to ask; `*` is any."""
    columns = ("ligand", "target", "ask", "note")
    return {(c["ligand"], c["target"]): c["ask"] == "1" for _, c in read_tsv(path, columns)}
