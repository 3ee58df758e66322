"""`make judge-demo`: real items, the real vLLM, once in this process and once through a real server, and a small report card.

The judge is the packaged SmolLM2-135M: its verdicts are at chance. What is shown is that the stage runs, that both
backends say the same, that a second run asks nothing, and that the report card exposes a judge that cannot judge.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from generation.item import ITEM
from generation.judge.answer import Backend
from generation.judge.config import Asking, Config, Judge, ReportConfig
from generation.judge.items import read_split
from generation.judge.local import LocalServer
from generation.judge.outcome import VERDICTS_FILE, Outcome
from generation.judge.packaged import smollm2
from generation.judge.report import judge_report
from generation.judge.run import open_backend
from generation.judge.stage import judge
from generation.judge.verdict import VERDICT
from kg.errors import GateError
from kg.store import read_rows, write_table

MODEL = Path("build/models/packaged/smollm2-135m-instruct")
OUT = Path("build/judge-demo")
ASKING = Asking(samples=1)


def demo(questions: Path, graph: Path, items: int = 32) -> None:
    """Run it in `build/judge-demo`; the questions themselves are only read. What was judged there before is not asked again.

    Raises:
        InputError: vLLM, the packaged model, questions or graph are missing.
        GateError: a second run asked something, or the backends disagree.
    """
    began = time.perf_counter()
    here = Judge(model=str(smollm2(MODEL)), dtype="float32")
    folders = {name: _sample(questions, OUT / name, items) for name in ("engine", "server")}
    config = Config(folders["engine"], graph, ["grpo"], [here], ASKING, batch=16, fill="never")
    _show(f"vLLM in this process, {items} items", judge(config), began)
    again = judge(config)
    _show("the same again", again, began)
    if any(again.asked.values()):
        raise GateError(f"the second run asked {again.asked}; nothing was to be asked")
    folder = _sample(questions, OUT / "card", 2000)
    report = ReportConfig(folder, graph, "grpo", [here], ASKING, planted=1, good=3)
    print(judge_report(report)[0].text(report.bar), flush=True)
    server = LocalServer(MODEL, OUT / "server.log")
    there = replace(here, model=server.name, backend="server", urls=[server.url], parallel=16, timeout=600.0)

    def served(one: Judge) -> Backend:
        server.start()
        return open_backend(one)

    try:
        outcome = judge(replace(config, questions=folders["server"], judges=[there]), served)
    finally:
        server.stop()
    _show(f"through a vLLM server on {server.url}", outcome, began)
    _compare(folders["engine"], folders["server"])
    print(
        "This judge is SmolLM2-135M, and its verdicts are at chance, as its report card shows: they prove the plumbing and say nothing of "
        f"the questions. Done in {time.perf_counter() - began:.0f} s."
    )


def _sample(questions: Path, folder: Path, items: int) -> Path:
    write_table(folder / "grpo.parquet", read_split(questions, "grpo", items), ITEM, {})
    return folder


def _show(title: str, outcome: Outcome, began: float) -> None:
    print(f"\n--- {title} ({time.perf_counter() - began:.0f} s)\n{outcome.text()}\n", flush=True)


def _compare(one: Path, other: Path) -> None:
    first, second = (read_rows(folder / VERDICTS_FILE, VERDICT) for folder in (one, other))
    same = sum(
        a["item_id"] == b["item_id"] and a["verdict"] == b["verdict"] for a, b in zip(first, second, strict=True)
    )
    print(f"engine and server give the same verdict for {same} of {len(first)} items")
    if same < len(first):
        raise GateError(f"engine and server disagree on {len(first) - same} of {len(first)} items in float32")
