"""The stage over real items: what is kept, what is asked again, what people change."""

from __future__ import annotations

import dataclasses
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_judges import Refuses, Scripted, World, knows
from stage_runs import MODEL, config, keys, ran, rejects, verdicts

from generation.item import ITEM
from generation.judge import (
    Asking,
    Judge,
    judge,
    merge_reviews,
)
from generation.judge.items import read_split
from generation.judge.verdict import VERDICT
from kg.errors import InputError, ShortfallError
from kg.store import read_rows


def test_every_item_gets_one_verdict_and_items_do_not_change(world: World, questions: Path, graph_folder: Path) -> None:
    before = (questions / "test.parquet").read_bytes()
    outcome, backend = ran(config(questions, graph_folder), knows(keys(world)))
    accepted = {"reject": 0, "abstain": 0}
    assert outcome.splits == {"grpo": {"accept": 40, **accepted}, "test": {"accept": 20, **accepted}}
    assert set(verdicts(questions)) == {row["item_id"] for row in world.rows[:40] + world.rows[48:68]}
    assert (questions / "test.parquet").read_bytes() == before
    assert backend.closed


def test_a_second_run_asks_nothing_and_opens_no_engine(world: World, questions: Path, graph_folder: Path) -> None:
    ran(config(questions, graph_folder), knows(keys(world)))
    first = (questions / "verdicts.parquet").read_bytes()

    def never(_: Judge) -> Scripted:
        raise AssertionError("an engine was opened")

    outcome = judge(config(questions, graph_folder), never)
    assert outcome.asked == {"a-judge": 0}
    assert (questions / "verdicts.parquet").read_bytes() == first


@pytest.mark.parametrize("change", ["model", "dtype", "prompt", "asking", "item"])
def test_whatever_a_verdict_depends_on_is_asked_again(
    change: str, world: World, questions: Path, graph_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config(questions, graph_folder, splits=["test"])
    ran(settings, knows(keys(world)))
    expected = 20
    if change == "prompt":
        monkeypatch.setattr("generation.judge.shards.prompt_hash", lambda: "other")
    elif change == "item":
        rows = read_split(questions, "test")
        rows[0]["question"] += " (again)"
        from kg.store import write_table

        write_table(questions / "test.parquet", rows, ITEM, {})
        expected = 1
    elif change == "asking":
        settings = dataclasses.replace(settings, asking=Asking(samples=3))
    else:
        settings = dataclasses.replace(settings, judges=[dataclasses.replace(MODEL, **{change: "float32"})])
    outcome, _ = ran(settings, knows(keys(world)))
    assert sum(outcome.asked.values()) == expected


def test_a_folder_model_is_known_by_its_files(tmp_path: Path) -> None:
    from generation.judge.shards import model_identity

    (tmp_path / "model.safetensors").write_bytes(b"weights")
    first = model_identity(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"weighty")
    assert model_identity(str(tmp_path)) != first


def test_two_judges_vote_and_their_agreement_is_told(world: World, questions: Path, graph_folder: Path) -> None:
    bad = {row["item_id"] for row in world.rows[:10]}
    says = {"a-judge": rejects(world, bad), "b-judge": knows(keys(world))}
    settings = config(questions, graph_folder, judges=[MODEL, Judge(model="b-judge")], fill="never", splits=["grpo"])
    outcome = judge(settings, lambda one: Scripted(says[one.name]))
    assert outcome.splits["grpo"] == {"accept": 30, "reject": 0, "abstain": 10}
    assert outcome.kappas == {"a-judge / b-judge": 0.0}
    rows = read_rows(questions / "verdicts.parquet", VERDICT)
    assert all(len(row["votes"]) == 2 for row in rows)


def test_people_win_over_the_model_and_measure_it(
    world: World, questions: Path, graph_folder: Path, tmp_path: Path
) -> None:
    table = tmp_path / "reviews.csv"
    ids = [row["item_id"] for row in world.rows[:3]]
    table.write_text(
        f'item_id,verdict,comment\n{ids[0]},reject,"wrong, I think"\n{ids[1]},Accept,\n{ids[2]},accept,fine\n',
        encoding="utf-8",
    )
    done = merge_reviews(table, questions, {row["item_id"] for row in world.rows})
    assert (done.read, done.replaced, done.total) == (3, 0, 3)
    assert merge_reviews(table, questions, set(ids)).replaced == 3
    outcome, _ = ran(config(questions, graph_folder), knows(keys(world)))
    assert outcome.splits["grpo"] == {"accept": 39, "reject": 1, "abstain": 0}
    assert ids[0] not in {row["item_id"] for row in read_split(questions, "grpo")}
    assert verdicts(questions)[ids[0]] == "accept"  # the model's own verdict stays as it is
    assert outcome.with_people["a-judge"].startswith("2/3 = 66.7 %")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,verdict\n1,accept\n", "'item_id' is missing"),
        ("item_id,verdict\nnope,accept\n", "no item has the id 'nope'"),
        ("", "is missing"),
    ],
)
def test_a_review_that_does_not_fit_is_refused_whole(text: str, said: str, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        merge_reviews(tmp_path / "r.csv", questions, {"i"})
    assert not (questions / "reviews.parquet").exists()


def test_a_verdict_misspelt_names_the_nearest(questions: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("item_id,verdict\ni,acept\n")
    with pytest.raises(InputError, match="line 2: verdict 'acept' is unknown; did you mean 'accept'"):
        merge_reviews(tmp_path / "r.csv", questions, {"i"})


# --- items that cannot be judged ------------------------------------------------------------------------


def test_an_item_that_does_not_fit_is_reported_and_gets_no_verdict(
    world: World, questions: Path, graph_folder: Path
) -> None:
    long = world.rows[0]["item_id"]
    backend = Refuses(
        knows(keys(world)), lambda ask: "does not fit" if ask.item_id == long and ask.kind == "form" else ""
    )
    settings = config(questions, graph_folder, splits=["grpo"], fill="never")
    first = judge(settings, lambda _: backend)
    assert "not judged: 1 (does not fit)" in first.text()
    with pytest.raises(ShortfallError, match="1 items were not judged"):
        first.check()
    assert len(verdicts(questions)) == 39
    outcome, again = ran(settings, knows(keys(world)))
    assert outcome.asked == {"a-judge": 1}
    assert {ask.item_id for ask in again.asked} == {long}


def test_a_server_that_is_lost_loses_the_batch_in_flight_and_nothing_else(
    world: World, questions: Path, graph_folder: Path
) -> None:
    class Lost(Scripted):
        def answer(self, asks, attempt):  # type: ignore[no-untyped-def]
            if len({ask.item_id for ask in self.asked}) >= 14:
                raise ShortfallError("lost")
            return super().answer(asks, attempt)

    settings = config(questions, graph_folder, splits=["grpo"], fill="never")
    with pytest.raises(ShortfallError, match="lost"):
        judge(settings, lambda _: Lost(knows(keys(world))))
    outcome, _ = ran(settings, knows(keys(world)))
    assert outcome.asked == {"a-judge": 26}
    assert len(verdicts(questions)) == 40


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from generation.judge import Asking, Config, Judge, judge
from kg.errors import InputError
from stage_runs import MODEL, config, keys, ran, rejects, verdicts
from scripted_judges import Scripted, flaws
calls = []
def say(ask):
    if ask.item_id not in calls:
        calls.append(ask.item_id)
        if len(calls) == 15:  # the disk is full from the third batch on
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
    return flaws() if ask.kind == "form" else "no" if ask.kind == "option" else "A"
try:
    judge(Config(Path({questions!r}), Path({graph!r}), ["grpo"], [Judge(model="a-judge")], Asking(samples=2), batch=7, fill="never"), lambda _: Scripted(say))
except InputError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def test_a_full_disk_ends_the_run_in_words_and_keeps_what_was_kept(
    world: World, questions: Path, graph_folder: Path
) -> None:
    script = FULL.format(here=str(Path(__file__).parent), questions=str(questions), graph=str(graph_folder))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONWARNINGS": "ignore"}
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stdout
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 512
    outcome, _ = ran(config(questions, graph_folder, splits=["grpo"], fill="never"), knows(keys(world)))
    assert outcome.asked == {"a-judge": 26}
    assert not list((questions / "judge").rglob("*.tmp"))
