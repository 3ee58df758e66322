"""Command line of the generation stage: `python -m generation COMMAND --help`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generation import card, export, files, longer, report, view
from generation.candidates import named
from generation.figures import OPEN_WORLD, as_rows, percent
from generation.item import Item
from generation.judge import commands as judging
from generation.make import Config, Made, check, make, shortfalls
from generation.openworld import hidden_layers
from generation.splits import Caps, Sizes
from generation.workers import cpus
from kg import store
from kg.command import run
from kg.errors import InputError, ShortfallError
from kg.paths import Limits
from kg.stats import table

QUESTIONS, GRAPH = Path("build/questions"), Path("build/graph")
DEFAULT, LONGER = Config(), longer.Config()
SHOWN = 12  # metapaths in the summary; the report has all


def questions(
    seed: int = DEFAULT.seed,
    sizes: Sizes = DEFAULT.sizes,
    limits: Limits = DEFAULT.limits,
    caps: Caps = DEFAULT.caps,
    graph: Path = GRAPH,
    out: Path = QUESTIONS,
    workers: int | None = None,
) -> None:
    """Make all questions of a built graph; exit 3 if an explicit count could not be reached.

    Args:
        seed: draws variants, letters and distractors.
        sizes: questions wanted a split.
        limits: bounds of a path (the strict rule).
        caps: greatest shares of an answer, a bridge, a metapath.
        graph: folder written by `python -m kg build`.
        out: folder to write to.
        workers: processes; all cores by default. The result does not depend on it.
    """
    config = Config(seed, sizes, limits, caps)
    check(config)
    at_least_one("--workers", workers)
    loaded, schema = store.load(graph)
    files.prepare(out)
    started = time.perf_counter()
    made = make(loaded, schema, config, workers or cpus())
    meta = files.metadata(config, loaded.sha256)
    hidden = hidden_layers(loaded, schema, config.limits, config.seed, workers=workers or cpus())
    data = report.report(made, hidden, report.NOT_JUDGED, meta)
    texts = {
        "report.json": report.as_json(data),
        "report.html": report.html(data, made.items),
        "README.md": card.card(data),
    }
    files.write_all(out, made.items, meta, texts)
    stale = files.remove_longer(out)
    print(summary(made, data, out, time.perf_counter() - started))
    if stale:
        print(f"{', '.join(stale)}: removed, made beside other questions; python -m generation longer makes them anew")
    if short := shortfalls(made):
        raise ShortfallError("; ".join(short) + ". Lower the count, or give a larger graph")


def at_least_one(option: str, number: int | None) -> None:
    """Raises InputError for a number below 1."""
    if number is not None and number < 1:
        raise InputError(f"{option}: {number} is out of range; give 1 or more")


def summary(made: Made, data: dict[str, Any], out: Path, seconds: float) -> str:
    """What a person wants to know at the end of a run."""
    rows = [(name, want, got, want - got) for name, (want, got, _) in made.asked.items()]
    items = [item for part in made.items.values() for item in part]
    proofs = [
        (
            name,
            *(
                sum(p == proof for i in part for p in i["option_proofs"])
                for proof in ("contradicted", "closed", "absent")
            ),
        )
        for name, part in made.items.items()
    ]
    lines = [
        table(rows, ("questions", "asked for", "reached", "short")),
        table(proofs, ("distractors", "contradicted", "closed", "absent")),
        _metapaths(items, made),
        _figures(data),
        report.shortage(data),
        f"{len(items):,} questions in {seconds:.0f} s, {report.NOT_JUDGED}. Read {out / 'report.html'}, or: {_show(out)}",
    ]
    return "\n\n".join(line for line in lines if line)


def _show(questions: Path) -> str:
    """The command that prints items of a folder."""
    return "python -m generation show" + ("" if questions == QUESTIONS else f" --questions {questions}")


def _metapaths(items: list[Item], made: Made) -> str:
    """What the most productive walks of two facts give: paths under the strict rule, and questions."""
    used = Counter(item["metapath"] for item in items if item["hops"] > 1)
    rows = [(name, made.supply[name], count) for name, count in used.most_common(SHOWN)]
    rest = len(used) - len(rows)
    more = f"\n({rest} more walks: {sum(used.values()) - sum(row[2] for row in rows):,} questions)" if rest > 0 else ""
    return table(rows, ("two-hop metapath", "paths", "questions")) + more if rows else ""


def _figures(data: dict[str, Any]) -> str:
    values = data["figures"].get("test", {})
    leaks = {name: str(number) for name, number in data["leaks"].items()}
    rows = [(row["figure"], row["shown"], row["target"], row["verdict"]) for row in as_rows(values)]
    rows += [(name, number, "0", "met" if number == "0" else "MISSED") for name, number in leaks.items()]
    rows += [
        (
            f"true distractors, {h['layer']} hidden",
            f"{h['true']}/{h['distractors']}",
            f"upper bound {percent(h['upper'])} {OPEN_WORLD.text}",
            report.verdict(h["upper"]),
        )
        for h in data["open_world"]
    ]
    return table(rows, ("test split", "value", "target", "")) if values else ""


def make_longer(
    seed: int = LONGER.seed,
    number: int | None = LONGER.number,
    limits: Limits = LONGER.limits,
    caps: Caps = LONGER.caps,
    graph: Path = GRAPH,
    questions: Path = QUESTIONS,
    workers: int | None = None,
) -> None:
    """Make test sets over three, four and five facts beside the splits; exit 3 if `number` could not be reached.

    Args:
        seed: draws variants, letters and distractors.
        number: questions wanted of each length; 500, or all that are sound, by default.
        limits: bounds of a path (the strict rule).
        caps: greatest shares of an answer, a bridge, a metapath in one set.
        graph: folder that the questions were made from.
        questions: folder of the splits; the sets are written there.
        workers: processes; all cores by default. The result does not depend on it.
    """
    config = longer.Config(seed, number, limits, caps)
    longer.check(config)
    at_least_one("--workers", workers)
    splits = {name: files.read_items(questions / f"{name}.parquet") for name in files.SPLITS}
    loaded, schema = store.load(graph)
    if files.made_from(questions / "test.parquet") != loaded.sha256:
        raise InputError(
            f"{questions}: made from another graph than {graph}; run `make questions`, or give --graph and --questions that belong together"
        )
    started = time.perf_counter()
    made = longer.longer(loaded, schema, splits, config, workers or cpus())
    meta = files.metadata(config, loaded.sha256)
    for name, items in made.items.items():
        files.write_split(questions / f"{name}.parquet", items, meta)
    print(longer.summary(made, splits))
    print(f"\n{sum(map(len, made.items.values())):,} questions in {time.perf_counter() - started:.0f} s")
    short = [f"{name}: {len(items):,}" for name, items in made.items.items() if len(items) < (number or 0)]
    if short:
        raise ShortfallError(f"fewer than {number:,} sound questions: {', '.join(short)}. Lower --number")


def show(
    item: str | None = None, questions: Path = QUESTIONS, split: str = "test", hops: int | None = None, number: int = 3
) -> None:
    """Print items with path, proofs and evidence: one by its id, or some drawn by hash.

    Args:
        item: an item_id, or the beginning of one.
        questions: folder written by `questions`.
        split: sft, grpo or test.
        hops: only items of so many hops.
        number: how many to show.
    """
    at_least_one("--number", number)
    rows = files.read_items(questions / f"{split}.parquet")
    chosen = [row for row in rows if item is None or row["item_id"].startswith(item)]
    chosen = [row for row in chosen if hops is None or row["hops"] == hops]
    if not chosen:
        wanted = " and ".join(
            [
                *([f"whose id begins with {item!r}"] if item else []),
                *([f"of {named(hops)}"] if hops is not None else []),
            ]
        )
        raise InputError(f"{questions / f'{split}.parquet'}: no item {wanted} among {len(rows):,}; try another --split")
    for row in chosen[:number] if item else view.drawn(chosen, number):
        print(view.text(row), end="\n\n")


COMMANDS: dict[str, Callable[..., Any]] = {
    "questions": questions,
    "longer": make_longer,
    "show": show,
    "export": export.export,
    "judge": judging.run,
    "judge-report": judging.report,
    "judge-demo": judging.demo,
    "reviews": judging.reviews,
}
OPTIONAL = {"show": "--item"}  # `show ITEM`

if __name__ == "__main__":
    sys.exit(run(COMMANDS, "python -m generation", optional=OPTIONAL))
