"""A tiny Qwen3 with a tokenizer trained on the small graph's questions: the fixture that stands in for real models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generation.item import ITEM
from generation.make import Made
from generation.prompt import SYSTEM_PROMPT
from kg.store import write_table
from training import examples, recipe
from training.recipe import Grpo, Network, PassRate, Sft

NETWORK = Network(
    layers=2, hidden=64, heads=2, kv_heads=1, head_dim=32, intermediate=128, spread=0.02, vocabulary=700, names=False
)


@pytest.fixture(scope="session")
def questions(small_made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of question files as the main job writes them."""
    folder = tmp_path_factory.mktemp("questions")
    for name in ("sft", "grpo", "test"):
        write_table(folder / f"{name}.parquet", small_made.items[name], ITEM, {})
    return folder


@pytest.fixture(scope="session")
def tiny_tokenizer(small_made: Made) -> Any:
    pytest.importorskip("tokenizers", reason="the training extra is not installed")
    pytest.importorskip("transformers", reason="the training extra is not installed")
    from training import tiny

    chats = [examples.chat(item, False) for item in small_made.items["sft"]]
    texts = [message["content"] for one in chats for message in (*one.prompt, *one.completion)]
    return tiny.tokenizer_for([*texts, SYSTEM_PROMPT], NETWORK.vocabulary)


@pytest.fixture(scope="session")
def tiny_model(tiny_tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model folder with random weights."""
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training import tiny, weights

    folder = tmp_path_factory.mktemp("tiny-model")
    weights.save(tiny.qwen3(NETWORK, tiny_tokenizer, seed=0), tiny_tokenizer, folder)
    return folder


@pytest.fixture
def sft_recipe(tiny_model: Path, questions: Path) -> Sft:
    read = recipe.load(recipe.path_of("tiny-cpu", "sft"), Sft)
    return replace(read, model=str(tiny_model), questions=str(questions), closed_book=0.0, per_device_batch=4, max_steps=4, save_steps=2,
                   log_steps=1, limit=40, track="none", learning_rate=1e-3)  # fmt: skip


@pytest.fixture
def grpo_recipe(tiny_model: Path, questions: Path) -> Grpo:
    read = recipe.load(recipe.path_of("tiny-cpu", "grpo"), Grpo)
    return replace(read, model=str(tiny_model), questions=str(questions), per_device_batch=8, max_steps=4, save_steps=2, max_completion=12,
                   track="none", pass_rate=PassRate(None, 0.2, 0.8), learning_rate=1e-3, schedule="constant")  # fmt: skip
