"""The audit: finds planted faults, counts duplicates and flaws, and ends in exit code 4 when a gate is missed."""

from __future__ import annotations

import json
import re

import pytest

from evaluation import audit, flaws, overlap
from evaluation.__main__ import main
from kg.errors import InputError
from tests.option_rows import fair, row


def test_repeated_items_are_found_whatever_the_order_of_options():
    first = row(0, ["e:a", "e:b", "e:c", "e:d"], 0, question="Which one?")
    again = row(1, ["e:d", "e:c", "e:b", "e:a"], 3, question="which one")
    other = row(2, ["e:d", "e:c", "e:b", "e:x"], 3, question="Which one?")
    assert overlap.repeated([first, again, other]) == 1
    assert overlap.shared([first], [again, other]) == 1


def test_near_duplicates_share_key_and_most_8_grams():
    stem = "Which nucleus of the thalamus sends axons to the primary visual cortex of the occipital lobe in man"
    first = row(0, ["e:a", "e:b", "e:c", "e:d"], 0, question=stem + "?")
    near = row(1, ["e:a", "e:x", "e:y", "e:z"], 0, question=stem + " here?")
    other_key = row(2, ["e:b", "e:x", "e:y", "e:z"], 0, question=stem + "?")
    assert [(one.first, one.second) for one in overlap.near_duplicates([first, near, other_key])] == [
        ("item0", "item1")
    ]
    assert [one.second for one in overlap.near_duplicates([first], [near, other_key])] == ["item1"]


def test_paths_pairs_and_facts_of_two_splits():
    hop = {"edge_id": "1", "head_id": "x", "tail_id": "y"}
    a = row(0, ["e:a", "e:b", "e:c", "e:d"], 0, path=[hop], source_id="s:1")
    b = row(1, ["e:a", "e:b", "e:c", "e:d"], 0, path=[hop, {**hop, "edge_id": "2"}], source_id="s:1")
    assert overlap.pairs_and_paths({"sft": [a], "test": [b]}) == {"paths in two splits": 0, "pairs in two splits": 1}
    assert overlap.pairs_and_paths({"sft": [a], "test": [{**b, "path_id": "path0"}]})["paths in two splits"] == 1
    assert overlap.facts_seen([a], [b]) == {"1": 1}


FLAWED = [
    ("negative stem", {"question": "Which one does not fire?"}),
    ("all or none", {"options": ["a", "b", "c", "all of the above"]}),
    ("absolute terms", {"options": ["always on", "b", "c", "d"]}),
    ("vague terms", {"options": ["usually on", "b", "c", "d"]}),
    ("longest is right", {"options": ["a very long option, the right one", "short", "small", "tiny"]}),
    ("word repeats", {"question": "Which fibre is a climbing fibre?", "options": ["climbing axon", "b", "c", "d"]}),
    ("grammar clue", {"question": "This is called an", "options": ["axon", "dendrite", "soma", "bouton"]}),
    ("unlike options", {"options": ["layer 4", "cortex", "soma", "bouton"]}),
    ("contained option", {"options": ["nucleus", "red nucleus", "soma", "bouton"]}),
    ("blank in stem", {"question": "The ___ fires?"}),
    ("no question", {"question": "Name it."}),
    ("long stem", {"question": "Which " + "very " * 50 + "long one?"}),
]


@pytest.mark.parametrize(("flaw", "change"), FLAWED, ids=[name for name, _ in FLAWED])
def test_each_flaw_is_seen(flaw, change):
    good = row(0, ["e:red", "e:blue", "e:green", "e:white"], 0, question="Which colour is it?")
    assert flaws.flaws(good) == []
    assert flaw in flaws.flaws({**good, **change})


def test_flaws_are_counted_by_item():
    items = [row(0, ["e:a", "e:b", "e:c", "e:d"], 0), row(1, ["e:a", "e:b", "e:c", "e:d"], 0, question="Not ___.")]
    counts, share = flaws.counted(items)
    assert counts["negative stem"] == counts["blank in stem"] == counts["no question"] == 1
    assert share == 0.5


def test_bounds_may_be_missed_by_noise_only_where_the_gate_says_so():
    found = audit.Audit({"test": {"x": audit.Figure(0.31, 0.28, 0.34), "y": audit.Figure(0.31, 0.28, 0.34)}})
    bounds = {"x": audit.Gate(0, 0.3, ("test",), True), "y": audit.Gate(0, 0.3, ("test",), False)}
    assert [one.said for one in audit.judged(found, bounds)] == ["within noise", "MISSED"]


def test_a_gate_with_a_star_holds_for_all_that_begin_so():
    bounds = audit.gates()
    assert audit.gate_of("true distractors, hpo hidden", bounds).most == 0.005
    assert audit.gate_of("longest option", bounds).least == 0.22
    assert audit.gate_of("unknown", bounds) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [("- 1", "table of figures"), ("x: {most: 1}", "needs splits"), ("x: {mots: 1, splits: [test]}", "did you mean 'most'"),
     ("x: {most: many, splits: [test]}", "must be numbers"), ("x: [", "cannot be read")],
)  # fmt: skip
def test_thresholds_that_cannot_be_read_are_named(text, said, tmp_path):
    (tmp_path / "t.yaml").write_text(text)
    with pytest.raises(InputError, match=re.escape(said)):
        audit.gates(tmp_path / "t.yaml")


def _full(items):
    return [{**item, "option_proofs": ["key" if n == "ABCD".index(item["answer"]) else "closed" for n in range(4)],
             "path": [{"edge_id": item["item_id"], "predicate": "r2", "head_id": "x", "tail_id": "y"}]} for item in items]  # fmt: skip


def test_fair_items_meet_every_gate_of_shortcuts():
    splits = {
        "sft": _full(fair(900, 1)),
        "test": _full([{**i, "item_id": "t" + i["item_id"], "path_id": "t" + i["path_id"]} for i in fair(700, 2)]),
    }
    verdicts = audit.judged(audit.audit(splits, None), audit.gates())
    missed = {one.name for one in verdicts if one.said == "MISSED"}
    assert missed <= {"pairs in two splits"}  # sources are numbered alike in both


@pytest.fixture(scope="module")
def audited(questions, graph_folder, tmp_path_factory):
    """The command on real items, with gates that they cannot meet."""
    folder = tmp_path_factory.mktemp("audit")
    for name in ("sft", "test"):
        (folder / f"{name}.parquet").write_bytes((questions / f"{name}.parquet").read_bytes())
    (folder / "t.yaml").write_text(
        "the graph itself: {least: 1, splits: [sft, test]}\nabsent proofs: {most: 0, splits: [test]}\n"
    )
    return folder, graph_folder


def test_the_command_writes_everything_and_ends_in_4(audited, monkeypatch, capsys):
    folder, graph = audited
    monkeypatch.setattr("sys.argv", ["evaluation", "audit", "--questions", str(folder), "--graph", str(graph), "--hidden", "false",
                                     "--thresholds", str(folder / "t.yaml")])  # fmt: skip
    assert main() == 4
    said = capsys.readouterr()
    assert "1 gates missed: test: absent proofs" in said.err
    data = json.loads((folder / "audit.json").read_text())
    assert data["figures"]["test"]["the graph itself"]["value"] == 1.0
    assert data["missed"] == ["test: absent proofs"]
    page = (folder / "audit.html").read_text()
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert "1 gate missed" in page


def test_a_folder_without_questions_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["evaluation", "audit", "--questions", str(tmp_path)])
    assert main() == 2
    assert "no sft, grpo or test.parquet" in capsys.readouterr().err
