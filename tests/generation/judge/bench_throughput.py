"""Throughput of the judge stage against calling vLLM directly with the same prompts, in one process, one run.

    python tests/generation/judge/bench_throughput.py --questions build/questions --graph build/graph --model FOLDER

The stage renders, asks, reads, decides and keeps verdicts; the direct call is one `LLM.chat` over the same messages and
sampling parameters. Both run `rounds` times in turn, with an empty prefix cache; the medians are compared. Seconds of CPU are printed
beside them: on a machine that others use too, they are the steadier figure.
Exit code 4 if the stage reaches less than 0.95 of the direct rate.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from generation.judge import Asking, Judge
from generation.judge.ask import Ask, Material, asks
from generation.judge.engine import Engine
from generation.judge.items import open_closure, read_split, shown, teller
from generation.judge.run import Session
from generation.judge.shards import Shards

WANTED = 0.95


class Took(NamedTuple):
    """Seconds on the wall, and of CPU in all threads."""

    wall: float
    cpu: float


def took(work: Callable[[], object]) -> Took:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


def through_the_stage(engine: Engine, judge: Judge, asking: Asking, items: list[Material]) -> Took:
    """Verdicts are kept in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(judge, asking, Shards.open(Path(folder), judge, asking), 256, lambda _: engine)
        return took(lambda: session.run(items))


def directly(engine: Engine, wanted: list[Ask]) -> Took:
    """One call."""
    params = [engine.sampling(ask, 0) for ask in wanted]
    messages = [ask.messages for ask in wanted]
    return took(lambda: engine.llm.chat(messages, params, use_tqdm=False, chat_template_kwargs=engine.judge.template))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, default=Path("build/questions"))
    parser.add_argument("--graph", type=Path, default=Path("build/graph"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--items", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    judge, asking = Judge(model=given.model, dtype=given.dtype), Asking()
    items = shown(read_split(given.questions, "grpo", given.items), teller(open_closure(given.graph)))
    wanted = [ask for one in items for ask in asks(one, asking, judge.seed)]
    engine = Engine(judge)
    directly(engine, wanted[:16])  # warm
    seconds: dict[str, list[Took]] = {"stage": [], "direct": []}
    for _ in range(given.rounds):
        engine.llm.reset_prefix_cache()
        seconds["direct"].append(directly(engine, wanted))
        engine.llm.reset_prefix_cache()
        seconds["stage"].append(through_the_stage(engine, judge, asking, items))
    rates = {name: len(wanted) / statistics.median(one.wall for one in times) for name, times in seconds.items()}
    cpu = {name: statistics.median(one.cpu for one in times) for name, times in seconds.items()}
    ratio = rates["stage"] / rates["direct"]
    print(
        f"judge stage: {rates['stage']:.2f} requests/s, vLLM directly: {rates['direct']:.2f}; ratio {ratio:.3f} (at least {WANTED} is wanted)"
    )
    print(
        f"CPU seconds: stage {cpu['stage']:.1f}, directly {cpu['direct']:.1f}; ratio {cpu['direct'] / cpu['stage']:.3f}"
    )
    print(f"{len(wanted)} requests of {len(items)} items, {given.rounds} rounds, seconds {seconds}")
    return 0 if ratio >= WANTED else 4


if __name__ == "__main__":
    sys.exit(main())
