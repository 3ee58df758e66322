"""How import and questions grow with a graph: synthetic PrimeKG files of 10^5, 10^6, ... rows, in one run.

    python tests/bench/import_scale.py                    # 10^5 and 10^6 rows
    python tests/bench/import_scale.py 100000 8100000     # PrimeKG's size

Each size runs in a process of its own, so that its peak of memory is its own. Printed: processor seconds to read the file, to map it,
to align it, and to index it, per 10^6 rows; milliseconds a question over 300 sources; peak memory in MiB. What is near-linear shows the same
seconds per 10^6 rows in every line.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from generation.distractors import Distractors
from kg import importing
from kg.closure import Closure
from kg.importing import Import
from kg.paths import Limits, singles
from kg.paths import Path as Walk

HEADER = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n"
SIZES = (100_000, 1_000_000)
NODES_SHARE = 0.016  # PrimeKG: 129 thousand things, 8.1 million rows
QUESTIONS = 300
# relation, display, kinds of x and y, share of rows (PrimeKG's proportions, rounded)
RELATIONS = (
    ("anatomy_protein_present", "expression present", "anatomy", "gene/protein", 0.37),
    ("drug_drug", "synergistic interaction", "drug", "drug", 0.31),
    ("protein_protein", "ppi", "gene/protein", "gene/protein", 0.08),
    ("disease_phenotype_positive", "phenotype present", "disease", "effect/phenotype", 0.04),
    ("bioprocess_protein", "interacts with", "biological_process", "gene/protein", 0.04),
    ("disease_protein", "associated with", "disease", "gene/protein", 0.03),
    ("drug_effect", "side effect", "drug", "effect/phenotype", 0.03),
    ("contraindication", "contraindication", "drug", "disease", 0.02),
    ("disease_disease", "parent-child", "disease", "disease", 0.02),
    ("drug_protein", "target", "drug", "gene/protein", 0.03),
    ("indication", "indication", "drug", "disease", 0.03),
)
SOURCES = {
    "anatomy": ("UBERON", 0.10), "gene/protein": ("NCBI", 0.25), "drug": ("DrugBank", 0.10), "disease": ("MONDO", 0.20),
    "effect/phenotype": ("HPO", 0.15), "biological_process": ("GO", 0.20),
}  # fmt: skip
_SYLLABLES = "ba ce di fo gu ha ki lo mu ne pa qui ro sa te vu xa ze".split()


def name(kind: str, number: int) -> str:
    """A name that no other thing has: syllables spell the number."""
    parts, rest = [], number
    for _ in range(4):
        rest, digit = divmod(rest, len(_SYLLABLES))
        parts.append(_SYLLABLES[digit])
    return f"{''.join(parts)} {kind[:3]}{number % 7}"


def write(path: Path, rows: int, seed: int = 0) -> None:
    """A file of so many rows, every edge in both directions."""
    draw = random.Random(seed)
    count = {kind: max(40, int(NODES_SHARE * rows * share)) for kind, (_, share) in SOURCES.items()}
    weights = [share for *_, share in RELATIONS]
    with path.open("w", encoding="utf-8") as out:
        out.write(HEADER)
        for _ in range(rows // 2):
            relation, display, x_kind, y_kind, _ = draw.choices(RELATIONS, weights)[0]
            ends = [(kind, int(count[kind] * draw.random() ** 1.6)) for kind in (x_kind, y_kind)]
            cells = [f"{n},{n},{kind},{name(kind, n)},{SOURCES[kind][0]}" for kind, n in ends]
            out.write(f"{relation},{display},{cells[0]},{cells[1]}\n{relation},{display},{cells[1]},{cells[0]}\n")


def measure(rows: int) -> dict[str, float]:
    """Times of one size, in seconds; `ms a question`; peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.csv"
        write(path, rows)
        clock = time.process_time()
        raw = importing.read([path])
        read = time.process_time()
        made = importing.from_raw(raw, [path], Import(files=(str(path),)))
        mapped = time.process_time()
        del raw
        graph = importing.build(made).graph
        aligned = time.process_time()
        closure = Closure(graph, made.schema)
        len(graph.out), len(graph.into)
        indexed = time.process_time()
        asked = list(singles(closure, Limits(), made.layer.dropped))
        listed = time.process_time()
        each = questions(closure, asked)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "facts": len(graph.facts), "askable paths": len(asked), "read": read - clock, "map": mapped - read, "align": aligned - mapped,
        "index": indexed - aligned, "paths": listed - indexed, "ms a question": each, "peak MiB": peak,
    }  # fmt: skip


def questions(closure: Closure, asked: list[Walk]) -> float:
    """Milliseconds to find the distractors of one path, over QUESTIONS paths, the pools being made."""
    draw = random.Random(1)
    chosen = draw.sample(asked, min(QUESTIONS, len(asked)))
    distractors = Distractors(closure, asked, 0)
    for path in chosen[:20]:
        distractors.find(path)
    started = time.process_time()
    for path in chosen:
        distractors.find(path)
    return 1000 * (time.process_time() - started) / max(1, len(chosen))


def main(sizes: list[int]) -> None:
    parts = ("read", "map", "align", "index", "paths")
    print(
        "rows       facts      "
        + "".join(f"{part:>8}" for part in parts)
        + "   (s per 10^6 rows)   ms a question   peak MiB"
    )
    for rows in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            made = pool.apply(measure, (rows,))
        shares = "".join(f"{1e6 * made[part] / rows:8.1f}" for part in parts)
        print(
            f"{rows:<10,} {int(made['facts']):<10,} {shares}{'':22}{made['ms a question']:12.2f} {made['peak MiB']:12,.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SIZES))
