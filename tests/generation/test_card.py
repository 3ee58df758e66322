"""The dataset card says what is missed, not only what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generation.card import absent, card, missed
from generation.make import Made
from generation.openworld import Hidden
from generation.report import NOT_JUDGED, report

META = {"graph_sha256": "0" * 64, "seed": "0", "code_version": "0.1.0"}


def test_missed_targets_are_named_with_figures() -> None:
    hidden = [
        {"layer": "go", "distractors": 1155, "true": 0, "upper": 0.0032},
        {"layer": "hpo", "distractors": 1611, "true": 8, "upper": 0.0098},
    ]
    figures = {"test": {"absent_share": 0.41, "key_longest": 0.25, "key_to_distractor_length": 1.2}}
    data = {"figures": figures, "leaks": {"paths in two splits": 1, "pairs in two splits": 0}, "open_world": hidden}
    assert missed(data) == [
        "test: length of key / mean distractor 1.20, target 0.9–1.1",
        "test: distractors whose proof is absent 41.0 %, target ≤ 40 %",
        "1 paths in two splits, target 0",
        "with hpo hidden 8 of 1,611 wrong options are true, upper 95 % bound 0.98 %, target ≤ 0.5 %",
    ]


def test_the_share_of_absent_proofs() -> None:
    assert absent({"innervates": {"closed": 2, "absent": 1}, "releases": {"contradicted": 1}}) == "25.0 %"
    assert absent({}) == "none"


def test_the_card_of_a_run(small_made: Made) -> None:
    text = card(report(small_made, [Hidden("go", 9, 27, 0, 0.13, [])], NOT_JUDGED, META))
    assert "proved, not judged" in text
    assert "No path and no pair of ends is in two splits." in text
    number = len(small_made.items["test"])
    assert re.search(rf"\| test \| {number} \| 0 \| {number} \| \d+\.\d % \|", text)
    assert "- with go hidden 0 of 27 wrong options are true, upper 95 % bound 13.0 %, target ≤ 0.5 %" in text


def test_the_line_to_load_it_works(small_made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    from generation.files import write_all, write_text

    folder = tmp_path / "build" / "questions"
    folder.mkdir(parents=True)
    write_all(folder, small_made.items, META)
    text = card(report(small_made, [], NOT_JUDGED, META))
    write_text(folder / "README.md", text)
    (line,) = re.findall(r"^questions = (load_dataset\(.*?\))", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    assert eval(line, {"load_dataset": datasets.load_dataset}).num_rows == len(small_made.items["test"])
