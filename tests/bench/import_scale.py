"""How import and questions grow with a graph: files like PrimeKG's (primekg_like.py) of 10^5, 10^6, ... facts, in one run.

    python tests/bench/import_scale.py                       # 10^5 and 10^6 facts
    python tests/bench/import_scale.py 10000000              # other numbers of facts
    python tests/bench/import_scale.py primekg               # PrimeKG's size, by the two commands that a user types

Each size runs in a process of its own, so that its peak of memory is its own. Printed for a number of facts: processor seconds to
read the file, map it, align it, index it and list what may be asked, per 10^6 facts (near-linear: the same in every line);
milliseconds from a path to a finished question, over QUESTIONS of them (flat: the same in every line); peak memory. For `primekg`: wall
and processor seconds of `python -m kg import` and `python -m generation questions` with two workers, questions made, and the peak
of memory that all their processes held together (proportional set size; Linux).
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from generation.checks import truth
from generation.distractors import Distractors
from generation.item import Candidate
from generation.write import Writer
from kg import importing
from kg.closure import Closure
from kg.importing import Import
from kg.paths import Limits, singles
from kg.paths import Path as Walk

sys.path.insert(0, str(Path(__file__).parent))
import primekg_like

SIZES = ("100000", "1000000")
QUESTIONS = 500
WANTED = ("--sizes.sft_single", "50000")  # PrimeKG's logic proves little: questions of one fact are what it has most of
PARTS = ("read", "map", "align", "index", "list")
GIB = 2**30


def measure(facts: int) -> dict[str, float]:
    """Processor seconds of each part, `facts`, `paths`, `ms a question`, `peak` in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.csv"
        primekg_like.write(path, facts)
        clock = [time.process_time()]
        raw = importing.read([path])
        clock.append(time.process_time())
        made = importing.from_raw(raw, [path], Import(files=(str(path),)))
        clock.append(time.process_time())
        del raw
        graph = importing.build(made).graph
        clock.append(time.process_time())
        closure = Closure(graph, made.schema)
        len(graph.out), len(graph.into)
        clock.append(time.process_time())
        asked = list(singles(closure, Limits(), Counter()))
        clock.append(time.process_time())
        each = a_question(closure, asked)
    seconds = {part: end - start for part, start, end in zip(PARTS, clock, clock[1:], strict=False)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"facts": len(graph.facts), "paths": len(asked), "ms a question": each, "peak": peak, **seconds}


def a_question(closure: Closure, asked: list[Walk]) -> float:
    """Milliseconds of processor time from a path to a question that passed its gate, the pools of options being made."""
    chosen = random.Random(1).sample(asked, min(QUESTIONS, len(asked)))
    distractors = Distractors(closure, asked, 0)
    writer = Writer(closure, 0, distractors.foils)
    for path in chosen[:20]:
        distractors.find(path)
    started = time.process_time()
    for path in chosen:
        found = distractors.find(path)
        if not found.reason:
            truth(closure, writer.write(Candidate(path, found.category, found.distractors)))
    return 1000 * (time.process_time() - started) / max(1, len(chosen))


def grown(sizes: list[int]) -> None:
    """Print a line for each number of facts."""
    heads = "".join(f"{part:>8}" for part in PARTS)
    print(f"{'facts':>12}{heads}   s per 10^6 facts{'paths':>12}{'ms a question':>16}{'peak GiB':>10}")
    for facts in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            made = pool.apply(measure, (facts,))
        shares = "".join(f"{1e6 * made[part] / made['facts']:8.1f}" for part in PARTS)
        print(
            f"{int(made['facts']):>12,}{shares}{'':19}{int(made['paths']):>12,}{made['ms a question']:>16.2f}{made['peak'] / GIB:>10.2f}",
            flush=True,
        )


def primekg() -> None:
    """Print what PrimeKG's size costs from file to questions."""
    with tempfile.TemporaryDirectory() as folder:
        file, graph, questions = (str(Path(folder) / name) for name in ("kg.csv", "graph", "questions"))
        rows = primekg_like.write(Path(file))
        print(f"a file of {rows:,} rows like PrimeKG's, {Path(file).stat().st_size / GIB:.2f} GiB", flush=True)
        watched("import", "-m", "kg", "import", file, "--out", graph)
        watched(
            "questions",
            "-m",
            "generation",
            "questions",
            "--graph",
            graph,
            "--out",
            questions,
            "--workers",
            "2",
            *WANTED,
        )
        splits = {
            name: pq.read_metadata(Path(questions) / f"{name}.parquet").num_rows for name in ("sft", "grpo", "test")
        }
        print(
            f"{sum(splits.values()):,} questions ({', '.join(f'{name} {count:,}' for name, count in splits.items())})"
        )


def watched(name: str, *words: str) -> None:
    """Run Python with these words and print its time and the memory that it and its workers held together."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        peak = max(peak, sum(_held(pid) for pid in _family(child.pid)))
        time.sleep(0.5)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{name}: exit {child.returncode}, {time.perf_counter() - started:,.0f} s, {used:,.0f} processor s, peak {peak / GIB:.2f} GiB",
        flush=True,
    )


def _family(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def _held(pid: int) -> int:
    """Bytes that a process holds, shared pages counted in shares; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    words = sys.argv[1:] or SIZES
    grown([int(word) for word in words if word != "primekg"])
    if "primekg" in words:
        primekg()
