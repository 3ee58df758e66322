"""PrimeKG (Chandak, Huang, Zitnik 2023): `kg.csv`, one row an edge, every edge stored in both directions.

Its display relations are the same in both directions, so the direction in which a relation is true is decided by the
types of its ends (`TRUE_FROM`). `parent-child` is written parent first in the first of the two rows of a pair, as its
build notebook does. Rows named `missing` are left out.
"""

from __future__ import annotations

from pathlib import Path

from kg.sources import clean, rows
from kg.sources.raw import SUB_CLASS, Raw, Thing

FORMAT = "primekg"
COLUMNS = (
    "relation",
    "display_relation",
    "x_id",
    "x_type",
    "x_name",
    "x_source",
    "y_id",
    "y_type",
    "y_name",
    "y_source",
)
# relation -> type of the end from which it is true; relations between one type read the same both ways.
TRUE_FROM = {
    "drug_protein": "drug", "contraindication": "drug", "indication": "drug", "off-label use": "drug",
    "drug_effect": "drug",
    "disease_phenotype_positive": "disease", "disease_phenotype_negative": "disease", "disease_protein": "gene/protein",
    "phenotype_protein": "gene/protein", "molfunc_protein": "gene/protein", "cellcomp_protein": "gene/protein",
    "bioprocess_protein": "gene/protein", "pathway_protein": "gene/protein", "anatomy_protein_present": "gene/protein",
    "anatomy_protein_absent": "gene/protein", "exposure_protein": "exposure", "exposure_disease": "exposure",
    "exposure_bioprocess": "exposure", "exposure_molfunc": "exposure", "exposure_cellcomp": "exposure",
}  # fmt: skip
NEGATIVE = {
    "disease_phenotype_negative": "disease_phenotype_positive",
    "anatomy_protein_absent": "anatomy_protein_present",
}
_PREFIX = {"NCBI": "NCBIGene", "HPO": "HP", "DrugBank": "DRUGBANK", "REACTOME": "REACT", "CTD": "MESH"}
_PADDED = frozenset({"HP", "MONDO", "GO", "UBERON"})


def read(path: Path) -> Raw:
    """Read kg.csv. 8.1 million rows take about a minute and 2 GB.

    Raises:
        InputError: a column is missing or a row is broken (named by line).
    """
    raw = Raw(FORMAT)
    seen: set[tuple[str, str, str]] = set()
    ids: dict[tuple[str, str], str] = {}
    for _, cells in rows.cells(path, COLUMNS):
        relation, display, x_id, x_type, x_name, x_source, y_id, y_type, y_name, y_source = cells
        if x_name == "missing" or y_name == "missing":
            raw.dropped["row of a thing named `missing`"] += 1
            continue
        x = ids.get((x_source, x_id)) or _thing(raw, ids, x_source, x_id, x_type, x_name)
        y = ids.get((y_source, y_id)) or _thing(raw, ids, y_source, y_id, y_type, y_name)
        start = TRUE_FROM.get(relation)
        if start is not None and x_type != start and y_type == start:
            x, y = y, x
        pair = (relation, x, y) if start is not None or x < y else (relation, y, x)
        name = relation if relation != "drug_protein" else f"{relation}_{display}"
        entry = (name, pair[1], pair[2])
        if entry in seen:
            raw.dropped["the same edge in the other direction"] += 1
            continue
        seen.add(entry)
        if display == "parent-child":
            raw.claim(y, SUB_CLASS, x)
        else:
            raw.claim(x, NEGATIVE.get(name, name), y, negated=name in NEGATIVE)
    return raw


def _thing(raw: Raw, ids: dict[tuple[str, str], str], source: str, number: str, kind: str, name: str) -> str:
    prefix = _PREFIX.get(source, source)
    local = number.zfill(7) if prefix in _PADDED and number.isdigit() else number
    identity = ids[source, number] = f"{prefix}:{local}"
    xrefs = (f"symbol:{name}",) if kind == "gene/protein" else ()
    raw.add(Thing(identity, clean.label(name), raw.share(kind), xrefs=xrefs))
    return identity
