"""Throughput of the judge stage against calling vLLM directly with the same prompts, in one run: `make bench`.

    python tests/bench/judge.py [--model FOLDER --dtype bfloat16 --items 256]

The stage renders, asks, reads, decides and keeps verdicts; the direct call is one `LLM.chat` over the same messages and
sampling parameters. Both run `rounds` times in turn, each first in every other round, with an empty prefix cache; medians
are compared. CPU seconds stand beside them: where others use the machine too, they are the steadier figure.
Exit code 4 if the stage reaches less than 0.95 of the direct rate. Without vLLM nothing is measured, and that is said.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from generation.judge import Asking, Judge
from generation.judge.ask import Ask, Material, asks
from generation.judge.demo import MODEL
from generation.judge.engine import Engine
from generation.judge.items import open_closure, read_split, shown, teller
from generation.judge.packaged import smollm2
from generation.judge.run import Session
from generation.judge.shards import Shards
from kg.stats import table

WANTED = 0.95
ASKING = Asking()


class Took(NamedTuple):
    """Seconds on the wall, and of CPU in all threads."""

    wall: float
    cpu: float


def took(work: Callable[[], object]) -> Took:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


def through_the_stage(engine: Engine, items: list[Material]) -> Took:
    """Verdicts are kept in a new folder."""
    engine.llm.reset_prefix_cache()
    with tempfile.TemporaryDirectory() as folder:
        shards = Shards.open(Path(folder), engine.judge, ASKING)
        session = Session(engine.judge, ASKING, shards, batch=256, opener=lambda _: engine)
        return took(lambda: session.run(items))


def directly(engine: Engine, wanted: list[Ask]) -> Took:
    """One call."""
    engine.llm.reset_prefix_cache()
    params = [engine.sampling(ask, 0) for ask in wanted]
    messages = [ask.messages for ask in wanted]
    return took(lambda: engine.llm.chat(messages, params, use_tqdm=False, chat_template_kwargs=engine.judge.template))


def measure(engine: Engine, items: list[Material], rounds: int) -> dict[str, Took]:
    """Medians of both ways."""
    wanted = [ask for one in items for ask in asks(one, ASKING, engine.judge.seed)]
    ways = {"judge stage": lambda: through_the_stage(engine, items), "vLLM directly": lambda: directly(engine, wanted)}
    directly(engine, wanted[:16])  # warm
    seconds: dict[str, list[Took]] = {name: [] for name in ways}
    for turn in range(rounds):
        for name in sorted(ways, reverse=bool(turn % 2)):
            seconds[name].append(ways[name]())
    middle = {name: Took(*map(statistics.median, zip(*times, strict=True))) for name, times in seconds.items()}
    rows = [(name, len(wanted), len(wanted) / one.wall, one.wall, one.cpu) for name, one in middle.items()]
    print(table(rows, (f"{len(items)} items, {rounds} rounds", "requests", "requests/s", "wall s", "CPU s")))
    return middle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, default=Path("build/questions"))
    parser.add_argument("--graph", type=Path, default=Path("build/graph"))
    parser.add_argument("--model", help="the packaged SmolLM2 by default")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--items", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if importlib.util.find_spec("vllm") is None:
        print("judge stage: not measured, vLLM is not installed (make .venv/judge-cpu)")
        return 0
    items = shown(read_split(given.questions, "grpo", given.items), teller(open_closure(given.graph)))
    engine = Engine(Judge(model=given.model or str(smollm2(MODEL)), dtype=given.dtype))
    middle = measure(engine, items, given.rounds)
    stage, direct = middle["judge stage"], middle["vLLM directly"]
    ratio = direct.wall / stage.wall
    print(f"\nratio {ratio:.3f} (target {WANTED}); by CPU seconds {direct.cpu / stage.cpu:.3f}")
    return 0 if ratio >= WANTED else 4


if __name__ == "__main__":
    sys.exit(main())
