"""`python -m generation`: what a run writes and says, exit codes, one line for every mistake."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from generation import files, view
from generation.__main__ import COMMANDS, OPTIONAL
from kg import store
from kg.command import run
from kg.graph import Graph
from kg.schema import Schema
from tests.command_line import Caller, Ended

SIZES = ["--sizes.sft_single=60", "--sizes.sft=12", "--sizes.grpo=4", "--sizes.test=4"]
WRITTEN = [
    "README.md",
    "grpo.parquet",
    "grpo_reserve.parquet",
    "neurobench_test_set.json",
    "report.html",
    "report.json",
    "sft.parquet",
    "test.parquet",
]
TABLE = """\
questions   asked for  reached  short
----------  ---------  -------  -----
sft_single         60       60      0
sft                12       12      0
grpo                4        4      0
test                4        4      0
"""


@pytest.fixture
def generation(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(lambda words: run(COMMANDS, "python -m generation", optional=OPTIONAL, words=words), capsys)


@pytest.fixture(scope="module")
def graph(small_graph: Graph, small_schema: Schema, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    store.save(small_graph, small_schema, folder, {"graph_sha256": small_graph.sha256})
    return folder


def caps(share: float = 1.0) -> list[str]:
    return [f"--caps.{name}={share}" for name in ("answer", "bridge", "metapath")]


@pytest.fixture(scope="module")
def made(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """A run on the small graph: how it ended, and its folder."""
    out, told, errors = tmp_path_factory.mktemp("made") / "questions", io.StringIO(), io.StringIO()
    words = ["questions", "--graph", str(graph), "--out", str(out), "--workers=1", *SIZES, *caps()]
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(errors):
        code = run(COMMANDS, "python -m generation", words=words)
    return Ended(code, told.getvalue(), errors.getvalue()), out


def test_a_run_writes_every_file_and_sums_up(made: tuple[Ended, Path]) -> None:
    ended, out = made
    assert ended.code == 0, ended.err
    assert sorted(path.name for path in out.iterdir()) == WRITTEN
    assert ended.out.startswith(TABLE)
    assert re.search(r"distractors +contradicted +closed +absent\n", ended.out)
    assert re.search(r"paths in two splits +0 +0 +met", ended.out)
    assert re.search(
        r"\n80 questions in \d+ s, proved, not judged\. Read .*report\.html, or: python -m generation show", ended.out
    )
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["leaks"] == {"paths in two splits": 0, "pairs in two splits": 0}
    assert report["asked"]["test"] == {"asked": 4, "reached": 4, "short": 0, "explicit": True}
    assert sum(report["dropped"].values()) > 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4
    assert "Asked for and reached" in page


def test_show_prints_an_item_by_the_beginning_of_its_id(generation: Caller, made: tuple[Ended, Path]) -> None:
    item = files.read_items(made[1] / "test.parquet")[1]
    ended = generation("show", item["item_id"][:10], "--questions", made[1])
    assert (ended.code, ended.out) == (0, view.text(item) + "\n\n")


def test_show_draws_some_items(generation: Caller, made: tuple[Ended, Path]) -> None:
    ended = generation("show", "--questions", made[1], "--split", "sft", "--hops", "1", "--number", "2")
    assert ended.code == 0
    assert ended.out.count("\nreasoning\n") == 2
    assert generation("show", "--questions", made[1], "--split", "sft", "--hops", "1", "--number", "2") == ended


def test_export(generation: Caller, made: tuple[Ended, Path]) -> None:
    ended = generation("export", "messages", "--split", "test", "--questions", made[1])
    assert ended.code == 0
    assert len([json.loads(line) for line in ended.out.splitlines()]) == 4


def test_a_count_that_cannot_be_reached_ends_with_3_and_writes_what_is_sound(
    generation: Caller, graph: Path, tmp_path: Path
) -> None:
    ended = generation(
        "questions", "--graph", graph, "--out", tmp_path, "--workers=1", *SIZES[:3], "--sizes.test=4000", *caps()
    )
    assert ended.code == 3
    assert re.fullmatch(
        r"python -m generation: (sft: asked for 12, \d+ sound questions were found; )?(grpo: asked for 4, \d+ sound questions were found; )?"
        r"test: asked for 4,000, \d+ sound questions were found\. Lower the count, or give a larger graph\n",
        ended.err,
    )
    assert "Short of the sizes asked for" in ended.out
    assert files.read_items(tmp_path / "test.parquet")


def test_counts_of_zero_write_empty_splits(generation: Caller, graph: Path, tmp_path: Path) -> None:
    sizes = [f"--sizes.{name}=0" for name in ("sft_single", "sft", "grpo", "test")]
    ended = generation("questions", "--graph", graph, "--out", tmp_path, "--workers=1", *sizes)
    assert ended.code == 0, ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == WRITTEN
    assert all(files.read_items(tmp_path / f"{name}.parquet") == [] for name in files.SPLITS)


def test_single_hops_alone(generation: Caller, graph: Path, tmp_path: Path) -> None:
    sizes = [f"--sizes.{name}=0" for name in ("sft", "grpo", "test")]
    ended = generation(
        "questions", "--graph", graph, "--out", tmp_path, "--workers=1", "--sizes.sft_single=20", *sizes, *caps()
    )
    assert ended.code == 0, ended.err
    assert len(files.read_items(tmp_path / "sft.parquet")) == 20


def test_a_config_file(generation: Caller, graph: Path, tmp_path: Path) -> None:
    """A YAML recipe, then dotted overrides."""
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("seed: 5\nsizes: {sft_single: 9, sft: 0, grpo: 0, test: 0}\ncaps: {answer: 1.0, metapath: 1.0}\n")
    out = tmp_path / "out"
    ended = generation("questions", "--sizes.sft_single=8", "--graph", graph, "--out", out, "--workers=1")
    assert ended.code in (0, 3)
    ended = generation(
        "questions", "--config", recipe, "--sizes.sft_single=7", "--graph", graph, "--out", out, "--workers=1"
    )
    assert ended.code == 0, ended.err
    rows = files.read_items(out / "sft.parquet")
    assert (len(rows), {row["seed"] for row in rows}) == (7, {5})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["questions", "--sizes.test=-1"], "--sizes.test: -1 is out of range; give 0 to 1,000,000"),
        (["questions", "--sizes.sft=1000000000"], "sizes.sft: 1000000000 is out of range; give 0 to 1,000,000"),
        (["questions", "--sizes.sft=many"], "many"),
        (
            ["questions", "--sizes.sfd=3"],
            "unknown option --sizes.sfd; did you mean '--sizes.sft'?",
        ),
        (["questions", "--limits.fan_out=0.5"], "fan_out"),
        (["questions", "--workers=-3"], "--workers: -3 is out of range; give 1 or more"),
        (["questions", "--workers=0"], "--workers: 0 is out of range; give 1 or more"),
        (["question"], "questions"),
        (["show", "--split", "tst"], "tst.parquet: cannot be read as Parquet"),
        (["show", "zzz"], "no item whose id begins with 'zzz' among "),
        (["show", "--hops", "9"], "no item of 9 hops among "),
        (["show", "--number=-1"], "--number: -1 is out of range; give 1 or more"),
        (["export", "chat"], "export: unknown form 'chat'; known: closed-book, messages, plain"),
        ([], "subcommand"),
    ],
)
def test_a_mistake_is_answered_in_one_line(
    generation: Caller, made: tuple[Ended, Path], graph: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    more: list[object] = ["--graph", graph, "--out", tmp_path / "out"] if words[:1] == ["questions"] else []
    more = ["--questions", made[1]] if words[:1] in (["show"], ["export"]) else more
    ended = generation(*words, *more)
    assert ended.code == 2, ended.out
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_missing_graph(generation: Caller, tmp_path: Path) -> None:
    ended = generation("questions", "--graph", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (ended.code, ended.out) == (2, "")
    assert "holds no graph (there is no schema.yaml)" in ended.err


def test_a_folder_that_cannot_be_written(generation: Caller, graph: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = generation("questions", "--graph", graph, "--out", tmp_path / "file" / "out")
    assert ended.code == 2
    assert "cannot be made: Not a directory; choose another folder with --out" in ended.err


def test_help_lists_the_commands_and_those_of_the_judge(generation: Caller) -> None:
    ended = generation("--help")
    assert ended.code == 0
    assert all(command in ended.out for command in ("questions", "show", "export", "judge", "judge-report", "reviews"))
