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
    model = qwen3(Network(2, 64, 2, 1, 32, 128, 0.02, 1500, names=False), tokenizer, seed=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    chats = [_ids(tokenizer, SYSTEM_PROMPT, *pair) for pair in pairs]
    for step in range(60):
        ids, labels = _batch(torch, [chats[(step * 8 + n) % len(chats)] for n in range(8)])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _ids(tokenizer: Any, system: str, user: str, answer: str) -> tuple[list[int], list[int]]:
    """Tokens of a prompt and of its reply."""
    turns = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    start = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer(start, add_special_tokens=False)["input_ids"]
    return prompt, tokenizer(answer + tokenizer.eos_token, add_special_tokens=False)["input_ids"]


def _batch(torch: Any, chats: list[tuple[list[int], list[int]]]) -> tuple[Any, Any]:
    """Inputs and labels, padded on the right (a causal model does not see what comes after)."""
    longest = max(len(prompt) + len(told) for prompt, told in chats)
    ids = [prompt + told + [0] * (longest - len(prompt) - len(told)) for prompt, told in chats]
    labels = [[-100] * len(prompt) + told + [-100] * (longest - len(prompt) - len(told)) for prompt, told in chats]
    return torch.tensor(ids), torch.tensor(labels)
