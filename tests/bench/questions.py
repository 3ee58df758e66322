"""Speed of the main job, as ratios in one run: `make bench`.

Prints items a second end to end and by stage, peak memory, and the ratio of CPU time to the floor: rendering the same
stems and reasonings with Jinja2 and writing the same table with pyarrow, nothing else. A second part makes questions of
graphs of growing size and prints the time a question.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from generation.item import ITEM, Item
from generation.make import Config, Made, make
from generation.prompt import LETTERS
from generation.splits import Sizes
from generation.stems import macros
from generation.workers import cpus
from kg import store
from kg.graph import Graph
from kg.schema import Schema
from kg.stats import table


def cpu() -> float:
    """CPU seconds of this process and its children so far."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def floor(items: list[Item]) -> float:
    """CPU seconds to render the texts of the items from finished pieces and to write their table."""
    start = cpu()
    stems, thoughts = macros("stems.j2"), macros("reasoning.j2")
    for item in items:
        str(stems.told_then(item["question"], item["source"]))
        lines = [
            {"letter": letter, "text": text, "right": proof == "key", "why": why}
            for letter, text, proof, why in zip(
                LETTERS, item["options"], item["option_proofs"], item["option_evidence"], strict=True
            )
        ]
        key = next(line for line in lines if line["right"])
        str(thoughts.plain([item["explanation"]], lines, key))
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.Table.from_pylist(items, schema=ITEM), Path(folder) / "items.parquet", compression="zstd")
    return cpu() - start


def main_job(graph: Graph, schema: Schema) -> Made:
    """Run the main job and print its figures."""
    start, clock = cpu(), time.perf_counter()
    made = make(graph, schema, Config(), cpus())
    used, wall = cpu() - start, time.perf_counter() - clock
    items = [item for part in made.items.values() for item in part]
    least = floor(items)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 2**20
    rows = [(stage, seconds, len(items) / seconds) for stage, seconds in made.seconds.items()]
    print(table([*rows, ("end to end", wall, len(items) / wall)], ("stage", "wall s", "items/s")))
    print(f"\n{len(items):,} items, {used:.1f} CPU s, floor {least:.1f} CPU s, ratio {used / least:.1f} (target 10)")
    print(f"peak memory of one process {peak:.2f} GiB (target 2)")
    return made


def growth(graph: Graph, schema: Schema) -> None:
    """CPU seconds a question for the same number of questions from a third, two thirds and all of the facts."""
    keys = sorted(graph.facts)
    sizes = Sizes(sft_single=1000, sft=1000, grpo=0, test=0)
    rows = []
    for share in (3, 2, 1):
        facts = {key: graph.facts[key] for place, key in enumerate(keys) if place % 3 < 4 - share}
        start = cpu()
        made = make(replace(graph, facts=facts), schema, Config(sizes=sizes), cpus())
        items = sum(map(len, made.items.values()))
        rows.append((len(facts), items, (cpu() - start) / max(1, items) * 1000))
    print("\n" + table(rows, ("facts", "questions", "CPU ms a question, paths and closure included")))


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/graph")
    loaded, vocabulary = store.load(folder)
    main_job(loaded, vocabulary)
    growth(loaded, vocabulary)
