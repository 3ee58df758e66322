"""Every command that README.md and docs/ show can be typed, or says what it needs that is not everywhere.

A command of this repository is read by its own command line, with everything but the work itself; a `make` target is
expanded (`make -n`) and its commands are read likewise. A command of other programs must carry a mark in its block, or
in the paragraph before or after: needs a GPU, needs a download, takes long (run by hand, with the date), or run in a test.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import generation.__main__ as generation
import kg.__main__ as graph
from evaluation import __main__ as evaluation
from kg.command import run
from training import commands as training
from training import recipe

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MARK = re.compile(r"needs a GPU|needs a download|takes long|run in `?tests/", re.IGNORECASE)
BLOCK = re.compile(r"```(?:bash|sh)?\n(.*?)```", re.DOTALL)
SPAN = re.compile(r"`((?:make|python -m) [^`]+)`")
PROGRAM = re.compile(r"(?:[A-Z_]+=\S+ )*(make|python|pip|accelerate|vllm|lm_eval|inspect|pytest|git|sbatch)\b")
PYTHON = re.compile(r"(?:\S*/)?python -m (kg|generation|training|evaluation)(?: |$)")


class Shown(NamedTuple):
    """A command as it stands on a page; `near` is its block with the paragraphs around it."""

    page: str
    line: str
    near: str


def shown() -> Iterator[Shown]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            before, after = text[: block.start()].rstrip().rpartition("\n\n")[2], text[block.end() :].lstrip("\n")
            near = "\n".join((before, block[0], after.partition("\n\n")[0]))
            for line in commands(block[1]):
                yield Shown(page.name, line, near)
        for span in SPAN.finditer(BLOCK.sub("", text)):
            paragraph = next(part for part in BLOCK.sub("", text).split("\n\n") if span[0] in part)
            yield Shown(page.name, " ".join(span[1].split()), paragraph)


def commands(block: str) -> Iterator[str]:
    """The commands of a block: continued lines joined, open quotes closed, comments left out."""
    joined = ""
    for line in block.replace("\\\n", " ").splitlines():
        joined = f"{joined} {line.strip()}".strip()
        with contextlib.suppress(ValueError):
            words = shlex.split(joined, comments=True)
            if PROGRAM.match(joined):
                yield shlex.join(words).removesuffix(" '&'")
            joined = ""


SHOWN = sorted({(one.page, one.line): one for one in shown()}.values())


def test_there_are_commands_of_every_stage() -> None:
    found = {match[1] for one in SHOWN if (match := PYTHON.match(one.line))}
    assert found >= {"kg", "generation", "training", "evaluation"}
    assert len(SHOWN) > 50


@pytest.mark.parametrize("one", SHOWN, ids=[f"{one.page}: {one.line}"[:90] for one in SHOWN])
def test_a_shown_command_can_be_typed_or_says_what_it_needs(one: Shown) -> None:
    if "..." in one.line or re.search(r"\b[A-Z]{3,}\b(?!=)", re.sub(r"'[^']*'|\"[^\"]*\"", "", one.line)):
        line = re.sub(r"\.\.\.", "x", one.line)  # a place-holder, as in `plan RECIPE`
        if not line.startswith("make"):
            return
    if PYTHON.match(one.line):
        assert read(one.line) == ""
    elif one.line.startswith("make "):
        for line in expanded(one.line):
            assert read(line) == ""
    elif one.line.startswith("accelerate launch "):
        config, _, rest = one.line.partition("--config_file ")[2].partition(" ")
        assert (ROOT / config).is_file()
        assert read(f"python {rest}") == ""
        assert MARK.search(one.near)
    else:
        assert MARK.search(one.near), "not a command of this repository: say what it needs, or which test runs it"


def expanded(line: str) -> list[str]:
    """The stage commands that a `make` target runs."""
    words = shlex.split(line)
    known = re.findall(r"^([A-Z]+) *:=", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert all(word.partition("=")[0] in known for word in words[1:] if "=" in word), f"known: {known}"
    ran = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [part for part in ran.stdout.splitlines() if PYTHON.match(part)]


def read(line: str) -> str:
    """What the stage's command line says against a command ("" if nothing), without doing its work."""
    _, _, stage, *words = shlex.split(line)
    if stage == "training":
        return read_training(words)
    prog, said = f"python -m {stage}", io.StringIO()
    tables: dict[str, dict[str, Callable[..., Any]]] = {
        "kg": graph.COMMANDS,
        "generation": generation.COMMANDS,
        "evaluation": evaluation.COMMANDS,
    }
    more: dict[str, Any] = {"kg": {"lists": ("import",)}, "generation": {"optional": generation.OPTIONAL}}.get(
        stage, {}
    )
    idle = {name: without_work(command) for name, command in tables[stage].items()}
    words = evaluation.folded(words) if stage == "evaluation" else words
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = run(idle, prog, words=words, **more)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return said.getvalue() if code else ""


def without_work(command: Callable[..., Any]) -> Callable[..., None]:
    """A command with the same options that does nothing."""

    @functools.wraps(command)
    def idle(*given: Any, **named: Any) -> None:
        return None

    return idle


def read_training(words: list[str]) -> str:
    """The parser of the training stage, and the settings held against the recipe that is named."""
    try:
        options, extra = training.parser().parse_known_args(words)
        overrides = training._overrides(options, extra)
        name, _, stage = (
            (options.target or "").partition("/") if options.command == "plan" else (options.recipe, "", "")
        )
        if name not in ("auto", ""):
            stage = stage or (options.command if options.command in ("sft", "grpo") else "sft")
            kinds: dict[str, Any] = {"sft": recipe.Sft, "grpo": recipe.Grpo}
            recipe.load(recipe.path_of(name, stage), kinds[stage], overrides)
    except SystemExit as ended:
        return f"exit {ended.code}" if ended.code else ""
    return ""
