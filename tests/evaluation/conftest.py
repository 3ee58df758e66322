"""Real questions of the core graph, and a tiny Qwen3 that has learnt the form of a reply, made on the spot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generation.files import write_split
from generation.make import Config, make
from generation.splits import Sizes
from kg import store
from kg.build import build
from kg.schema import Schema

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
SIZES = Sizes(sft_single=300, sft=300, grpo=60, test=120)


@pytest.fixture(scope="session")
def graph_folder(tmp_path_factory) -> Path:
    """A built graph of the core layer."""
    folder, schema = tmp_path_factory.mktemp("graph"), Schema.load()
    graph = build(schema, ("core",)).graph
    store.save(graph, schema, folder, {"graph_sha256": graph.sha256})
    return folder


@pytest.fixture(scope="session")
def questions(graph_folder, tmp_path_factory) -> Path:
    """A folder of questions made from it: sft, grpo, test."""
    folder = tmp_path_factory.mktemp("questions")
    graph, schema = store.load(graph_folder)
    made = make(graph, schema, Config(sizes=SIZES))
    for name in ("sft", "grpo", "test"):
        write_split(folder / f"{name}.parquet", made.items[name], {"graph_sha256": graph.sha256})
    return folder


@pytest.fixture(scope="session")
def items(questions) -> list[dict[str, Any]]:
    """The held-out questions."""
    from generation.files import read_items

    return read_items(questions / "test.parquet")


@pytest.fixture(scope="session")
def tiny(items, tmp_path_factory) -> Path:
    """A model folder: 2 layers, trained for seconds on short replies; it keeps the format and guesses letters."""
    torch = pytest.importorskip("torch", reason="torch is not installed: models are not run")
    pytest.importorskip("transformers", reason="transformers is not installed: models are not run")
    from generation.prompt import SYSTEM_PROMPT, reply, user_turn
    from training.recipe import Network
    from training.tiny import qwen3, tokenizer_for

    pairs = [
        (user_turn(item["question"], item["options"]), reply("I recall it.", "So.", item["answer"])) for item in items
    ]
    tokenizer = tokenizer_for([text for pair in pairs for text in pair], 1500)
    model = qwen3(Network(2, 64, 2, 1, 32, 128, 1500), tokenizer, seed=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for step in range(60):
        chats = [pairs[(step * 8 + n) % len(pairs)] for n in range(8)]
        loss = sum(_loss(torch, model, tokenizer, SYSTEM_PROMPT, *chat) for chat in chats) / len(chats)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _loss(torch: Any, model: Any, tokenizer: Any, system: str, user: str, answer: str) -> Any:
    turns = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    start = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer(start, add_special_tokens=False)["input_ids"]
    told = tokenizer(answer + tokenizer.eos_token, add_special_tokens=False)["input_ids"]
    ids = torch.tensor([prompt + told])
    labels = torch.tensor([[-100] * len(prompt) + told])
    return model(input_ids=ids, labels=labels).loss
