"""`python -m generation.judge run|report|merge|demo`. Settings: dotted options or `--config FILE.yaml`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import ArgumentParser

from generation.judge.config import Config, ReportConfig
from generation.judge.items import read_split
from generation.judge.report import judge_report
from generation.judge.reviews import merge_reviews
from generation.judge.stage import judge
from kg.errors import GateError, InputError, ShortfallError


def run(config: Config) -> None:
    """Judge the splits."""
    print(judge(config).text())


def report(config: ReportConfig) -> None:
    """Plant faults and print each judge's card.

    Raises:
        GateError: a judge does not pass the bar.
    """
    cards = judge_report(config)
    print("\n\n".join(card.text(config.bar) for card in cards))
    if failed := [card.judge for card in cards if card.fails(config.bar)]:
        raise GateError(f"not validated: {', '.join(failed)}; its verdicts are kept, but are not called validated")


def merge(table: Path, questions: Path = Path("build/questions")) -> None:
    """Take people's verdicts in from a CSV file (item_id, verdict, comment)."""
    known = {
        row["item_id"]
        for split in ("grpo", "test", "sft")
        if (questions / f"{split}.parquet").exists()
        for row in read_split(questions, split)
    }
    done = merge_reviews(table, questions, known)
    print(f"{done.read} reviews read, {done.replaced} replaced an earlier one, {done.total} in all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    parser = ArgumentParser(prog="python -m generation.judge", description="The vLLM judge (docs/judging.md).")
    commands = parser.add_subcommands(required=True)
    for name, what in (("run", Config), ("report", ReportConfig)):
        command = ArgumentParser()
        command.add_argument("--config", action="config")
        command.add_class_arguments(what, as_group=False)
        commands.add_subcommand(name, command)
    command = ArgumentParser()
    command.add_function_arguments(merge, as_group=False)
    commands.add_subcommand("merge", command)
    command = ArgumentParser()
    command.add_argument("--questions", type=Path, default=Path("build/questions"))
    command.add_argument("--graph", type=Path, default=Path("build/graph"))
    command.add_argument("--items", type=int, default=32)
    commands.add_subcommand("demo", command)
    given = parser.instantiate_classes(parser.parse_args(arguments))
    chosen = given[given.subcommand].as_dict()
    chosen.pop("config", None)
    try:
        if given.subcommand == "run":
            run(Config(**chosen))
        elif given.subcommand == "report":
            report(ReportConfig(**chosen))
        elif given.subcommand == "merge":
            merge(**chosen)
        else:
            from generation.judge.demo import demo

            demo(**chosen)
    except (InputError, ShortfallError, GateError) as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
