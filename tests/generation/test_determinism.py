"""Same seed, same bytes: whatever the workers, PYTHONHASHSEED and order of rows; and after a run that was killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kg import store
from kg.graph import Graph
from kg.schema import Schema
from tests.hand_made import on_topics

SMALL_SIZES = ("--sizes.sft_single=80", "--sizes.sft=20", "--sizes.grpo=6", "--sizes.test=6", "--caps.answer=1", "--caps.bridge=1", "--caps.metapath=1")  # fmt: skip
TOPICS = ("brainstem_cranial_nerves", "cerebellum", "synapses_plasticity", "channels_toxins", "basal_ganglia")
CORE_SIZES = ("--sizes.sft_single=300", "--sizes.sft=150", "--sizes.grpo=40", "--sizes.test=40")
FORKING = """
import os, sys
import matplotlib.figure, scipy.stats, sklearn.feature_extraction.text, sklearn.linear_model
from generation.__main__ import COMMANDS
from kg.command import run
for line in sys.stdin:
    child = os.fork()
    if not child:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1), os.dup2(nothing, 2)
        os._exit(run(COMMANDS, "python -m generation", words=line.split()))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def words(graph: Path, out: Path, sizes: Sequence[str], workers: int = 1) -> list[str]:
    return ["questions", "--graph", str(graph), "--out", str(out), f"--workers={workers}", *sizes]


def finish(graph: Path, out: Path, sizes: Sequence[str], workers: int = 1, hash_seed: str = "0") -> None:
    env = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-m", "generation", *words(graph, out, sizes, workers)]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 3), ran.stderr


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def saved(graph: Graph, schema: Schema, folder: Path) -> Path:
    store.save(graph, schema, folder, {"graph_sha256": graph.sha256})
    return folder


def shuffled(graph: Graph, seed: int) -> Graph:
    """The same rows in another order."""
    draw = random.Random(seed)
    parts = [dict(draw.sample(list(table.items()), len(table))) for table in (graph.nodes, graph.facts, graph.complete)]
    return Graph(parts[0], parts[1], parts[2], tuple(draw.sample(graph.merges, len(graph.merges))))


@pytest.fixture
def part_of_core(core_graph: Graph) -> Graph:
    """A fifth of the core: enough for several chunks of work, and quick."""
    return on_topics(core_graph, TOPICS)


def test_workers_hash_seed_and_order_of_rows_leave_every_byte_alone(
    part_of_core: Graph, schema: Schema, tmp_path: Path
) -> None:
    """Two whole runs that differ in all three."""
    graph = saved(part_of_core, schema, tmp_path / "graph")
    other = saved(shuffled(part_of_core, 3), schema, tmp_path / "other")
    assert pq.read_table(graph / "edges.parquet") != pq.read_table(other / "edges.parquet")
    finish(graph, tmp_path / "one", CORE_SIZES, workers=1, hash_seed="1")
    finish(other, tmp_path / "two", CORE_SIZES, workers=2, hash_seed="2")
    one, two = digests(tmp_path / "one"), digests(tmp_path / "two")
    assert len(one) == 8
    assert pq.read_metadata(tmp_path / "one" / "sft.parquet").num_rows == 450
    assert one == two


def test_a_killed_run_leaves_no_worker_behind(part_of_core: Graph, schema: Schema, tmp_path: Path) -> None:
    """Workers share the run's standard output: it ends when the last of them has."""
    graph = saved(part_of_core, schema, tmp_path / "graph")
    command = [sys.executable, "-m", "generation", *words(graph, tmp_path / "out", CORE_SIZES, workers=2)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not children(process.pid):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL


def children(process: int) -> list[str]:
    """Process ids of a process's children."""
    table = Path(f"/proc/{process}/task/{process}/children")
    if not table.parent.parent.parent.exists() or not table.exists():
        pytest.skip("this system does not list the children of a process under /proc")
    return table.read_text().split()


class Runs:
    """Runs of the command in processes forked from one that has loaded all modules, so that a moment is one of work."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, "-c", FORKING], text=True, **pipes)

    def ask(self, line: list[str]) -> int:
        """Start a run; its process id."""
        assert self.process.stdin is not None
        print(*line, file=self.process.stdin, flush=True)
        return self.number()

    def number(self) -> int:
        """What is told next: a process id, or (in the end) an exit code, below 0 for a signal."""
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        self.process.wait()


@pytest.fixture
def runs() -> Iterator[Runs]:
    made = Runs()
    yield made
    made.close()


def test_a_run_killed_at_ten_random_moments_leaves_whole_files_and_the_next_completes(
    runs: Runs, small_graph: Graph, small_schema: Schema, tmp_path: Path
) -> None:
    graph, out, draw = saved(small_graph, small_schema, tmp_path / "graph"), tmp_path / "out", random.Random(11)
    whole, seconds = undisturbed(runs, graph, tmp_path / "whole")
    killed = 0
    for moment in range(10):
        process = runs.ask(words(graph, out, SMALL_SIZES))
        time.sleep(seconds * (moment + draw.random()) / 11)
        with contextlib.suppress(ProcessLookupError):  # it was done before its moment came
            os.kill(process, signal.SIGKILL)
        killed += runs.number() == -signal.SIGKILL
        found = {name: known for name, known in digests(out).items() if name[0] != "."} if out.exists() else {}
        assert found.items() <= whole.items()
    assert killed >= 5, f"{killed} of 10 runs of {seconds:.1f} s were killed before they ended"
    runs.ask(words(graph, out, SMALL_SIZES))
    assert runs.number() == 0
    assert digests(out) == whole


def undisturbed(runs: Runs, graph: Path, out: Path) -> tuple[dict[str, str], float]:
    """Digests of a run that nobody disturbs, and its seconds; done twice over, since the first is slower."""
    runs.ask(words(graph, out, SMALL_SIZES))
    assert runs.number() == 0
    whole = digests(out)
    assert len(whole) == 8
    (out / "sft.parquet").write_bytes(b"damaged")
    started = time.perf_counter()
    runs.ask(words(graph, out, SMALL_SIZES))
    assert runs.number() == 0
    assert digests(out) == whole
    return whole, time.perf_counter() - started
