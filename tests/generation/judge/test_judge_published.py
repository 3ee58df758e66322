"""What the pages of a data set say after a judge: verdicts, report card, label, and the grpo split as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripted_judges import Scripted, flaws, knows

from generation import card, files, report
from generation.judge import Asking, Bar, Config, Judge, ReportConfig, judge, judge_report, label
from generation.make import Made
from generation.prompt import LETTERS
from kg.graph import Graph
from kg.schema import Schema
from kg.store import save
from tests.conftest import SMALL_CONFIG

JUDGES, ASKING = [Judge(model="a-judge")], Asking(samples=1)


@pytest.fixture
def folders(small_made: Made, small_graph: Graph, small_schema: Schema, tmp_path: Path) -> tuple[Path, Path]:
    """Questions with their pages, and their graph, as the main job leaves them."""
    questions, graph = tmp_path / "questions", tmp_path / "graph"
    save(small_graph, small_schema, graph, {})
    meta = files.metadata(SMALL_CONFIG, "sha")
    files.write_all(questions, small_made.items, meta)
    data = report.report(small_made, [], report.NOT_JUDGED, meta)
    files.write_text(questions / "report.json", report.as_json(data))
    files.write_text(questions / "report.html", report.html(data, small_made.items))
    files.write_text(questions / "README.md", card.card(data))
    return questions, graph


def read(questions: Path) -> tuple[dict[str, object], str, str]:
    """report.json, report.html and the dataset card."""
    page, readme = ((questions / name).read_text(encoding="utf-8") for name in ("report.html", "README.md"))
    return json.loads((questions / "report.json").read_text(encoding="utf-8")), page, readme


def test_the_pages_tell_verdicts_label_and_the_filled_split(small_made: Made, folders: tuple[Path, Path]) -> None:
    questions, graph = folders
    rows = small_made.items["grpo"]
    places = {row["item_id"]: LETTERS.index(row["answer"]) for part in small_made.items.values() for row in part}
    bad, good = rows[0]["item_id"], knows(places)
    backend = Scripted(lambda ask: flaws("giveaway") if ask.kind == "form" and ask.item_id == bad else good(ask))
    settings = Config(questions, graph, ["grpo", "test"], JUDGES, ASKING, Bar(trust=True))
    judge(settings, lambda _: backend)
    data, page, readme = read(questions)
    assert data["judged"] == "proved, and validated by a-judge"
    assert data["judge"]["verdicts"][0] == {"split": "grpo", "accept": len(rows) - 1, "reject": 1, "abstain": 0, "closed_book": 1.0}  # type: ignore[index]  # fmt: skip
    left = files.read_items(questions / "grpo.parquet")
    assert bad not in {row["item_id"] for row in left}
    assert sum(data["counts"]["grpo"]["topic"].values()) == len(left)  # type: ignore[index]
    assert "<h2>The judge</h2>" in page
    assert f"{len(rows) - 1} of {len(rows)} candidates accepted" in page
    assert "proved, and validated by a-judge" in page
    assert "proved, and validated by a-judge" in readme


def test_the_pages_tell_a_report_card_though_nothing_is_judged(folders: tuple[Path, Path]) -> None:
    questions, graph = folders
    settings = ReportConfig(questions, graph, "sft", JUDGES, ASKING, planted=1, good=3)
    judge_report(settings, lambda _: Scripted(lambda ask: "hm"))
    data, page, readme = read(questions)
    assert data["judged"] == report.NOT_JUDGED
    assert "Report card of a-judge (engine, bfloat16)" in page
    assert "faults caught in all: 0/7 = 0.0 %" in page
    assert "proved, not judged" in readme


def test_a_page_told_anew_is_otherwise_the_page_of_the_main_job(folders: tuple[Path, Path]) -> None:
    questions, graph = folders
    before = read(questions)[1]
    judge(Config(questions, graph, ["test"], JUDGES, ASKING, fill="never"), lambda _: Scripted(lambda ask: "hm"))
    after = read(questions)[1].replace(label(questions), report.NOT_JUDGED)
    section = after[after.index("<h2>The judge</h2>") : after.index("<h2>Pictures</h2>")]
    assert after.replace(section, "").split() == before.split()
