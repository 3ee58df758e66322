"""Without --models the stages of the recipe trained last are asked, its own questions if it made some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evaluation import __main__ as command
from evaluation.config import Asking, Model
from evaluation.run import WITHOUT_GPU, limited
from evaluation.trained import trained
from generation.judge.reviews import merge_reviews
from kg.errors import InputError
from tests.option_rows import row


def finished(folder: Path, age: int, recipe: str = "") -> None:
    """A folder as a finished model leaves it, written `age` seconds ago."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "recipe.yaml").write_text(recipe)
    (folder / "README.md").write_text("card")
    os.utime(folder / "README.md", (2_000_000_000 - age,) * 2)


def test_the_stages_of_the_newest_recipe_in_order(tmp_path: Path) -> None:
    finished(tmp_path / "old" / "sft" / "merged", 50, "model: hub/other")
    for age, stage in enumerate(("grpo", "sft/merged", "base")):
        finished(tmp_path / "tiny" / stage, age)
    found = trained(tmp_path)
    places = [Model(name, str(tmp_path / "tiny" / stage)) for name, stage in (("base", "base"), ("sft", "sft/merged"), ("grpo", "grpo"))]  # fmt: skip
    assert (found.recipe, found.models, found.questions) == ("tiny", places, None)


def test_a_recipe_that_makes_no_base_names_it(tmp_path: Path) -> None:
    finished(tmp_path / "qwen" / "sft" / "merged", 0, "model: Qwen/Qwen3-14B")
    found = trained(tmp_path)
    assert [one.name for one in found.models] == ["base", "sft"]
    assert found.models[0].place == "Qwen/Qwen3-14B"


def test_its_own_questions_are_asked_unless_others_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(tmp_path / "tiny" / "base", 0)
    own = tmp_path / "tiny" / "questions"
    own.mkdir()
    (own / "test.parquet").write_bytes(b"")
    monkeypatch.setattr(command, "MODELS", tmp_path)
    assert command._asked(None, "test", None)[1] == own
    assert command._asked(None, "neurobench_3hop", None)[1] == command.QUESTIONS
    assert command._asked(None, "test", Path("other"))[1] == Path("other")
    assert command._asked(["a=b"], "test", None) == ([Model("a", "b")], command.QUESTIONS)


def test_without_any_model_one_message_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no model; run `make sft` first"):
        trained(tmp_path)


def test_without_a_gpu_600_items_are_asked_by_default(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    items = [row(number, ["e:a", "e:b", "e:c", "e:d"], 0) for number in range(700)]
    monkeypatch.setattr("evaluation.run.gpus", lambda: [])
    assert len(limited(items, Asking())) == WITHOUT_GPU == 600
    assert "600 of 700 items are asked; --asking.limit 700 asks all" in capsys.readouterr().out
    assert len(limited(items, Asking(limit=650))) == 650
    monkeypatch.setattr("evaluation.run.gpus", lambda: [80.0])
    assert len(limited(items, Asking())) == 700


def test_items_that_people_rejected_are_left_out(tmp_path: Path, capsys) -> None:
    items = [row(number, ["e:a", "e:b", "e:c", "e:d"], 0) for number in range(4)]
    table = tmp_path / "reviews.csv"
    table.write_text("item_id,verdict,comment\nitem1,reject,two keys\nitem2,accept,\nitem3,reject,\nitem3,accept,\n")
    merge_reviews(table, tmp_path, {item["item_id"] for item in items})
    assert [item["item_id"] for item in command._not_rejected(items, tmp_path)] == ["item0", "item2", "item3"]
    assert "Rejected by people and left out: 1." in capsys.readouterr().out
