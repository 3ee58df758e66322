"""Replies of a model with plain transformers: for `ask`, pass rates and the learning experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from generation.prompt import LETTERS, SYSTEM_PROMPT, parse_reply, user_turn
from kg.errors import InputError
from training import weights
from training.examples import chat


def generate(model: Any, tokenizer: Any, prompts: Sequence[Sequence[Mapping[str, str]]], tokens: int, temperature: float = 0.0,
             samples: int = 1, batch: int = 64, seed: int = 0) -> list[list[str]]:  # fmt: skip
    """Replies to each prompt (messages); greedy at temperature 0. Prompts of like length are batched together."""
    import torch

    texts = [
        tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True) for prompt in prompts
    ]
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    found: list[list[str]] = [[] for _ in texts]
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    model.eval()
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(seed)
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            ids = tokenizer([texts[n] for n in places], return_tensors="pt", padding=True, add_special_tokens=False).to(
                model.device
            )
            drawn = (
                {
                    "do_sample": True,
                    "temperature": temperature,
                    "top_k": 0,
                    "top_p": 1.0,
                    "num_return_sequences": samples,
                }
                if temperature
                else {"do_sample": False}
            )
            out = model.generate(**ids, max_new_tokens=tokens, **drawn)[:, ids["input_ids"].shape[1] :]
            replies = tokenizer.batch_decode(out, skip_special_tokens=True)
            each = samples if temperature else 1
            for n, place in enumerate(places):
                found[place] = replies[n * each : (n + 1) * each]
    tokenizer.padding_side = side
    return found


def option_scores(model: Any, tokenizer: Any, items: Sequence[Mapping[str, Any]], batch: int = 64) -> list[str]:
    """Forced choice: the letter that the model finds likeliest right after `<answer>`, without thinking."""
    import torch

    letters = [tokenizer(letter, add_special_tokens=False)["input_ids"][0] for letter in LETTERS]
    texts = [
        tokenizer.apply_chat_template(chat(item, False).prompt, tokenize=False, add_generation_prompt=True) + "<answer>"
        for item in items
    ]
    found = []
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(texts), batch):
            ids = tokenizer(texts[start : start + batch], return_tensors="pt", padding=True, add_special_tokens=False)
            last = model(**ids.to(model.device)).logits[:, -1, letters]
            found += [LETTERS[place] for place in last.argmax(-1).tolist()]
    tokenizer.padding_side = side
    return found


def ask(folder: Path, question: str, options: Sequence[str], tokens: int) -> str:
    """One question to a model folder, in the mission's format.

    Raises:
        InputError: not four options, or the folder is no model.
    """
    if len(options) != 4:
        raise InputError(f"--options: {len(options)} given; a question has four, separated by |")
    tokenizer = weights.load_tokenizer(str(folder))
    model = weights.load_model(str(folder), "float32", "sdpa")
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": user_turn(question, options)}]
    return generate(model, tokenizer, [messages], tokens)[0][0]


def shown(text: str, options: Sequence[str]) -> str:
    """A reply for a terminal: thinking, explanation, answer; the raw text where the format is broken."""
    read = parse_reply(text)
    if not read.format.valid:
        return f"(the reply does not keep the format)\n{text.strip()}"
    answer = read.answer or "?"
    return f"Thinking:\n{read.thinking}\n\nExplanation:\n{read.explanation}\n\nAnswer: {answer}. {options[LETTERS.index(answer)]}"
