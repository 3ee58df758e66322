"""The real vLLM in this process, and set against transformers and a real server.

All models here are tiny and random: what is tested is that every way of asking is the same judge, never what a judge knows.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from real_engine import GREEDY, ODD_OPTIONS, Kept, judge_here, judge_there
from scripted_judges import World

from generation.judge import Asking, Judge, ReportConfig, judge_report
from generation.judge.ask import Ask, asks, read
from generation.judge.card import Bar
from generation.judge.engine import Engine
from generation.judge.local import LocalServer
from generation.judge.server import Server
from kg.errors import InputError

pytestmark = pytest.mark.vllm


# --- in process -----------------------------------------------------------------------------------------


def test_every_reply_lies_in_its_set(world: World, engine: Engine, undisturbed: list[dict[str, object]]) -> None:
    wanted: list[Ask] = [ask for one in world.seen[:4] for ask in asks(one, Asking(samples=2, reason_chars=30), 0)]
    answers = engine.answer(wanted, 0)
    assert all(answer.finish == "stop" for answer in answers)
    assert all(read(ask, answer.text) is not None for ask, answer in zip(wanted, answers, strict=True))
    assert len(undisturbed) == 20


def test_a_seeded_sample_is_the_same_again(world: World, engine: Engine) -> None:
    wanted = [ask for ask in asks(world.seen[0], Asking(samples=8), 0) if ask.kind == "closed_book"]
    first, second = ([answer.text for answer in engine.answer(wanted, 0)] for _ in range(2))
    assert first == second
    assert len(set(first)) > 1


def test_an_item_that_is_too_long_is_reported_and_its_batch_is_judged(world: World, engine: Engine) -> None:
    long = world.seen[0]._replace(reasoning="word " * 6000)
    answers = engine.answer([ask for one in (long, world.seen[1]) for ask in asks(one, GREEDY, 0)], 0)
    assert [answer.failed for answer in answers].count("does not fit") == 1
    assert sum(answer.failed == "" for answer in answers) == len(answers) - 1


def test_option_texts_that_look_like_the_schema_or_like_control_tokens_are_read_as_text(
    world: World, engine: Engine
) -> None:
    odd = world.seen[0]._replace(options=ODD_OPTIONS)
    wanted = list(asks(odd, GREEDY, 0))
    start = engine.tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert {engine.tokens(ask).count(start) for ask in wanted} == {3}
    assert all(read(ask, a.text) is not None for ask, a in zip(wanted, engine.answer(wanted, 0), strict=True))


def test_an_engine_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="vLLM cannot start"):
        Engine(Judge(model=str(tmp_path)))


# --- three ways to one number ---------------------------------------------------------------------------


def test_option_log_probabilities_agree_by_engine_server_and_transformers(
    world: World, model: Path, engine: Engine, server: LocalServer
) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    wanted = [ask for one in world.seen[:6] for ask in asks(one, GREEDY, 0) if ask.kind in ("open_book", "closed_book")]
    letters = [engine.tokenizer.convert_tokens_to_ids(letter) for letter in "ABCD"]
    here = torch.tensor(engine.letter_logprobs(wanted, letters))
    over_http = Server(judge_there(server))
    there = torch.tensor(over_http.letter_logprobs(wanted, letters))
    over_http.close()
    plain = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()
    with torch.no_grad():
        rows = [
            torch.log_softmax(plain(torch.tensor([engine.tokens(ask)])).logits[0, -1], -1)[letters] for ask in wanted
        ]
    assert (here - torch.stack(rows)).abs().max() < 1e-3
    assert (here - there).abs().max() < 1e-3


# --- the report card ------------------------------------------------------------------------------------


def test_a_report_card_of_a_real_judge_that_knows_nothing_exposes_it(
    questions: Path, graph_folder: Path, model: Path, engine: Engine
) -> None:
    settings = ReportConfig(
        questions=questions,
        graph=graph_folder,
        split="sft",
        judges=[judge_here(model)],
        asking=Asking(samples=0),
        planted=1,
        good=4,
    )
    [made] = judge_report(settings, lambda _: Kept(engine))
    assert made.fails(Bar())
    assert made.unreadable.hits == 0
    assert sum(line.items for line in made.lines) == 11
