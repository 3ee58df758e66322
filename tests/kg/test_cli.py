"""`python -m kg`: what people read, and one message with the right exit code for every mistake."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kg import store
from kg.__main__ import COMMANDS
from kg.command import run
from kg.graph import Graph
from kg.schema import Schema
from tests.command_line import Caller
from tests.hand_made import CORE_FOLDER, SCHEMA_FILE, fact, graph_of

NEIGHBOURS = """\
trochlear nerve  (nerve, core:trochlear-nerve)  = cranial nerve IV, fourth cranial nerve
  trochlear nerve exits_from dorsal midbrain [core]
  trochlear nerve innervates superior oblique muscle [core]
  trochlear nerve lesion_causes vertical double vision [core]
"""
WALK = """\
superior oblique muscle acts_to depression of the gaze [core]
trochlear nerve innervates superior oblique muscle [core]
trochlear nerve exits_from dorsal midbrain [core]
"""


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(lambda words: run(COMMANDS, "python -m kg", lists=("import",), words=words), capsys)


@pytest.fixture(scope="module")
def folder(small_graph: Graph, small_schema: Schema, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph")
    store.save(small_graph, small_schema, path, {"graph_sha256": small_graph.sha256})
    return path


def own(out: Path) -> list[object]:
    """Options of `build` for the tests' own tables."""
    return ["--layers", "[core]", "--schema", SCHEMA_FILE, "--core_folder", CORE_FOLDER, "--out", out]


def test_build_writes_a_graph_and_says_what_comes_next(kg: Caller, small_graph: Graph, tmp_path: Path) -> None:
    ended = kg("build", *own(tmp_path / "graph"))
    assert ended.code == 0
    assert ended.out.startswith("84 nodes, 78 facts (core 78)\n0 entities of later layers merged")
    assert f"Written to {tmp_path / 'graph'}. Next: python -m generation questions" in ended.out
    assert store.load(tmp_path / "graph")[0] == small_graph


def test_stats(kg: Caller, folder: Path) -> None:
    ended = kg("stats", "--graph", folder)
    assert ended.code == 0
    assert ended.out.startswith("84 nodes, 78 facts, 6 complete lists, 0 merged entities\n\nlayer  facts  askable")


def test_validate_of_a_sound_graph(kg: Caller, folder: Path) -> None:
    assert kg("validate", "--graph", folder) == (0, "78 facts checked: 0 faults, 0 notes\n", "")


def test_validate_ends_with_4_if_a_graph_is_unsound(kg: Caller, small_schema: Schema, tmp_path: Path) -> None:
    store.save(graph_of("a excites b", "a inhibits b"), small_schema, tmp_path, {})
    ended = kg("validate", "--graph", tmp_path)
    assert ended.code == 4
    assert "FAULT  contradiction: a " in ended.out
    assert ended.err == "python -m kg: 1 faults; mend the tables they come from\n"


def test_validate_gives_its_result_first_and_one_note_of_each_kind(
    kg: Caller, small_schema: Schema, tmp_path: Path
) -> None:
    odd = [fact(f"{name} cleaves b", askable=False) for name in ("a", "c", "d")]
    store.save(graph_of(*odd, categories=dict.fromkeys("abcd", "region")), small_schema, tmp_path, {})
    short, whole = (kg("validate", "--graph", tmp_path, *more).out.splitlines() for more in ([], ["--notes", "true"]))
    assert short[0] == whole[0] == "3 facts checked: 0 faults, 6 notes"
    assert short[1].startswith("note   outside domain or range: 6, e.g. a cleaves b")
    assert short[2:] == ["(--notes true shows every note)"]
    assert len(whole) == 7


@pytest.mark.parametrize(
    "name", ["trochlear nerve", "Trochlear  Nerve", "fourth cranial nerve", "core:trochlear-nerve"]
)
def test_neighbours_by_label_synonym_or_id(kg: Caller, folder: Path, name: str) -> None:
    assert kg("neighbours", name, "--graph", folder) == (0, NEIGHBOURS, "")


def test_neighbours_up_to_a_limit(kg: Caller, folder: Path) -> None:
    ended = kg("neighbours", "trochlear nerve", "--graph", folder, "--limit", "1")
    assert ended.out.splitlines()[1:] == [NEIGHBOURS.splitlines()[1], "  ... 2 more; raise --limit to see them"]


def test_path(kg: Caller, folder: Path) -> None:
    assert kg("path", "depression of the gaze", "dorsal midbrain", "--graph", folder) == (0, WALK, "")


def test_check_core(kg: Caller, tmp_path: Path) -> None:
    assert kg("check-core", "--folder", CORE_FOLDER, "--schema", SCHEMA_FILE) == (0, "core tables are clean\n", "")
    header = (CORE_FOLDER / "nerves.tsv").read_text().splitlines()[0]
    (tmp_path / "t.tsv").write_text(f"{header}\na\tnerve\tcures\tb\tmuscle\t\t\t\n")
    ended = kg("check-core", "--folder", tmp_path, "--schema", SCHEMA_FILE)
    assert (ended.code, ended.err) == (2, "python -m kg: 1 faulty rows\n")
    assert "t.tsv:2: unknown predicate 'cures'" in ended.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["neighbours", "trochlea nerve"], "no entity is called 'trochlea nerve'; did you mean 'trochlear nerve'?"),
        (["path", "shrugging", "blinking"], "no walk of askable facts joins 'shrugging' and 'blinking'"),
        (["build", "--profile", "opn"], "--profile: unknown profile 'opn'; did you mean 'open'?"),
        (["build", "--layers", "[cor]"], "--layers: unknown layer 'cor'; did you mean 'core'?"),
        (["build", "--schema", "/nowhere.yaml"], "schema /nowhere.yaml: cannot be read"),
        (["build", "--layers", "[core]", "--core_folder", "/nowhere"], "/nowhere: holds no *.tsv table of facts"),
        (["build", "--layers", "[core]", "--licenses", "[MIT]"], "--licenses: no fact is under 'MIT'"),
        (["build", "--licenses", "MIT", "--layers", "core"], "--licenses: no fact is under 'MIT'"),
        (["neighbours", "x", "--limit", "many"], "--limit: 'many' is out of place; give a whole number"),
        (["validate", "--notes", "some"], "--notes: 'some' is out of place; give true or false"),
        (["check-core", "--schem", "x"], "unknown option --schem; did you mean '--schema'?"),
        (["neighbour", "x"], "neighbours"),
        ([], "subcommand"),
    ],
)
def test_a_mistake_is_answered_in_one_line(
    kg: Caller, folder: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    more = (
        ["--graph", folder]
        if words[:1] in (["neighbours"], ["path"])
        else ["--out", tmp_path]
        if words[:1] == ["build"]
        else []
    )
    ended = kg(*words, *more)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", [["stats"], ["validate"], ["neighbours", "x"], ["path", "x", "y"]])
def test_a_missing_graph(kg: Caller, tmp_path: Path, command: list[str]) -> None:
    ended = kg(*command, "--graph", tmp_path / "nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert "nowhere: holds no graph" in ended.err
    assert "make one with `make questions` or `python -m kg build`, or name its folder with --graph" in ended.err


def test_a_folder_that_cannot_be_written(kg: Caller, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = kg("build", *own(tmp_path / "file" / "graph"))
    assert ended.code == 2
    assert "cannot be written: Not a directory; choose a folder that can be, or free space" in ended.err


def test_help_lists_the_commands(kg: Caller) -> None:
    ended = kg("--help")
    assert ended.code == 0
    for command in COMMANDS:
        assert command in ended.out


def test_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    """Two processes, two seeds, the embedded core."""
    for seed in ("1", "2"):
        words = [sys.executable, "-m", "kg", "build", "--layers", "[core]", "--out", str(tmp_path / seed)]
        subprocess.run(words, env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True)
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert len(names) == 5
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
