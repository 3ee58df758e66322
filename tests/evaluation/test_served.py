"""vLLM in this process: greedy float32 replies are those of transformers."""

from __future__ import annotations

import pytest

from evaluation.config import Asking, Engine, Model, Sampling
from evaluation.run import collect

GREEDY = Sampling(temperature=0.0, max_new_tokens=40)


@pytest.mark.vllm
def test_greedy_replies_are_those_of_transformers(tiny, items, tmp_path):
    def made(backend):
        engine = Engine(backend=backend, dtype="float32", batch=4)
        return collect(Model("tiny", str(tiny)), items[:4], Asking(), engine, GREEDY, tmp_path / backend)

    ours, theirs = made("transformers"), made("vllm")
    compared = ("item_id", "reply", "answer", "correct", "tokens", "truncated")
    assert [{k: row[k] for k in compared} for row in ours] == [{k: row[k] for k in compared} for row in theirs]


def test_an_engine_that_is_not_installed_is_named(items, tmp_path, monkeypatch):
    import importlib.util

    from kg.errors import InputError

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="backend vllm: not installed"):
        collect(Model("x", "y"), items[:1], Asking(), Engine(backend="vllm"), GREEDY, tmp_path)
