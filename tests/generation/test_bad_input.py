"""The issue's list of bad input, end to end: labels are data everywhere, and a mistake is one line and exit code 2.

What a single table, file or count can hold is tested where it is read: tests/kg/test_tables.py, test_core_source.py,
test_build.py, test_store.py, tests/generation/test_make.py, test_files.py, test_cli.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from generation import card, files, report, view
from generation.__main__ import COMMANDS
from generation.item import Item
from generation.make import Config, Made, make
from generation.prompt import parse_reply, reply, user_turn
from generation.stems import environment
from kg import store
from kg.command import run
from kg.graph import Graph
from kg.schema import Schema
from tests.command_line import Caller
from tests.conftest import SMALL_CONFIG

HOSTILE = {
    "core:stapedius-muscle": "{{ 7*7 }} muscle",
    "core:buccinator-muscle": "{% import os %} muscle",
    "core:masseter-muscle": "<script>alert(1)</script> muscle",
    "core:trapezius-muscle": "</think> muscle",
    "core:genioglossus-muscle": "<answer>A</answer> muscle",
    "core:hyoglossus-muscle": "{# {{ x }} <!-- muscle",
    "core:styloglossus-muscle": "$x^{$ \\frac muscle",
    "core:lateral-rectus-muscle": "& \" ' < > ; -- muscle",
    "core:motor-cortex": "<img src=x onerror=alert(1)>",
    "core:thalamus": "{{ config }}",
}


@pytest.fixture(scope="module")
def graph(small_graph: Graph) -> Graph:
    """The small graph with hostile names, one of them a synonym, a source, a licence and a reference too."""
    nodes = {
        name: replace(node, label=HOSTILE.get(name, node.label), synonyms=("<script>s</script>", "{{ 7*7 }}"))
        for name, node in small_graph.nodes.items()
    }
    facts = {
        key: replace(
            fact, license="<b>free</b>", reference="<script>r</script>", source=fact.source + "<i>{{ 7*7 }}</i>"
        )
        for key, fact in small_graph.facts.items()
    }
    return Graph(nodes, facts, small_graph.complete)


@pytest.fixture(scope="module")
def made(graph: Graph, small_schema: Schema) -> Made:
    return make(graph, small_schema, SMALL_CONFIG)


def items_of(made: Made) -> list[Item]:
    return [one for part in made.items.values() for one in part]


# --- labels are data ---------------------------------------------------------------------------------------------------


def test_hostile_labels_are_asked_as_they_are_or_counted_out(made: Made, small_made: Made) -> None:
    shown = {option for one in items_of(made) for option in one["options"]}
    assert {
        HOSTILE["core:masseter-muscle"],
        HOSTILE["core:lateral-rectus-muscle"],
        HOSTILE["core:styloglossus-muscle"],
    } <= shown
    assert {"{{ 7*7 }} muscle", "{% import os %} muscle"} & shown
    assert len(items_of(made)) > 0.5 * len(items_of(small_made))
    assert made.dropped["gate: a text holds a tag of the reply or a control character"] > 0


def test_no_label_is_run_as_a_template(made: Made) -> None:
    for one in items_of(made):
        texts = [one["question"], one["reasoning"], one["explanation"], *one["options"], *one["option_evidence"]]
        assert not any("49" in text for text in texts)
        for option in one["options"]:
            assert option in one["reasoning"]


def test_no_label_breaks_a_reply(made: Made) -> None:
    for one in items_of(made):
        read = parse_reply(reply(one["reasoning"], one["explanation"], one["answer"]))
        assert read.format.valid
        assert read.answer == one["answer"]
        assert user_turn(one["question"], one["options"]).count("\n") == 5


class Tags(HTMLParser):
    """Collects the elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(f"{tag}[{name}]" for name, _ in attrs)}


def tags(page: str) -> set[str]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


def test_no_label_is_live_html(made: Made, graph: Graph, small_made: Made) -> None:
    """The page of hostile names has the elements of the page of plain ones, and no other."""
    meta = files.metadata(SMALL_CONFIG, graph.sha256)
    pages = [report.html(report.report(one, [], "not judged", meta), one.items) for one in (made, small_made)]
    assert tags(pages[0]) <= tags(pages[1]) | {"span", "span[class]"}
    assert not {"script", "img", "b", "i"} & tags(pages[0])
    assert "&lt;b&gt;free&lt;/b&gt;" in pages[0]
    for one in items_of(made):
        assert not {"script", "img", "i"} & tags(view.card(one))


def test_the_card_runs_nothing(made: Made) -> None:
    text = card.card(report.report(made, [], "not judged", files.metadata(SMALL_CONFIG, "x")))
    assert "49" not in text.partition("## Licences")[2].replace("| 49 |", "")
    assert "{{" not in text


def test_hostile_labels_come_back_from_files_as_they_were(made: Made, tmp_path: Path) -> None:
    files.write_all(tmp_path, made.items, {})
    for name, part in made.items.items():
        assert files.read_items(tmp_path / f"{name}.parquet") == part
    assert len(json.loads((tmp_path / "neurobench_test_set.json").read_text(encoding="utf-8"))) == len(
        made.items["test"]
    )


def test_a_hostile_graph_survives_the_disk(graph: Graph, small_schema: Schema, tmp_path: Path) -> None:
    store.save(graph, small_schema, tmp_path, {})
    assert store.load(tmp_path)[0].nodes == graph.nodes


def test_the_templates_of_this_package_escape_or_quote_nothing_themselves() -> None:
    """Stems are plain text: what goes in comes out."""
    assert environment().from_string("{{ x }}").render(x="<&>{{ 1 }}") == "<&>{{ 1 }}"


# --- graphs and folders ------------------------------------------------------------------------------------------------


@pytest.fixture
def generation(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(lambda words: run(COMMANDS, "python -m generation", words=words), capsys)


def saved(graph: Graph, schema: Schema, folder: Path) -> Path:
    store.save(graph, schema, folder, {"graph_sha256": graph.sha256})
    return folder


def test_an_empty_graph(generation: Caller, small_schema: Schema, tmp_path: Path) -> None:
    folder = saved(Graph({}, {}), small_schema, tmp_path / "graph")
    ended = generation("questions", "--graph", folder, "--out", tmp_path / "out")
    assert (ended.code, ended.out) == (2, "")
    assert (
        ended.err
        == "python -m generation: the graph has no facts; build one with `python -m kg build` or choose more layers\n"
    )


def test_a_graph_of_one_predicate(generation: Caller, small_graph: Graph, small_schema: Schema, tmp_path: Path) -> None:
    facts = {key: fact for key, fact in small_graph.facts.items() if fact.predicate == "innervates"}
    folder = saved(Graph(small_graph.nodes, facts), small_schema, tmp_path / "graph")
    ended = generation("questions", "--graph", folder, "--out", tmp_path / "out", "--workers=1")
    assert ended.code == 0, ended.err
    assert {one["metapath"] for one in files.read_items(tmp_path / "out" / "sft.parquet")} <= {
        "innervates",
        "^innervates",
    }
    assert files.read_items(tmp_path / "out" / "test.parquet") == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("edges.parquet", None, "edges.parquet: cannot be read as Parquet"),
        ("nodes.parquet", b"PAR1 and nothing more", "nodes.parquet: cannot be read as Parquet"),
        ("schema.yaml", b"\xff\xfe", "schema.yaml: cannot be read"),
        ("schema.yaml", b"categories: {}\npredicates: {}\n", "has the unknown category"),
    ],
)
def test_an_unreadable_graph(
    generation: Caller,
    small_graph: Graph,
    small_schema: Schema,
    tmp_path: Path,
    name: str,
    content: bytes | None,
    said: str,
) -> None:
    folder = saved(small_graph, small_schema, tmp_path / "graph")
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    ended = generation("questions", "--graph", folder, "--out", tmp_path / "out")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not list((tmp_path / "out").glob("*.parquet"))


def test_a_graph_folder_that_is_a_file(generation: Caller, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text("hello")
    ended = generation("questions", "--graph", tmp_path / "graph", "--out", tmp_path / "out")
    assert ended.code == 2
    assert "holds no graph (there is no schema.yaml)" in ended.err


def test_a_disk_that_fills_up_while_items_are_written(small_graph: Graph, small_schema: Schema, tmp_path: Path) -> None:
    """The whole command, in a process that may write 30 kB to a file: one line, code 2, nothing half-written."""
    folder, out = saved(small_graph, small_schema, tmp_path / "graph"), tmp_path / "out"
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000));"
        "from generation.__main__ import COMMANDS; from kg.command import run;"
        "sys.exit(run(COMMANDS, 'python -m generation', words=sys.argv[1:]))"
    )
    words = ["questions", "--graph", str(folder), "--out", str(out), "--workers=1"]
    env = os.environ | {"MPLCONFIGDIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, env=env)
    assert ran.returncode == 2
    (line,) = [line for line in ran.stderr.splitlines() if line.startswith("python -m generation: ")]
    assert "cannot be written: " in line
    assert "Traceback" not in ran.stderr
    assert not list(out.glob(".*"))
    for path in out.glob("*.parquet"):
        files.read_items(path)


def test_a_config_key_that_nobody_knows(generation: Caller, tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("sizes: {tset: 5}\n")
    ended = generation("questions", "--config", tmp_path / "recipe.yaml")
    assert ended.code == 2
    assert "tset" in ended.err


def test_the_default_config_asks_for_the_mission_s_sizes() -> None:
    assert Config().sizes.test is None
