"""Asking models: orders of the options, resuming, refusing to mix, sampling that does not depend on company."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import asking, local, replies, run
from evaluation.config import Asking, Engine, Model, Sampling, models_of
from generation.prompt import LETTERS, reply
from kg.errors import InputError
from tests.option_rows import fair, row

FEW = Sampling(max_new_tokens=60)


def test_the_first_four_orders_are_the_cyclic_rotations_and_all_24_differ():
    assert asking.ORDERS[:4] == ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))
    assert len(set(asking.ORDERS)) == 24


@given(st.integers(0, 23), st.integers(0, 3))
def test_the_shown_letter_always_stands_before_the_key(rotation, key):
    item = row(0, ["e:a", "e:b", "e:c", "e:d"], key)
    options, answer = asking.shown(item, rotation)
    assert options[LETTERS.index(answer)] == item["options"][key]
    assert asking.stored_letter(answer, rotation) == item["answer"]


def test_a_limit_draws_the_same_items_for_every_model_and_a_larger_one_keeps_them():
    items = fair(50, 1)
    few = {item["item_id"] for item in asking.chosen(items, 10)}
    assert few == {item["item_id"] for item in asking.chosen(items, 10)}
    assert few < {item["item_id"] for item in asking.chosen(items, 20)}
    assert asking.chosen(items, 99) == items


def test_asks_are_items_by_rotations_by_samples():
    found = list(asking.asks(fair(3, 1), Asking(rotations=2, samples=2)))
    assert len(found) == 12
    assert len({ask.key for ask in found}) == 12
    assert len({ask.draw(0) for ask in found} | {found[0].draw(1)}) == 13


def test_a_reply_is_read_by_the_one_parser():
    ask = asking.Ask("i", 1, 0, "Which?", ("b", "c", "d", "a"), "D")
    read = replies.row(ask, replies.Completion(reply("Thought.", "Because.", "D"), 40, False, 8, 2))
    assert (read["answer"], read["correct"], read["format_valid"]) == ("D", True, True)
    assert replies.row(ask, replies.Completion("no answer", 3, True, 0, 0))["correct"] is False


@pytest.mark.parametrize("given", [["base"], ["=x"], ["a b=x"], ["a=x", "a=y"], [], ["a="]])
def test_models_that_cannot_be_read_are_named(given):
    with pytest.raises(InputError, match="--models"):
        models_of(given)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (Sampling(temperature=-1), "temperature"),
        (Sampling(top_p=0), "top_p"),
        (Sampling(max_new_tokens=0), "max_new_tokens"),
        (Asking(rotations=25), "rotations"),
        (Asking(limit=0), "limit"),
        (Engine(batch=0), "batch"),
        (Engine(dtype="int8"), "dtype"),
    ],
)
def test_settings_out_of_range_are_named(settings, named):
    with pytest.raises(InputError, match=named):
        settings.check()


# --- with a model --------------------------------------------------------------------------------------------


def _collect(tiny, items, folder, **other):
    values = {"asking": Asking(), "engine": Engine(batch=5), "sampling": FEW} | other
    return run.collect(Model("tiny", str(tiny)), items, folder=folder, **values)


def test_replies_are_kept_and_a_rerun_asks_nothing(tiny, items, tmp_path, monkeypatch):
    first = _collect(tiny, items[:12], tmp_path)
    assert len(first) == 12
    assert {row["answer"] for row in first} & set(LETTERS)
    monkeypatch.setattr(run, "load", lambda *_: pytest.fail("the model was loaded"))
    assert _collect(tiny, items[:12], tmp_path) == first
    assert not (tmp_path / "parts").exists()


def test_a_killed_run_goes_on_with_what_is_missing(tiny, items, tmp_path, monkeypatch):
    whole = _collect(tiny, items[:12], tmp_path / "whole")
    real, batches = replies.Store.add, []

    def dies(store, rows):
        if len(batches) == 1:
            raise KeyboardInterrupt
        batches.append(rows)
        real(store, rows)

    monkeypatch.setattr(replies.Store, "add", dies)
    with pytest.raises(KeyboardInterrupt):
        _collect(tiny, items[:12], tmp_path / "killed")
    monkeypatch.setattr(replies.Store, "add", lambda store, rows: (batches.append(rows), real(store, rows)))
    assert _collect(tiny, items[:12], tmp_path / "killed") == whole
    assert sum(map(len, batches)) == 12


def test_a_reply_does_not_depend_on_its_company(tiny, items, tmp_path):
    together = _collect(tiny, items[:6], tmp_path / "a", engine=Engine(batch=6))
    alone = _collect(tiny, items[:6], tmp_path / "b", engine=Engine(batch=1))
    assert [row["reply"] for row in together] == [row["reply"] for row in alone]


def test_samples_differ_and_greedy_ones_do_not(tiny, items, tmp_path):
    sampled = _collect(tiny, items[:8], tmp_path / "s", asking=Asking(samples=3))
    assert len({(row["item_id"], row["reply"]) for row in sampled}) > 8
    greedy = dataclasses.replace(FEW, temperature=0.0)
    same = _collect(tiny, items[:8], tmp_path / "g", asking=Asking(samples=2), sampling=greedy)
    assert len({(row["item_id"], row["reply"]) for row in same}) == 8


def test_greedy_is_what_transformers_generates(tiny, items):
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    greedy = Sampling(temperature=0.0, max_new_tokens=40)
    asks = list(asking.asks(items[:3], Asking()))
    ours = {
        a.key: c
        for some, made in local.Local(Model("t", str(tiny)), Engine(), greedy).replies(asks, False)
        for a, c in zip(some, made, strict=True)
    }
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    for ask in asks:
        ids = tokenizer(local.prompt(tokenizer, ask, False), add_special_tokens=False, return_tensors="pt")
        with torch.inference_mode():
            made = model.generate(**ids, max_new_tokens=40, do_sample=False, repetition_penalty=1.15)
        new = made[0, ids["input_ids"].shape[1] :]
        assert tokenizer.decode(new, skip_special_tokens=True) == ours[ask.key].text
        assert len(new) == ours[ask.key].tokens


def test_other_settings_are_not_mixed_in(tiny, items, tmp_path):
    _collect(tiny, items[:2], tmp_path)
    with pytest.raises(InputError, match=r"temperature = 0\.6, now it is 1"):
        _collect(tiny, items[:2], tmp_path, sampling=dataclasses.replace(FEW, temperature=1.0))
    assert (
        len(_collect(tiny, items[:2], tmp_path, sampling=dataclasses.replace(FEW, temperature=1.0), restart=True)) == 2
    )


def test_items_made_anew_are_not_taken_for_the_old_ones(tiny, items, tmp_path):
    _collect(tiny, items[:2], tmp_path)
    with pytest.raises(InputError, match="read differently"):
        _collect(tiny, [{**items[0], "question": "Another?"}, items[1]], tmp_path)


def test_truncated_replies_are_marked(tiny, items, tmp_path):
    rows = _collect(tiny, items[:2], tmp_path, sampling=Sampling(max_new_tokens=5))
    assert all(row["truncated"] and row["tokens"] == 5 for row in rows)


def test_a_model_that_is_not_there_is_named(items, tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(InputError, match="model tiny: "):
        _collect(tmp_path / "nothing", items[:2], tmp_path / "out")


def test_a_prompt_that_does_not_fit_is_named(tiny, items, tmp_path):
    with pytest.raises(InputError, match="max_new_tokens is 4096; lower it to"):
        _collect(tiny, items[:2], tmp_path, sampling=Sampling(max_new_tokens=4096))
