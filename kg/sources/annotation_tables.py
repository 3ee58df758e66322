"""Annotation tables: GAF (gene to GO term) and HPOA (disease to phenotype).

GAF: `NOT` rows are kept as denials, rows inferred without a curator (IEA, ND) are kept and not asked. HPOA: `NOT`
    rows are denials, frequencies become part of what may be asked only when they are frequent or obligate, and
    inheritance rows (aspect I) become their own predicate. Terms have no names in these files unless the ontology is
    given beside them (`kg import phenotype.hpoa hp.obo`).
"""

from __future__ import annotations

from pathlib import Path

from kg.errors import InputError
from kg.sources import clean, obo_graph
from kg.sources.opening import bare_name, numbered
from kg.sources.raw import Raw, Thing

GAF_ASPECTS = {"P": "involved_in", "F": "enables", "C": "located_in_component"}
NO_CURATOR = frozenset({"IEA", "ND"})
HPOA_COLUMNS = (
    "database_id",
    "disease_name",
    "qualifier",
    "hpo_id",
    "reference",
    "evidence",
    "onset",
    "frequency",
    "sex",
    "modifier",
    "aspect",
)
FREQUENT = frozenset({"HP:0040280", "HP:0040281", "HP:0040282"})  # obligate, very frequent, frequent
INHERITED = "has_mode_of_inheritance"


def read(paths: list[Path]) -> Raw:
    """Read annotation files, and ontologies (.obo) that name their terms.

    Raises:
        InputError: a row with too few columns (named by line).
    """
    raw = Raw("annotations")
    for path in sorted(paths, key=lambda one: not bare_name(one).endswith(".obo")):
        if bare_name(path).endswith(".obo"):
            _ontology(raw, path)
        elif _is_gaf(path):
            raw.format = "gaf"
            _gaf(raw, path)
        else:
            raw.format = "hpoa"
            _hpoa(raw, path)
    unnamed = {end for claim in raw.claims for end in (claim.head, claim.tail)} - set(raw.things)
    if unnamed:
        raw.notes.append(
            f"{len(unnamed):,} terms have no name here; give the ontology (go.obo, hp.obo) beside the annotations"
        )
    return raw


def _is_gaf(path: Path) -> bool:
    return (
        any(line.startswith("!gaf") for _, (_, line) in zip(range(5), numbered(path), strict=False))
        or ".gaf" in path.name
    )


def _ontology(raw: Raw, path: Path) -> None:
    found = obo_graph.read(path)
    for thing in found.things.values():
        raw.add(thing)
    raw.claims += found.claims
    raw.relations |= found.relations
    raw.dropped.update(found.dropped)


def _gaf(raw: Raw, path: Path) -> None:
    for number, line in numbered(path):
        if line.startswith("!") or not line:
            continue
        cells = line.split("\t")
        if len(cells) < 15:
            raise InputError(f"{path}:{number}: {len(cells)} columns, GAF has 17 (at least 15); fetch the file again")
        gene, relation, term = f"{cells[0]}:{cells[1]}", cells[3], cells[4]
        synonyms = tuple(clean.label(name) for name in cells[10].split("|") if name)
        taxon = cells[12].split("|")[0].replace("taxon:", "NCBITaxon:") or None
        if gene not in raw.things:
            raw.add(
                Thing(
                    gene,
                    clean.label(cells[2]),
                    "gene" if cells[11] != "protein" else "gene_or_protein",
                    synonyms,
                    (f"symbol:{cells[2]}",),
                    taxon,
                )
            )
        negated = "NOT" in relation.split("|")
        raw.claim(
            gene,
            GAF_ASPECTS.get(cells[8], relation.removeprefix("NOT|")),
            term,
            source=raw.share(cells[14]),
            reference=next((one for one in cells[5].split("|") if one.startswith("PMID:")), None),
            negated=negated,
            askable=cells[6] not in NO_CURATOR,
        )


def _hpoa(raw: Raw, path: Path) -> None:
    for number, line in numbered(path):
        if line.startswith(("#", "database_id")) or not line:
            if "version:" in line:
                raw.version = line.partition("version:")[2].strip()
            continue
        cells = dict(zip(HPOA_COLUMNS, line.split("\t"), strict=False))
        if len(cells) < len(HPOA_COLUMNS):
            raise InputError(f"{path}:{number}: {len(cells)} columns, HPOA has 12 (at least 11); fetch the file again")
        disease = cells["database_id"]
        raw.add(Thing(disease, clean.label(cells["disease_name"]), "disease"))
        if cells["aspect"] not in ("P", "I"):
            raw.dropped[f"row of aspect {cells['aspect']}"] += 1
            continue
        raw.claim(
            disease,
            "has_phenotype" if cells["aspect"] == "P" else INHERITED,
            cells["hpo_id"],
            reference=next((one for one in cells["reference"].split(";") if one.startswith("PMID:")), None),
            negated=cells["qualifier"] == "NOT",
            askable=cells["aspect"] == "I" or often(cells["frequency"]),
        )


def often(frequency: str) -> bool:
    """Whether a frequency says that at least 30 % of patients show it; a missing one says nothing, so no.

    >>> [often(text) for text in ("HP:0040281", "5/7", "45%", "1/20", "")]
    [True, True, True, False, False]
    """
    if frequency in FREQUENT:
        return True
    try:
        if "/" in frequency:
            some, all_ = frequency.split("/")
            return int(all_) > 0 and int(some) / int(all_) >= 0.3
        return frequency.endswith("%") and float(frequency.rstrip("%")) >= 30
    except ValueError:
        return False
