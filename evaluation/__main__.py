"""Command line of the evaluation stage: `python -m evaluation COMMAND --help`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evaluation import audit as health
from evaluation import compare, report
from evaluation.config import OUT, QUESTIONS, Asking, Engine, Model, Sampling, models_of
from evaluation.export import export
from evaluation.run import collect, limited
from evaluation.semantic import audited
from evaluation.small_model import without_stem
from evaluation.trained import trained
from generation.files import LONGER, SPLITS, prepare, read_items, write_text
from generation.judge.reviews import people
from generation.openworld import hidden_layers
from kg.command import run as run_commands
from kg.errors import GateError, InputError
from kg.paths import Limits
from kg.stats import table

GRAPH, MODELS = Path("build/graph"), Path("build/models")
ASKING, SAMPLING, ENGINE = Asking(), Sampling(), Engine()


def run(
    models: list[str] | None = None,
    split: str = "test",
    asking: Asking = ASKING,
    sampling: Sampling = SAMPLING,
    engine: Engine = ENGINE,
    questions: Path | None = None,
    graph: Path = GRAPH,
    out: Path = OUT,
    restart: bool = False,
) -> None:
    """Ask models the questions of a split, score their replies, print the table and write the page.

    A run that was stopped goes on where it was.

    Args:
        models: name=folder pairs, earlier stages first: base=... sft=... grpo=... Without any: the stages of the
            recipe under build/models that was trained last, asked its own questions if it made some.
        split: name of a file in the questions' folder: test, or neurobench_3hop, ...
        asking: which items, how often.
        sampling: how replies are drawn.
        engine: what makes the replies.
        questions: folder of the questions (build/questions).
        graph: folder of the graph they were made from.
        out: folder to write to.
        restart: throw away earlier replies of these models to this split.
    """
    found, folder = _asked(models, split, questions)
    prepare(out)
    items = limited(_not_rejected(read_items(folder / f"{split}.parquet"), folder), asking)
    for model in found:
        collect(model, items, asking, engine, sampling, out / model.name / split, restart)
    _write([model.name for model in found], split, folder, graph, out, page=True)


def _not_rejected(items: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """The items but those that people rejected (`python -m generation reviews`)."""
    said = people(folder)
    kept = [item for item in items if said.get(item["item_id"]) != "reject"]
    if len(kept) < len(items):
        print(f"Rejected by people and left out: {len(items) - len(kept):,}.")
    return kept


def _asked(models: list[str] | None, split: str, questions: Path | None) -> tuple[list[Model], Path]:
    """The models, and the folder of the questions that they are asked."""
    if models:
        return models_of(models), questions or QUESTIONS
    last = trained(MODELS)
    folder = questions or (last.questions if split == "test" and last.questions else QUESTIONS)
    print(f"Models of the recipe {last.recipe}: {', '.join(one.name for one in last.models)}; questions of {folder}.")
    return last.models, folder


def score(
    models: list[str] | None = None,
    split: str = "test",
    questions: Path = QUESTIONS,
    graph: Path = GRAPH,
    out: Path = OUT,
) -> None:
    """Score replies that are there already; prints the table and writes scores.json.

    Args:
        models: names, earlier stages first.
        split: which split.
        questions: folder of the questions.
        graph: folder of the graph they were made from.
        out: folder of the replies.
    """
    _write(_names(models or []), split, questions, graph, out, page=False)


def page(
    models: list[str] | None = None,
    split: str = "test",
    questions: Path = QUESTIONS,
    graph: Path = GRAPH,
    out: Path = OUT,
) -> None:
    """Score replies that are there already, and write the page too.

    Args:
        models: names, earlier stages first.
        split: which split.
        questions: folder of the questions.
        graph: folder of the graph they were made from.
        out: folder of the replies.
    """
    _write(_names(models or []), split, questions, graph, out, page=True)


def audit(
    questions: Path = QUESTIONS,
    graph: Path = GRAPH,
    thresholds: Path = health.THRESHOLDS,
    hidden: bool = True,
    semantic: bool = False,
    model: str | None = None,
    seed: int = 0,
) -> None:
    """Audit the questions themselves: shortcuts, duplicates, flaws, overlap; exit 4 when a gate fails.

    Writes audit.json and audit.html beside the questions.

    Args:
        questions: folder of the questions.
        graph: folder of the graph they were made from; without one the graph's own figures are left out.
        thresholds: YAML of the gates.
        hidden: hide each layer in turn and look distractors up in it (takes a minute or so).
        semantic: seek near-duplicates by meaning too, with a packaged embedding model (takes minutes on a CPU).
        model: a small language model that is shown the options without the stem (a folder; slow on a CPU).
        seed: of the classifiers.
    """
    bounds = health.gates(thresholds)
    splits = {
        name: read_items(questions / f"{name}.parquet")
        for name in (*SPLITS, *LONGER)
        if (questions / f"{name}.parquet").exists()
    }
    if not splits:
        raise InputError(f"{questions}: no sft, grpo or test.parquet; run `make questions` first, or give --questions")
    closure, _ = compare.graph_of(graph)
    more, alike = audited(splits) if semantic else ({}, {})
    if model:
        more = {name: [*more.get(name, ()), without_stem(model, splits[name])] for name in splits if name != "sft"}
    found = health.audit(splits, closure, seed, more)
    found.duplicates |= alike
    if closure is not None and hidden:
        layers = hidden_layers(closure.graph, closure.schema, Limits(), seed)
        found.open_world = [one._asdict() for one in layers]
        found.figures[health.ALL] |= {
            f"true distractors, {one.layer} hidden": health.bound(one.true, one.distractors, one.upper)
            for one in layers
        }
    verdicts = health.judged(found, bounds)
    write_text(questions / "audit.json", report.json_text(health.as_data(found, verdicts)))
    write_text(questions / "audit.html", health.html(found, verdicts))
    for split in found.figures:
        print(f"{split}\n{table(health.rows(verdicts, split), ('figure', 'value', '95 %', 'bounds', ''))}\n")
    print(f"Read {questions / 'audit.html'}")
    if missed := [
        f"{one.split}: {one.name} {one.figure.value:.3f} ({health.bounds_text(one.gate)})"
        for one in verdicts
        if one.said == "MISSED"
    ]:
        raise GateError(f"{len(missed)} gates missed: {'; '.join(missed)}")


def _names(models: Sequence[str]) -> list[str]:
    if not models:
        raise InputError(
            "--models: none given; write the names that the replies are kept under, for example base sft grpo"
        )
    return [text.partition("=")[0] for text in models]


def _write(names: Sequence[str], split: str, questions: Path, graph: Path, out: Path, page: bool) -> None:
    found = compare.evaluated(names, split, questions, out, graph)
    data, mark = report.as_data(found), "" if split == "test" else f"_{split}"
    write_text(out / f"scores{mark}.json", report.json_text(data))
    for one in found.scores:
        write_text(out / one.model / split / "scores.json", report.json_text(data["models"][one.model]))
    print(report.as_text(found))
    if page:
        write_text(out / f"report{mark}.html", report.html(found))
        print(f"\nRead {out / f'report{mark}.html'}")


def folded(arguments: Sequence[str], name: str = "--models") -> list[str]:
    """Let `--models base=a sft=b` be written without brackets.

    >>> folded(["run", "--models", "base=a", "sft=b", "--out", "x"])
    ['run', '--models', '["base=a", "sft=b"]', '--out', 'x']
    """
    done: list[str] = []
    place = 0
    while place < len(arguments):
        done.append(arguments[place])
        place += 1
        if done[-1] == name:
            end = next((n for n in range(place, len(arguments)) if arguments[n].startswith("-")), len(arguments))
            values = list(arguments[place:end])
            if values and not values[0].startswith("["):
                done.append(json.dumps(values))
                place = end
    return done


COMMANDS: dict[str, Callable[..., None]] = {
    "run": run,
    "score": score,
    "report": page,
    "audit": audit,
    "export": export,
}


def main() -> int:
    """Run the command line of `sys.argv`."""
    sys.argv[1:] = folded(sys.argv[1:])
    return run_commands(COMMANDS, "python -m evaluation")


if __name__ == "__main__":
    sys.exit(main())
