"""The commands of the judge, as functions whose arguments are the options of the command line."""

from __future__ import annotations

from pathlib import Path

from generation.judge.config import Asking, Bar, Config, Fill, Judge, ReportConfig
from generation.judge.items import read_split
from generation.judge.report import judge_report
from generation.judge.reviews import merge_reviews
from generation.judge.stage import judge
from kg.errors import GateError

DEFAULT, REPORT = Config(), ReportConfig()


def run(
    judges: list[Judge] | None = None,
    questions: Path = DEFAULT.questions,
    graph: Path = DEFAULT.graph,
    splits: list[str] | None = None,
    asking: Asking = DEFAULT.asking,
    bar: Bar = DEFAULT.bar,
    batch: int = DEFAULT.batch,
    limit: int | None = None,
    fill: Fill = DEFAULT.fill,
) -> None:
    """Read the questions with a judge, keep its verdicts, and fill the grpo split with accepted items.

    Args:
        judges: one, or several that vote: '[{model: Qwen/Qwen3-14B}]'.
        questions: folder with the splits; verdicts go there too.
        graph: folder of the graph that the questions were made from.
        splits: which splits are read ([grpo, test]).
        asking: what is asked.
        bar: when a judge may be called validated.
        batch: items asked at a time, and kept together.
        limit: read only so many items of each split (all by default).
        fill: fill the grpo split with accepted items, from its reserve too: by a judge that is `validated`, `always`, or `never`.
    """
    config = Config(questions, graph, splits or DEFAULT.splits, judges or [], asking, bar, batch, limit, fill)
    outcome = judge(config)
    print(outcome.text(), flush=True)
    outcome.check()


def report(
    judges: list[Judge] | None = None,
    questions: Path = REPORT.questions,
    graph: Path = REPORT.graph,
    split: str = REPORT.split,
    asking: Asking = REPORT.asking,
    bar: Bar = REPORT.bar,
    planted: int = REPORT.planted,
    good: int = REPORT.good,
    batch: int = REPORT.batch,
    seed: int = REPORT.seed,
) -> None:
    """Plant faults, have the judge read them among good items, and print its report card; exit 4 below the bar.

    Args:
        judges: each gets a card of its own: '[{model: Qwen/Qwen3-14B}]'.
        questions: folder with the splits; the card goes there too.
        graph: folder of the graph that the questions were made from.
        split: where the items are taken from.
        asking: what is asked; a card holds for the same asking only.
        bar: what the card is measured by.
        planted: faulty items of each kind.
        good: good items among them.
        batch: items asked at a time.
        seed: draws items and faults.

    Raises:
        GateError: a judge does not pass the bar.
    """
    config = ReportConfig(questions, graph, split, judges or [], asking, bar, planted, good, batch, seed)
    cards = judge_report(config)
    print("\n\n".join(card.text(bar) for card in cards))
    if failed := [card.judge for card in cards if card.fails(bar)]:
        raise GateError(f"not validated: {', '.join(failed)}; its verdicts are kept, but are not called validated")


def reviews(table: Path, questions: Path = DEFAULT.questions) -> None:
    """Take people's verdicts in from a CSV file; they win over every model.

    Args:
        table: CSV with item_id, verdict (accept, reject, abstain), comment; reviewer and time if there are any.
        questions: folder with the splits.
    """
    splits = [split for split in ("grpo", "test", "sft") if (questions / f"{split}.parquet").exists()]
    known = {str(row["item_id"]) for split in splits for row in read_split(questions, split)}
    done = merge_reviews(table, questions, known)
    print(f"{done.read} reviews read, {done.replaced} replaced an earlier one, {done.total} in all")


def demo(questions: Path = DEFAULT.questions, graph: Path = DEFAULT.graph, items: int = 32) -> None:
    """Judge some items with the real vLLM on this machine's CPU and a small packaged model, in process and by a server.

    Args:
        questions: folder with the splits; only read.
        graph: folder of the graph that the questions were made from.
        items: how many are judged.
    """
    from generation.judge import demo as shown

    shown.demo(questions, graph, items)
