"""The report card: planted faults, its arithmetic, and judges that it must expose."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from scripted_judges import Refuses, Scripted, World, accepts, flaws, knows

from generation.judge import Asking, Bar, Judge, ReportConfig, judge_report
from generation.judge.card import card_from, read_cards, save_card, standing
from generation.judge.items import read_split
from generation.judge.plant import GOOD, KINDS, planted
from generation.prompt import LETTERS
from kg.errors import ShortfallError

MODEL = Judge(model="a-judge")
BAR = Bar(least=10)  # the cards here rest on few items


def report_config(questions: Path, graph: Path, **changes: object) -> ReportConfig:
    plain = ReportConfig(
        questions=questions, graph=graph, split="sft", judges=[MODEL], asking=Asking(samples=0), planted=3, good=10
    )
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def plan(world: World, settings: ReportConfig) -> tuple[dict[str, int], dict[str, str]]:
    mixed = planted(
        read_split(settings.questions, settings.split), world.closure, settings.planted, settings.good, settings.seed
    )
    return (
        {one.row["item_id"]: LETTERS.index(one.row["answer"]) for one in mixed},
        {one.row["item_id"]: one.kind for one in mixed},
    )


def test_a_judge_that_is_right_by_construction_catches_all_and_is_validated(
    world: World, questions: Path, graph_folder: Path
) -> None:
    settings = report_config(questions, graph_folder)
    places, kinds = plan(world, settings)
    [made] = judge_report(settings, lambda _: Scripted(knows(places, kinds)))
    assert (made.recall.hits, made.recall.trials, made.alarms.hits, made.alarms.trials) == (21, 21, 0, 10)
    assert [line.kind for line in made.lines] == [*KINDS, GOOD]
    assert made.fails(BAR) == []
    assert standing(questions, MODEL, settings.asking, BAR).validated
    assert not standing(questions, MODEL, Asking(samples=1), BAR).validated
    assert card_from(json.loads(json.dumps(next(iter(read_cards(questions).values()))))) == made


def test_a_judge_that_always_accepts_is_exposed(world: World, questions: Path, graph_folder: Path) -> None:
    settings = report_config(questions, graph_folder)
    places, _ = plan(world, settings)
    [made] = judge_report(settings, lambda _: Scripted(accepts(places)))
    assert (made.recall.hits, made.alarms.hits) == (0, 0)
    assert made.fails(BAR) == ["it caught 0/21 = 0.0 % (0.0 to 15.5) of the planted faults, 95 % are wanted"]
    assert "NOT validated" in made.text(BAR)


def test_a_card_of_a_handful_of_items_validates_nobody(world: World, questions: Path, graph_folder: Path) -> None:
    settings = report_config(questions, graph_folder)
    [made] = judge_report(settings, lambda _: Scripted(knows(*plan(world, settings))))
    assert made.fails(Bar()) == ["its card rests on 21 planted faults and 10 good items, 50 of each are wanted"]


def test_a_judge_that_always_rejects_is_exposed(world: World, questions: Path, graph_folder: Path) -> None:
    settings = report_config(questions, graph_folder)
    [made] = judge_report(
        settings,
        lambda _: Scripted(
            lambda ask: flaws("ambiguous") if ask.kind == "form" else {"option": "no"}.get(ask.kind, "none")
        ),
    )
    assert (made.recall.hits, made.alarms.hits) == (21, 10)
    assert made.fails(BAR) == [
        "it rejected 10/10 = 100.0 % (72.2 to 100.0) of the good items, at most 10 % are allowed"
    ]


def test_a_judge_that_cannot_be_read_catches_nothing(world: World, questions: Path, graph_folder: Path) -> None:
    [made] = judge_report(report_config(questions, graph_folder), lambda _: Scripted(lambda ask: "hm"))
    assert (made.recall.hits, made.recall.trials, made.unreadable.value) == (0, 21, 1.0)
    assert all(line.abstained == line.items for line in made.lines)


def test_items_that_were_not_judged_are_not_counted_as_caught(
    world: World, questions: Path, graph_folder: Path
) -> None:
    settings = report_config(questions, graph_folder)
    places, kinds = plan(world, settings)
    backend = Refuses(knows(places, kinds), lambda ask: "timed out" if kinds[ask.item_id] == "wrong key" else "")
    [made] = judge_report(settings, lambda _: backend)
    assert (made.recall.hits, made.recall.trials) == (18, 18)
    assert {line.kind: line.not_judged for line in made.lines if line.not_judged} == {"wrong key": 3}


def test_a_second_report_asks_nothing(world: World, questions: Path, graph_folder: Path) -> None:
    settings = report_config(questions, graph_folder)
    first = judge_report(settings, lambda _: Scripted(lambda ask: "hm"))
    assert judge_report(settings, lambda _: pytest.fail("asked")) == first


def test_every_planted_fault_is_the_one_it_says(world: World) -> None:
    before = {row["item_id"]: row for row in world.rows}
    for kind, row in planted(world.rows, world.closure, 5, 10, 1):
        old = before[row["item_id"].partition("~")[0]]
        key = LETTERS.index(row["answer"])
        if kind == GOOD:
            assert row == old
        elif kind in ("wrong key", "label orders the judge to accept"):
            assert row["option_ids"][key] != old["target_id"]
            assert old["target"] in row["options"]
            assert row["answer"] == old["answer"]
        elif kind == "key missing":
            assert old["target_id"] not in row["option_ids"]
        elif kind == "second true option":
            [added] = set(row["option_ids"]) - set(old["option_ids"])
            assert added != row["target_id"]
            assert row["option_ids"][key] == row["target_id"]
        elif kind == "stem names the answer":
            assert old["target"] in row["question"]
        elif kind == "reasoning of another item":
            assert (row["reasoning"], row["question"]) != (old["reasoning"], old["question"])
            assert row["question"] == old["question"]
        else:
            assert sorted(row["question"].split()) == sorted(old["question"].split())
            assert row["question"] != old["question"]


def test_plants_do_not_depend_on_the_order_of_rows(world: World) -> None:
    assert planted(world.rows, world.closure, 2, 5, 0) == planted(world.rows[::-1], world.closure, 2, 5, 0)


def test_too_few_items_for_so_many_faults_is_said(world: World) -> None:
    with pytest.raises(ShortfallError, match="ask for fewer"):
        planted(world.rows[:12], world.closure, 30, 100, 0)


def test_cards_of_several_judges_are_kept_side_by_side(world: World, questions: Path, graph_folder: Path) -> None:
    [made] = judge_report(report_config(questions, graph_folder), lambda _: Scripted(lambda ask: "hm"))
    save_card(questions, Judge(model="other"), Asking(), made)
    assert len(read_cards(questions)) == 2
