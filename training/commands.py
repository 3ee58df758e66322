"""The command line of the training stage. Exit codes: docs/contract.md.

Settings of a recipe are overridden with dotted options: `python -m training sft --recipe tiny-cpu --max_steps=100 --lora.rank=8`.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kg.errors import GateError, InputError, ShortfallError, nearest
from kg.graph import Graph
from kg.schema import Schema
from training import hardware, recipe
from training.folders import Folders, newest

COMMANDS = (
    "make-base",
    "sft",
    "merge",
    "grpo",
    "train",
    "plan",
    "redteam",
    "pass-rate",
    "ask",
    "learn",
    "hardware",
    "recipes",
)
RECIPE_COMMANDS = ("make-base", "sft", "merge", "grpo", "train", "plan", "pass-rate")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS))
    made.add_argument("target", nargs="?", help="plan: RECIPE or RECIPE/STAGE")
    made.add_argument(
        "--recipe", default="auto", help="a recipe's name or a folder of YAML files; auto picks by hardware"
    )
    made.add_argument("--models", type=Path, default=Path("build/models"), help="where models are kept")
    made.add_argument(
        "--graph", type=Path, default=Path("build/graph"), help="the built graph (schema, and facts for a slice)"
    )
    made.add_argument("--resume", action="store_true", help="go on from the last good checkpoint")
    made.add_argument("--dry-run", action="store_true", help="check everything, show the first example, train nothing")
    made.add_argument("--model", type=Path, help="ask, pass-rate: a model folder (the newest by default)")
    made.add_argument("--question", help="ask: the stem")
    made.add_argument("--options", help="ask: four options separated by |")
    made.add_argument("--out", type=Path, help="redteam, pass-rate, learn: where results go")
    made.add_argument(
        "--questions",
        type=Path,
        default=Path("build/questions/grpo.parquet"),
        help="redteam: questions whose gold reasoning is scored",
    )
    made.add_argument("--samples", type=int, default=4, help="pass-rate: completions a prompt")
    made.add_argument("--seeds", default="0", help="learn: seeds, separated by commas")
    made.add_argument(
        "--controls", default="sft,none", help="learn: controls beside GRPO: sft,none,statements,shuffled"
    )
    made.add_argument("--memory", type=float, default=0.0, help="plan: GB of each GPU (the recipe's own by default)")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors a user can cause end in a message and a code, never in a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options, extra = parser().parse_known_args(given)
    _quiet()
    try:
        overrides = _overrides(options, extra)
        _run(options, overrides)
    except (InputError, ShortfallError, GateError) as error:
        print(f"error: {error}", file=sys.stderr)
        return int(error.exit_code)
    except ModuleNotFoundError as error:
        print(f"error: {error}; install the training extra: pip install -e .[train]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted; run again with --resume", file=sys.stderr)
        return 2
    return 0


def _quiet() -> None:
    """No network for recipes that need none is the library's business; its chatter is not the user's."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    logging.getLogger("transformers").setLevel(logging.ERROR)


def _overrides(options: argparse.Namespace, extra: Sequence[str]) -> list[str]:
    for text in extra:
        if not text.startswith("--") or "=" not in text:
            flags = re.findall(r"--[a-z-]+", parser().format_usage())
            raise InputError(
                f"argument {text!r}: not known; settings of a recipe are given as --key=value; {nearest(text, flags)}"
            )
    if extra and options.command not in RECIPE_COMMANDS:
        raise InputError(f"argument {extra[0]!r}: {options.command} takes no settings of a recipe")
    return [text.removeprefix("--") for text in extra]


def _run(options: argparse.Namespace, overrides: Sequence[str]) -> None:
    if options.command in RECIPE_COMMANDS and options.command != "plan":
        _choose(options)
    folders = Folders(options.models, Path(options.recipe).name)
    clock = time.perf_counter()
    {
        "make-base": lambda: _make_base(options, folders, overrides),
        "sft": lambda: _sft(options, folders, overrides),
        "merge": lambda: _merge(options, folders, overrides),
        "grpo": lambda: _grpo(options, folders, overrides),
        "train": lambda: (_sft(options, folders, overrides), _grpo(options, folders, overrides)),
        "plan": lambda: _plan(options, overrides),
        "redteam": lambda: _redteam(options),
        "pass-rate": lambda: _pass_rate(options, folders, overrides),
        "ask": lambda: _ask(options),
        "learn": lambda: _learn(options),
        "hardware": lambda: print("\n".join(hardware.choose(hardware.gpus()))),
        "recipes": lambda: print("\n".join(recipe.names())),
    }[options.command]()
    if options.command in ("sft", "grpo", "train", "make-base"):
        print(f"{options.command}: {(time.perf_counter() - clock) / 60:.1f} minutes")


def _choose(options: argparse.Namespace) -> None:
    if options.recipe == "auto":
        choice = hardware.choose(hardware.gpus())
        print(f"recipe {choice.recipe}: {choice.why} (choose another with --recipe)")
        options.recipe = choice.recipe


def _schema(graph: Path) -> Schema:
    """The schema that the questions were made with; the embedded one where no graph was built."""
    file = graph / "schema.yaml"
    return Schema.load(file if file.exists() else None)


def _graph(folder: Path) -> Callable[[], tuple[Graph, Schema]]:
    def load() -> tuple[Graph, Schema]:
        from kg.store import load as load_graph

        if not (folder / "edges.parquet").exists():
            raise InputError(f"{folder}: holds no graph; run `make questions` (or `python -m kg build`) first")
        return load_graph(folder)

    return load


def _make_base(options: argparse.Namespace, folders: Folders, overrides: Sequence[str]) -> None:
    from training import made

    made.run(
        recipe.load(recipe.path_of(options.recipe, "made"), recipe.Made, overrides), folders, _graph(options.graph)
    )


def _sft(options: argparse.Namespace, folders: Folders, overrides: Sequence[str]) -> None:
    from training import sft

    settings = recipe.load(recipe.path_of(options.recipe, "sft"), recipe.Sft, overrides)
    if "{here}/base" in settings.model and not (folders.base / "README.md").exists():
        print(f"the recipe's starting model is not there yet: making {folders.base}")
        _make_base(options, folders, ())
    sft.run(settings, folders, options.resume, options.dry_run)


def _merge(options: argparse.Namespace, folders: Folders, overrides: Sequence[str]) -> None:
    from training import merge

    settings = recipe.load(recipe.path_of(options.recipe, "sft"), recipe.Sft, overrides)
    merge.run(folders.resolve(settings.model), folders.adapter, folders.merged, settings.weights, settings.revision)


def _grpo(options: argparse.Namespace, folders: Folders, overrides: Sequence[str]) -> None:
    from training import grpo

    settings = recipe.load(recipe.path_of(options.recipe, "grpo"), recipe.Grpo, overrides)
    grpo.run(settings, folders, _schema(options.graph), options.resume, options.dry_run)


def _plan(options: argparse.Namespace, overrides: Sequence[str]) -> None:
    from training import plan

    name = options.target or (options.recipe if options.recipe != "auto" else hardware.choose(hardware.gpus()).recipe)
    print(plan.text(name, overrides, options.memory))


def _redteam(options: argparse.Namespace) -> None:
    from training import examples, redteam

    schema = _schema(options.graph)
    redteam.run(schema, options.out or Path("build/redteam"))
    if (file := options.questions).exists():
        print(redteam.gold(schema, examples.read_items(file)))


def _pass_rate(options: argparse.Namespace, folders: Folders, overrides: Sequence[str]) -> None:
    from training import answers, examples, pass_rate, weights

    settings = recipe.load(recipe.path_of(options.recipe, "grpo"), recipe.Grpo, overrides)
    folder = str(options.model or folders.resolve(settings.model))
    items = examples.read_items(Path(folders.resolve(settings.questions)) / "grpo.parquet")[: settings.limit]
    tokenizer, model = weights.load_tokenizer(folder), weights.load_model(folder, settings.weights, settings.attention)
    prompts = [examples.chat(item, settings.think_switch).prompt for item in items]
    replies = answers.generate(
        model,
        tokenizer,
        prompts,
        settings.max_completion,
        settings.rollouts.temperature,
        options.samples,
        seed=settings.seed,
    )
    out = options.out or folders.root / "pass-rate.parquet"
    known = pass_rate.write_rollouts(out, items, replies, {"model": folder})
    inside = sum(settings.pass_rate.low <= rate <= settings.pass_rate.high for rate in known.values())
    print(f"pass rates of {len(known):,} prompts x {options.samples}: mean {sum(known.values()) / len(known):.3f}, {inside:,} between "
          f"{settings.pass_rate.low} and {settings.pass_rate.high}; use it with --pass_rate.table={out}")  # fmt: skip


def _ask(options: argparse.Namespace) -> None:
    from training import answers

    if not options.question or not options.options:
        raise InputError('ask: give --question "..." and --options "one|two|three|four"')
    folder = options.model or newest(options.models)
    choices = [part.strip() for part in options.options.split("|")]
    print(f"model: {folder}\n")
    print(answers.shown(answers.ask(folder, options.question, choices, 1280), choices))


def _learn(options: argparse.Namespace) -> None:
    from training import learn

    try:
        seeds = [int(seed) for seed in options.seeds.split(",")]
    except ValueError as error:
        raise InputError(f"--seeds: {options.seeds!r} is no list of whole numbers; write them as 0,1,2") from error
    controls = [control for control in options.controls.split(",") if control]
    name = "tiny-cpu" if options.recipe == "auto" else options.recipe
    learn.run(
        _graph(options.graph),
        options.out or Path("build/learn"),
        seeds,
        controls,
        lambda seed: learn.load_recipes(seed, name),
    )


__all__ = ["main"]
