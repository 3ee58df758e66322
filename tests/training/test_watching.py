"""Alarms, pass rates, figures of the learning experiment, slices, the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.checks import faults, truth
from generation.make import Made
from generation.prompt import reply
from kg.closure import Closure
from kg.errors import InputError, ShortfallError
from training import chains, learn_report, pass_rate, recipe
from training.chains import Questions
from training.commands import main
from training.recipe import PassRate, Slice

# --- alarms ------------------------------------------------------------------------------------------

LOGS = [
    ({"completions/clipped_ratio": 0.51}, "51% of completions were cut"),
    ({"frac_reward_zero_std": 0.8}, "80% of groups have no spread"),
    ({"answers/A": 0.1, "answers/B": 0.61}, "61% of answers are B"),
    ({"kl": 2.0}, "KL 2.000 runs away (median before: 0.050)"),
]


@pytest.mark.parametrize(("logs", "message"), LOGS)
def test_alarms_say_what_and_which_setting(logs: dict[str, float], message: str) -> None:
    alarms = pytest.importorskip("training.alarms", reason="the training extra is not installed")
    (found,) = alarms.warnings_of(logs, [0.05] * 6)
    assert found.startswith(message)
    assert ": " in found


def test_healthy_logs_raise_no_alarm() -> None:
    alarms = pytest.importorskip("training.alarms", reason="the training extra is not installed")
    logs = {"completions/clipped_ratio": 0.5, "frac_reward_zero_std": 0.7, "answers/C": 0.6, "kl": 0.4}
    assert alarms.warnings_of(logs, [0.05] * 6) == []
    assert alarms.warnings_of({"kl": 3.0}, [0.01]) == []  # too early to know


def test_the_observer_logs_letters_and_the_rollout_columns() -> None:
    alarms = pytest.importorskip("training.alarms", reason="the training extra is not installed")
    metrics: dict[str, float] = {}
    extra: dict[str, list[Any]] = {}
    hop = {"head": "a", "predicate": "inhibits", "tail": "b"}
    rewards = alarms.observer()(completions=[reply("t", "e", "A"), "none"], answer=["A", "B"], item_id=["1", "2"], path=[[hop], [hop]], hops=[1, 1],
                                log_metric=metrics.__setitem__, log_extra=extra.__setitem__)  # fmt: skip
    assert rewards == [0.0, 0.0]
    assert metrics == {
        "answers/A": 0.5,
        "answers/B": 0,
        "answers/C": 0,
        "answers/D": 0,
        "answers/none": 0.5,
        "answers/right": 0.5,
    }
    assert extra["right"] == [True, False]
    assert extra["path"] == ["a inhibits b"] * 2


# --- pass rates --------------------------------------------------------------------------------------


def test_prompts_are_kept_by_their_measured_rate_and_losses_are_counted(small_made: Made, tmp_path: Path) -> None:
    items = small_made.items["grpo"][:4]
    right = {0: 4, 1: 2, 2: 0}
    replies = [
        [reply("t", "e", item["answer"])] * right.get(n, 0) + [reply("t", "e", "x")] * (4 - right.get(n, 0))
        for n, item in enumerate(items[:3])
    ]
    known = pass_rate.write_rollouts(tmp_path / "rates.parquet", items[:3], replies, {})
    assert [known[item["item_id"]] for item in items[:3]] == [1.0, 0.5, 0.0]
    said: list[str] = []
    assert pass_rate.keep(items, known, PassRate("x", 0.2, 0.8), said.append) == [items[1]]
    assert said == ["pass-rate filter 0.2 to 0.8: kept 1, not measured 1, too easy 1, too hard 1"]
    with pytest.raises(InputError, match=r"band 0\.9 to 0\.1"):
        pass_rate.keep(items, known, PassRate("x", 0.9, 0.1), said.append)


def test_a_table_without_the_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        pass_rate.rates(tmp_path / "no.parquet")
    pq.write_table(pa.table({"item_id": ["x"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="needs the columns item_id and right"):
        pass_rate.rates(tmp_path / "x.parquet")


# --- figures of the learning experiment --------------------------------------------------------------


def test_intervals_count_a_chain_as_one_cluster() -> None:
    one = learn_report.clustered([1.0] * 50 + [0.0] * 50, ["a"] * 50 + ["b"] * 50)
    many = learn_report.clustered([1.0] * 50 + [0.0] * 50, [str(n) for n in range(100)])
    assert one.mean == many.mean == 0.5
    assert (one.low, one.high) == (0.0, 1.0)
    assert 0.39 < many.low < 0.42
    assert 0.58 < many.high < 0.61


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd")), min_size=1, max_size=40))
def test_intervals_hold_their_mean_between_0_and_1(rows: list[tuple[bool, str]]) -> None:
    found = learn_report.clustered([float(right) for right, _ in rows], [chain for _, chain in rows])
    assert 0 <= found.low <= found.high <= 1
    assert found.mean == pytest.approx(sum(right for right, _ in rows) / len(rows))


def test_differences_are_paired_by_prompt() -> None:
    first = [{"item_id": str(n), "path_id": str(n % 3), "right": n < 6} for n in range(9)]
    second = [{**row, "right": True} for row in first]
    assert learn_report.paired(first, second[::-1]).mean == pytest.approx(3 / 9)


# --- slices ------------------------------------------------------------------------------------------

NERVES = Slice(("^innervates > branch_of", "^innervates > exits_from", "^innervates > passes_through", "^innervates > lesion_causes"), 2, 60, (0.5, 0.2, 0.3),
               (2, 2, 2), 1, "plain", False, 0)  # fmt: skip


@pytest.fixture(scope="module")
def nerves(core_closure: Closure) -> Questions:
    return Questions(core_closure, chains.choose(core_closure, NERVES), NERVES)


def test_chains_and_pairs_of_ends_fall_into_one_split(nerves: Questions) -> None:
    parts = nerves.chosen.chains
    assert all(parts[name] for name in chains.SPLITS)
    pairs = {name: {walk.pair for walk in part} for name, part in parts.items()}
    for one, other in (("sft", "test"), ("sft", "grpo"), ("grpo", "test")):
        assert not pairs[one] & pairs[other]

    assert len(nerves.chosen.facts) <= 60


def test_facts_of_held_out_chains_are_told_closed_book(nerves: Questions) -> None:
    told = {form["statement"] for form in nerves.statements()}
    label = nerves.closure.graph.label
    for walk in nerves.chosen.chains["test"]:
        for hop in walk.hops:
            assert any(
                label(hop.fact.head_id).lower() in text.lower() and label(hop.fact.tail_id).lower() in text.lower()
                for text in told
            )


def test_every_hop_of_a_held_out_chain_is_walked_for_sft_too(nerves: Questions) -> None:
    parts = nerves.chosen.chains
    walked = set(chains.directed(parts["sft"]))
    assert set(chains.directed(parts["test"] + parts["grpo"])) <= walked


# A slice takes the answers of its walks as options as they come: their reasoning may be short, their words shared.
SLICE_MAY = ("the reasoning has under 25 or over 300 words", "only the key shares a word with the stem")


def test_questions_of_a_slice_pass_the_gates_of_the_main_job(nerves: Questions) -> None:
    rows = nerves.split("test")
    assert len(rows) >= len(nerves.chosen.chains["test"])
    assert len({row["item_id"] for row in rows}) == len(rows)
    for row in rows:
        assert truth(nerves.closure, row) is None
        assert faults(row) in (None, *SLICE_MAY)
        assert f"{row['answer']}. {row['target']}: yes." in row["reasoning"]
        assert row["reasoning"].count(": no.") == 3


def test_a_slice_without_chains_is_a_shortfall(core_closure: Closure) -> None:
    with pytest.raises(ShortfallError, match="only 0 chains"):
        chains.choose(
            core_closure, Slice(("treats > treats",), 2, 60, (0.5, 0.2, 0.3), (1, 1, 1), 1, "plain", False, 0)
        )


# --- the command line --------------------------------------------------------------------------------


def test_redteam_prints_and_saves_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redteam", "--out", str(tmp_path), "--graph", str(tmp_path)]) == 0
    assert "| honest prose |" in capsys.readouterr().out
    assert len(json.loads((tmp_path / "redteam.json").read_text())) >= 20


def test_plan_is_printed_without_weights(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "qwen3-14b/grpo"]) == 0
    assert "= 16\n" in capsys.readouterr().out


BAD = [
    (["sft", "--recipe", "tiny_cpu"], "did you mean 'tiny-cpu'"),
    (["sft", "--recipe", "tiny-cpu", "--learning_rat=1"], "did you mean 'learning_rate'"),
    (["sft", "--resum"], "did you mean '--resume'"),
    (["redteam", "--beta=1"], "takes no settings"),
    (["ask"], "give --question"),
    (["plan", "qwen3-14b/grpo", "--memory", "40"], "there are 40"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_usage_ends_in_a_message_and_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*arguments, "--models", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_recipes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes"]) == 0
    assert capsys.readouterr().out.split() == recipe.names()
