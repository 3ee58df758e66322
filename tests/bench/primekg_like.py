"""A file like PrimeKG's kg.csv for measuring: its header, its relations and kinds with their true counts, made-up things.

    python tests/bench/primekg_like.py build/kg.csv            # as large as PrimeKG: 8,100,498 rows, 129,375 things
    python tests/bench/primekg_like.py build/kg.csv 1000000    # so many facts, kinds and relations in proportion

Counts are those of Chandak, Huang, Zitnik 2023 (Scientific Data 10:67). Each edge stands in both directions, as there. Which
things an edge joins is drawn: with heavy tails (a few genes, drugs, tissues take most edges), and for hierarchies as trees
with some second parents. In a small file the densest relations are thinner, since fewer things have fewer pairs.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEADER = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n"
ROWS, THINGS = 8_100_498, 129_375


class Kind(NamedTuple):
    """A type of thing: its authority, how many there are, and the words that names of it end in."""

    source: str
    count: int
    endings: tuple[str, ...]


KINDS = {
    "biological_process": Kind("GO", 28_642, ("process", "transport", "signaling", "assembly")),
    "gene/protein": Kind("NCBI", 27_671, ()),
    "disease": Kind("MONDO", 17_080, ("syndrome", "disease", "disorder", "deficiency")),
    "effect/phenotype": Kind("HPO", 15_311, ("abnormality", "weakness", "rash", "pain")),
    "anatomy": Kind("UBERON", 14_035, ("muscle", "gland", "tissue", "region")),
    "molecular_function": Kind("GO", 11_169, ("activity", "binding")),
    "drug": Kind("DrugBank", 7_957, ("",)),
    "cellular_component": Kind("GO", 4_176, ("complex", "membrane", "body")),
    "pathway": Kind("REACTOME", 2_516, ("cascade", "pathway")),
    "exposure": Kind("CTD", 818, ("dust", "fume")),
}


class Relation(NamedTuple):
    """A relation: display names (drawn evenly), kinds of the ends in the first direction, rows in both directions."""

    name: str
    displays: tuple[str, ...]
    x: str
    y: str
    rows: int


_G, _D, _P, _B = "gene/protein", "disease", "effect/phenotype", "biological_process"
_TREE = ("parent-child",)
RELATIONS = tuple(
    Relation(*row)
    for row in (
        ("anatomy_protein_present", ("expression present",), "anatomy", _G, 3_036_406),
        ("drug_drug", ("synergistic interaction",), "drug", "drug", 2_672_628),
        ("protein_protein", ("ppi",), _G, _G, 642_150),
        ("disease_phenotype_positive", ("phenotype present",), _D, _P, 300_634),
        ("bioprocess_protein", ("interacts with",), _B, _G, 289_610),
        ("cellcomp_protein", ("interacts with",), "cellular_component", _G, 166_804),
        ("disease_protein", ("associated with",), _D, _G, 160_822),
        ("molfunc_protein", ("interacts with",), "molecular_function", _G, 139_060),
        ("drug_effect", ("side effect",), "drug", _P, 129_568),
        ("bioprocess_bioprocess", _TREE, _B, _B, 105_772),
        ("pathway_protein", ("interacts with",), "pathway", _G, 85_292),
        ("disease_disease", _TREE, _D, _D, 64_388),
        ("contraindication", ("contraindication",), "drug", _D, 61_350),
        ("drug_protein", ("target", "enzyme", "transporter", "carrier"), "drug", _G, 51_306),
        ("anatomy_protein_absent", ("expression absent",), "anatomy", _G, 39_774),
        ("phenotype_phenotype", _TREE, _P, _P, 37_472),
        ("anatomy_anatomy", _TREE, "anatomy", "anatomy", 28_064),
        ("molfunc_molfunc", _TREE, "molecular_function", "molecular_function", 27_148),
        ("indication", ("indication",), "drug", _D, 18_776),
        ("cellcomp_cellcomp", _TREE, "cellular_component", "cellular_component", 9_690),
        ("phenotype_protein", ("associated with",), _P, _G, 6_660),
        ("off-label use", ("off-label use",), "drug", _D, 5_136),
        ("pathway_pathway", _TREE, "pathway", "pathway", 5_070),
        ("exposure_disease", ("linked to",), "exposure", _D, 4_608),
        ("exposure_exposure", _TREE, "exposure", "exposure", 4_140),
        ("exposure_bioprocess", ("interacts with",), "exposure", _B, 3_250),
        ("exposure_protein", ("interacts with",), "exposure", _G, 2_424),
        ("disease_phenotype_negative", ("phenotype absent",), _D, _P, 2_386),
        ("exposure_molfunc", ("interacts with",), "exposure", "molecular_function", 90),
        ("exposure_cellcomp", ("interacts with",), "exposure", "cellular_component", 20),
    )
)
DENSEST = 0.25  # share of all pairs that a relation may take in a small file
TAIL = 2.0  # the end of an edge is thing number n * u**TAIL: half of all edges go to a quarter of the things
_SYLLABLES = "ba ce di fo gu ha ki lo mu ne pa qui ro sa te vu xa ze".split()
_STRIDE = 7_919  # a prime: neighbouring numbers get names that do not begin alike


def name(kind: str, number: int) -> str:
    """A name that no other thing of the kind has."""
    place = number * _STRIDE % 104_976  # 18 ** 4
    letters = []
    for _ in range(4):
        place, digit = divmod(place, len(_SYLLABLES))
        letters.append(_SYLLABLES[digit])
    word = "".join(letters)
    if kind == _G:
        return f"{word[:4].upper()}{number}"
    endings = KINDS[kind].endings
    return f"{word} {endings[number % len(endings)]}".strip()


def write(path: Path, facts: int = ROWS // 2, seed: int = 0) -> int:
    """Write the file and return its number of rows, which is twice that of its edges."""
    scale = 2 * facts / ROWS
    counts = {kind: max(40, round(entry.count * scale)) for kind, entry in KINDS.items()}
    first = dict(zip(counts, np.cumsum([0, *counts.values()]), strict=False))
    cells = {
        kind: [f"{first[kind] + n},{n + 1},{kind},{name(kind, n)},{KINDS[kind].source}" for n in range(count)]
        for kind, count in counts.items()
    }
    draw, rows = np.random.default_rng(seed), 0
    with path.open("w", encoding="utf-8") as out:
        out.write(HEADER)
        for relation in RELATIONS:
            xs, ys = _edges(draw, relation, counts, round(relation.rows * scale / 2))
            x_cells, y_cells = cells[relation.x], cells[relation.y]
            display = random.Random(seed).choices(relation.displays, k=len(xs))
            for x, y, shown in zip(xs.tolist(), ys.tolist(), display, strict=True):
                start = f"{relation.name},{shown},"
                out.write(f"{start}{x_cells[x]},{y_cells[y]}\n{start}{y_cells[y]},{x_cells[x]}\n")
            rows += 2 * len(xs)
    return rows


def _edges(
    draw: np.random.Generator, relation: Relation, counts: dict[str, int], wanted: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct pairs of numbers of things; of a tree the parent comes first and has the lower number."""
    many, more = counts[relation.x], counts[relation.y]
    wanted = max(1, min(wanted, int(DENSEST * many * more / (1 + (relation.x == relation.y)))))
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < wanted:
        size = 2 * wanted
        if relation.displays == _TREE:
            y = 1 + np.arange(size) % (more - 1)
            x = (y * draw.random(size) ** TAIL).astype(np.int64)
        else:
            x = (many * draw.random(size) ** TAIL).astype(np.int64)
            y = (more * draw.random(size) ** TAIL).astype(np.int64)
            if relation.x == relation.y:
                x, y = np.minimum(x, y), np.maximum(x, y)
        new = (x * more + y)[(x != y) | (relation.x != relation.y)]
        codes = np.concatenate([codes, new])
        _, places = np.unique(codes, return_index=True)
        codes = codes[np.sort(places)]
    codes = codes[:wanted]
    return codes // more, codes % more


if __name__ == "__main__":
    target = Path(sys.argv[1])
    made = write(target, int(sys.argv[2]) if len(sys.argv) > 2 else ROWS // 2)
    print(f"{made:,} rows in {target}")
