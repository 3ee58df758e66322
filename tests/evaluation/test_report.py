"""From replies to the table and the page; the graph must be right every time."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from evaluation import compare, plots, readings, report, scores
from evaluation.__main__ import folded, main
from evaluation.asking import ORDERS, Asking, asks, shown
from evaluation.baselines import baselines, graph_itself
from evaluation.beside import beside
from evaluation.facets import facets, weakest_proof
from evaluation.replies import REPLY, Completion, row
from evaluation.statistics import Interval
from generation.files import read_items
from generation.prompt import LETTERS, reply
from kg import store
from kg.closure import Closure
from kg.errors import InputError
from kg.schema import Schema
from kg.store import write_table

ONCE = Asking()


def _gold(items, right, out, name, asking=ONCE, thinking=None):
    """Replies of the data itself; where `right` says no, the letter after the key is given."""
    rows = []
    by_id = {item["item_id"]: item for item in items}
    for place, ask in enumerate(asks(items, asking)):
        item = by_id[ask.item_id]
        letter = ask.answer if right(place) else LETTERS[(LETTERS.index(ask.answer) + 1) % 4]
        thought = item["reasoning"] if thinking is None else thinking
        made = Completion(
            reply(thought, item["explanation"], letter), 120 + place % 9, False, len(thought.strip()), 100
        )
        rows.append(row(ask, made))
    write_table(out / name / "test" / "replies.parquet", rows, REPLY, {})


@pytest.fixture(scope="module")
def evaluated(questions, graph_folder, items, tmp_path_factory):
    out = tmp_path_factory.mktemp("evaluation")
    _gold(items, lambda place: place % 3 == 0, out, "base", thinking="I do not know.")
    _gold(items, lambda place: place % 2 == 0, out, "sft")
    _gold(items, lambda place: place % 6 != 5, out, "grpo")
    return compare.evaluated(["base", "sft", "grpo"], "test", questions, out, graph_folder)


def test_the_graph_itself_is_right_every_time(graph_folder, questions):
    graph, schema = store.load(graph_folder)
    for name in ("test", "grpo", "sft"):
        assert graph_itself(Closure(graph, schema), read_items(questions / f"{name}.parquet")).accuracy == 1.0


def test_a_second_right_option_shows_in_the_graphs_figure(graph_folder, items):
    graph, schema = store.load(graph_folder)
    item = items[0]
    wrong = {**item, "option_ids": [item["target_id"]] * 2 + item["option_ids"][2:], "answer": "A"}
    assert graph_itself(Closure(graph, schema), [wrong]).accuracy < 1


def test_another_graph_is_refused(graph_folder, items):
    graph, schema = store.load(graph_folder)
    other = {**items[0], "path": [{**items[0]["path"][0], "edge_id": "core:gone"}]}
    with pytest.raises(InputError, match="core:gone"):
        graph_itself(Closure(graph, schema), [other])


def test_figures_of_the_data_itself(evaluated):
    base, sft, grpo = evaluated.scores
    count = base.items
    assert base.shares["accuracy"].mean == pytest.approx(np.mean([n % 3 == 0 for n in range(count)]))
    assert grpo.shares["format valid"].mean == 1.0
    assert grpo.shares["whole path stated"].mean > 0.9
    assert base.shares["whole path stated"].mean == 0.0
    assert sft.amounts["path statements"].mean > 0.8
    assert sft.amounts["path words (reward)"].mean < sft.amounts["path words (F1)"].mean
    assert sum(number for number, _ in base.facets["metapath"].values()) == count


def test_comparisons_are_paired_on_the_same_items(evaluated):
    pairs = {(one.first, one.second): one for one in evaluated.comparisons}
    assert set(pairs) == {("base", "sft"), ("base", "grpo"), ("sft", "grpo")}
    both = pairs["base", "grpo"]
    base, _, grpo = evaluated.scores
    assert both.difference.mean == pytest.approx(grpo.shares["accuracy"].mean - base.shares["accuracy"].mean)
    assert both.p_holm < 0.001


def test_rotated_replies_are_scored_in_the_order_shown(items, graph_folder, questions, tmp_path):
    _gold(items, lambda place: True, tmp_path, "sure", Asking(rotations=6))
    found = compare.evaluated(["sure"], "test", questions, tmp_path, graph_folder)
    assert found.scores[0].shares["right in all orders"].mean == 1.0
    assert found.scores[0].shares["same choice in all orders"].mean == 1.0
    assert found.scores[0].replies == 6 * len(items)


def test_a_model_that_always_says_b_is_right_in_all_orders_never(items, graph_folder, questions, tmp_path):
    rows = []
    for ask in asks(items, Asking(rotations=4)):
        rows.append(row(ask, Completion(reply("x", "y", "B"), 9, False, 1, 1)))
    write_table(tmp_path / "b" / "test" / "replies.parquet", rows, REPLY, {})
    found = compare.evaluated(["b"], "test", questions, tmp_path, graph_folder).scores[0]
    assert found.shares["accuracy"].mean == 0.25
    assert found.shares["right in all orders"].mean == 0.0
    assert found.shares["same choice in all orders"].mean == 0.0


def test_only_what_every_model_was_asked_is_compared(items, graph_folder, questions, tmp_path):
    _gold(items, lambda place: True, tmp_path, "all", Asking(rotations=2))
    _gold(items[:40], lambda place: True, tmp_path, "some")
    found = compare.evaluated(["all", "some"], "test", questions, tmp_path, graph_folder)
    assert [(one.items, one.replies) for one in found.scores] == [(40, 40), (40, 40)]


def test_replies_to_other_questions_are_refused(items, graph_folder, questions, tmp_path):
    _gold([{**items[0], "item_id": "gone"}], lambda place: True, tmp_path, "old")
    with pytest.raises(InputError, match="made anew"):
        compare.evaluated(["old"], "test", questions, tmp_path, graph_folder)


def test_majority_shares_ties_and_counts_no_answer_for_nothing(items, graph_folder):
    reader, item = scores.Reader(Schema.load()), items[0]

    def reads(*letters):
        ask = next(iter(asks([item], Asking())))
        return [reader.read(item, row(ask, Completion(reply("x", "y", letter), 5, False, 1, 1))) for letter in letters]

    right = item["answer"]
    wrong, other, _ = (letter for letter in LETTERS if letter != right)
    assert scores.majority(reads(right, right, wrong)) == 1.0
    assert scores.majority(reads(right, wrong)) == 0.5
    assert scores.majority(reads(right, wrong, wrong)) == 0.0
    assert scores.majority(reads(right, "?", "?")) == 1.0
    assert scores.majority(reads("?", "?")) == 0.0
    assert scores.majority(reads(right, wrong, other)) == pytest.approx(1 / 3)


def test_facets_of_an_item(items):
    item = {**items[0], "option_proofs": ["closed", "key", "absent", "contradicted"]}
    assert weakest_proof(item) == "absent"
    found = facets(
        item, {item["item_id"]: {"verdict": "accept", "pass_rate": 0.1}}, frozenset({item["path"][0]["edge_id"]})
    )
    assert (found["judged"], found["difficulty"]) == ("accept", "hard")
    assert found["facts seen in training"] == f"1 of {len(item['path'])}"


def test_replies_worth_reading_are_of_their_kind(evaluated):
    wrong_reason, right_path, fixed, broke = readings.readings(evaluated.answered)
    assert wrong_reason.found == 0  # the last model states its paths
    assert 0 < len(right_path.shown) <= 5
    assert all(not one.read.row["correct"] and min(one.read.stated.facts) >= 1 for one in right_path.shown)
    assert all(one.read.row["correct"] and not one.before[1].row["correct"] for one in fixed.shown)
    assert fixed.found > broke.found
    (only,) = [k for k in readings.readings({"base": evaluated.answered["base"]}) if "wrong reason" in k.title]
    assert only.found == evaluated.scores[0].shares["accuracy"].mean * evaluated.scores[0].items


def test_marked_text_loses_nothing():
    text = "The α-synuclein neurons, it's <b>so</b>.\n"
    pieces = readings.marked(text, frozenset({"synuclein", "neuron"}))
    assert "".join(piece for piece, _ in pieces) == text
    assert [piece for piece, hit in pieces if hit] == ["synuclein", "neurons"]


def test_the_page_is_self_contained_and_escapes_replies(evaluated):
    page = report.html(evaluated)
    assert "<think>" not in page
    assert "&lt;think&gt;" in page
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert not re.search(r"url\((?!#)", page)
    assert page.index("<h2>Models</h2>") < page.index("<h2>Plots</h2>") < page.index("<h2>Replies worth reading</h2>")


@pytest.mark.parametrize("width", [1280, 500])
def test_the_page_renders_in_a_browser(evaluated, tmp_path, width):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed: the page is not rendered")
    (tmp_path / "page.html").write_text(report.html(evaluated))
    picture = tmp_path / "page.png"
    arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={width},900",
        f"--screenshot={picture}",
    ]
    done = subprocess.run(
        [browser, *arguments, f"file://{tmp_path / 'page.html'}"], capture_output=True, timeout=240, check=False
    )
    assert picture.exists(), done.stderr[-500:]
    assert picture.stat().st_size > 30_000  # not an empty page


def test_the_table_names_models_baselines_and_the_graph(evaluated):
    text = report.as_text(evaluated)
    for name in ("base", "sft", "grpo", "random", "longest option", "the graph itself", "grpo − base"):
        assert name in text
    assert "100.0 %" in text


def test_scores_json_has_no_nan(evaluated):
    text = report.json_text(report.as_data(evaluated) | {"odd": float("nan")})
    assert json.loads(text)["odd"] is None


def test_numbers_for_people():
    assert report.percent(Interval(0.612, 0.58, 0.643, 0.01, 9)) == "61.2 % (58.0–64.3)"
    assert report.percent(Interval(0.5, float("nan"), float("nan"), 0.0, 1)) == "50.0 %"
    assert report.points(Interval(0.044, 0.02, 0.069, 0.01, 9)) == "+4.4 (2.0 to 6.9)"
    assert report.p_value(0.00001) == "< 0.0001"


def test_plots_are_the_same_bytes_every_time():
    rows = [
        ("a$b_c", Interval(0.5, 0.4, 0.6, 0.05, 9), True),
        ("x", Interval(0.25, float("nan"), float("nan"), 0, 1), False),
    ]
    assert plots.accuracies(rows) == plots.accuracies(rows)


def test_baselines_without_training_items_are_those_that_need_none(items):
    assert [one.name for one in baselines([], items, None)] == ["random", "longest option"]


def test_a_reply_stands_beside_the_reference_with_its_facts_ticked(items, tmp_path):
    told = f"{items[0]['reasoning']} <table>"
    _gold(items[:1], lambda place: place > 0, tmp_path, "sft", thinking=told)
    shown = beside(items[0], "sft", tmp_path)._repr_html_()
    assert "sft chose" in shown
    assert ", wrong" in shown
    assert f"reference: {items[0]['answer']}" in shown
    assert shown.count("✓") == len(items[0]["path"])
    assert "<mark" in shown
    assert "&lt;table&gt;" in shown
    with pytest.raises(InputError, match="no reply to item"):
        beside(items[1], "sft", tmp_path)


def test_all_24_orders_tell_a_model_that_knows_from_one_that_likes_a_letter(questions, graph_folder, items, tmp_path):
    some, every = items[:20], Asking(rotations=24)
    _gold(some, lambda place: True, tmp_path, "knows", every)
    rows = [row(ask, Completion(reply("I guess.", "So.", "A"), 9, False, 8, 3)) for ask in asks(some, every)]
    write_table(tmp_path / "letter" / "test" / "replies.parquet", rows, REPLY, {})
    found = compare.evaluated(["letter", "knows"], "test", questions, tmp_path, graph_folder)
    letter, knows = (one.shares for one in found.scores)
    assert found.about["orders of the options"] == "24"
    assert knows["right in all orders"].mean == knows["same choice in all orders"].mean == 1.0
    assert letter["accuracy"].mean == 0.25
    assert letter["right in all orders"].mean == letter["same choice in all orders"].mean == 0.0


# --- the command line ----------------------------------------------------------------------------------------


def _run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["evaluation", *map(str, arguments)])
    return main()


def test_run_asks_scores_and_writes_the_page(tiny, questions, graph_folder, tmp_path, monkeypatch, capsys):
    where = ["--questions", questions, "--graph", graph_folder, "--out", tmp_path]
    code = _run(monkeypatch, "run", "--models", f"base={tiny}", f"sft={tiny}", "--split", "test", "--asking.limit", 8,
                "--sampling.max_new_tokens", 60, *where)  # fmt: skip
    assert code == 0
    said = capsys.readouterr().out
    assert "the graph itself" in said
    assert (tmp_path / "report.html").exists()
    found = json.loads((tmp_path / "scores.json").read_text())
    assert found["models"]["base"]["items"] == 8
    assert found["models"]["base"]["shares"]["accuracy"] == found["models"]["sft"]["shares"]["accuracy"]
    assert _run(monkeypatch, "score", "--models", "base", "sft", *where) == 0
    assert json.loads((tmp_path / "scores.json").read_text()) == found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "holds no model; run `make sft` first"),
        (["run", "--models", "base"], "is no name=folder"),
        (["run", "--models", "base=x", "--split", "nothing"], "nothing.parquet"),
        (["score", "--models", "base"], "replies.parquet: not there"),
        (["run", "--models", "base=x", "--asking.rotations", "99"], "give 1 to 24"),
    ],
)
def test_mistakes_end_in_one_line_and_code_2(arguments, said, questions, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("evaluation.__main__.MODELS", tmp_path / "models")
    assert _run(monkeypatch, *arguments, "--questions", questions, "--out", tmp_path) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_models_may_be_written_without_brackets():
    assert folded(["run", "--models", "a=b", "c=d", "--out", "x"]) == [
        "run",
        "--models",
        '["a=b", "c=d"]',
        "--out",
        "x",
    ]
    assert folded(["run", "--models", '["a=b"]']) == ["run", "--models", '["a=b"]']


def test_orders_are_what_shown_uses(items):
    for rotation, order in enumerate(ORDERS):
        assert shown(items[0], rotation)[0] == tuple(items[0]["options"][place] for place in order)
