"""Guide to Pharmacology, the table of interactions as it is downloaded (`interactions.csv`, `interactions.tsv`).

Columns `Target`, `Ligand`, `Type`, `Action` of the present release, or `target`, `ligand`, `type`, `action` of older
ones. The action decides the predicate; `None`, `Unknown` and mixed actions become binding. Facts about non-human
targets are kept with their species and not asked. The embedded layer (kg/sources/guide_to_pharmacology.py) is a
cleaned subset.
"""

from __future__ import annotations

from pathlib import Path

from kg.errors import InputError
from kg.sources import clean, rows
from kg.sources.raw import Raw, Thing

FORMAT = "guide_to_pharmacology"
LICENSE = "ODbL-1.0 AND CC-BY-SA-4.0"
NAMES = {
    "target": ("Target", "target"), "target_id": ("Target ID", "target_id"), "ligand": ("Ligand", "ligand"),
    "ligand_id": ("Ligand ID", "ligand_id"), "type": ("Type", "type"), "action": ("Action", "action"),
    "species": ("Target Species", "target_species"), "symbol": ("Target Gene Symbol", "target_gene_symbol"),
    "reference": ("PubMed ID", "pubmed_id"), "kind": ("Ligand Type", "ligand_type"),
    "endogenous": ("Endogenous", "endogenous"),
}  # fmt: skip
_ACTIONS = (  # the first that the action holds decides: `antagonist` holds `agonist`
    ("inverse agonist", "inhibitor"),
    ("antagonist", "antagonist"),
    ("agonist", "agonist"),
    ("blocker", "blocker"),
    ("inhibit", "inhibitor"),
    ("positive", "potentiates"),
    ("potentiation", "potentiates"),
    ("activat", "activator"),
    ("opener", "activator"),
)


def read(path: Path) -> Raw:
    """Read the table of interactions.

    Raises:
        InputError: target or ligand column missing.
    """
    header = rows.header(path)
    found = {role: next((name for name in names if name in header), "") for role, names in NAMES.items()}
    for role in ("target", "ligand", "action"):
        if not found[role]:
            raise InputError(f"{path}: no column {' or '.join(map(repr, NAMES[role]))}; give the table of interactions")
    raw = Raw(FORMAT)
    for row in rows.read(path):
        _take(raw, {role: row.values.get(column, "") for role, column in found.items()})
    return raw


def _take(raw: Raw, row: dict[str, str]) -> None:
    target, ligand = clean.label(row["target"]), clean.label(row["ligand"])
    if not target or not ligand:
        raw.dropped["row without target or ligand"] += 1
        return
    species = row["species"] or "Human"
    symbol = row["symbol"].split("|")[0]
    head = f"gtopdb:{row['ligand_id'] or ligand}"
    tail = f"gtopdb.target:{row['target_id'] or target}"
    raw.add(Thing(head, ligand, "chemical", license=LICENSE))
    raw.add(Thing(tail, target, "protein", xrefs=(f"symbol:{symbol}",) if symbol else (), license=LICENSE))
    reference = row["reference"].split("|")[0]
    raw.claim(
        head,
        _predicate(f"{row['action']} {row['type']}".lower()),
        tail,
        license=LICENSE,
        reference=f"PMID:{reference}" if reference.isdigit() else None,
        askable=species == "Human",
    )


def _predicate(action: str) -> str:
    return next((name for words, name in _ACTIONS if words in action), "binds")
