"""Supervised fine-tuning: `python -m training sft`. Teaches the format, the facts and the way of reasoning.

TRL's SFTTrainer on prompt/completion messages, so that only the reply bears loss. With LoRA the adapter is merged
afterwards (training/merge.py); with full training the trained model is the merged one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from kg.errors import InputError
from training import card, checkpoints, examples, merge, weights
from training.examples import Chat
from training.folders import Folders, finished
from training.recipe import Sft
from training.settings import check_devices, lora_config, sft_config

WINDOW = 16  # batches within which examples of like length are put together; the curriculum's order stays beyond that


class Prepared(NamedTuple):
    """What SFT trains on, and what was left out."""

    chats: list[Chat]
    too_long: list[str]
    files: dict[str, Path]


def prepare(recipe: Sft, folders: Folders, tokenizer: Any, say: Callable[[str], None]) -> Prepared:
    """Read, order, mix and filter the examples.

    Raises:
        InputError: a bad file, or nothing that fits max_length.
    """
    folder = Path(folders.resolve(recipe.questions))
    files = {"sft.parquet": folder / "sft.parquet"}
    items = examples.in_order(examples.read_items(files["sft.parquet"]), recipe.curriculum, recipe.seed)[: recipe.limit]
    chats = [examples.chat(item, recipe.think_switch) for item in items]
    lengths = examples.token_counts(tokenizer, chats)
    long = [item["item_id"] for item, length in zip(items, lengths, strict=True) if length > recipe.max_length]
    if long:
        say(
            f"left out: {len(long):,} of {len(items):,} questions over max_length ({recipe.max_length} tokens): {', '.join(long[:5])}{' ...' if len(long) > 5 else ''}"
        )
    kept = [chat for chat, length in zip(chats, lengths, strict=True) if length <= recipe.max_length]
    if not kept:
        raise InputError(
            f"max_length is {recipe.max_length}: every question is longer (the shortest has {min(lengths)} tokens); raise it"
        )
    if recipe.closed_book:
        files["facts.jsonl"] = folder / "facts.jsonl"
        told = [examples.closed_book(one) for one in examples.read_statements(files["facts.jsonl"])]
        kept = examples.mixed_in(kept, told, recipe.closed_book, recipe.seed)
    return Prepared(kept, long, files)


def bucketed(chats: Sequence[Chat], lengths: Sequence[int], batch: int, seed: int) -> list[Chat]:
    """Within WINDOW batches, put examples of like length into one batch and shuffle the batches: less padding."""
    found: list[Chat] = []
    random = Random(seed)
    for start in range(0, len(chats), batch * WINDOW):
        places = sorted(range(start, min(start + batch * WINDOW, len(chats))), key=lambda n: lengths[n])
        batches = [places[n : n + batch] for n in range(0, len(places), batch)]
        random.shuffle(batches)
        found += [chats[place] for one in batches for place in one]
    return found


def trainer(
    recipe: Sft,
    model: Any,
    tokenizer: Any,
    chats: Sequence[Chat],
    out: Path,
    callbacks: Sequence[Any] = (),
    **device: Any,
) -> Any:
    """TRL's trainer for a recipe."""
    from datasets import Dataset
    from trl import SFTTrainer

    return SFTTrainer(
        model=model,
        args=sft_config(recipe, out, **device),
        train_dataset=Dataset.from_list(examples.sft_rows(chats)),
        processing_class=tokenizer,
        peft_config=lora_config(recipe.lora),
        callbacks=list(callbacks),
    )


def run(
    recipe: Sft, folders: Folders, resume: bool = False, dry_run: bool = False, say: Callable[[str], None] = print
) -> Path | None:
    """The whole stage. Returns the merged model's folder, or None when stopped by a signal or a dry run."""
    check_devices(recipe)
    source = folders.resolve(recipe.model)
    tokenizer = weights.load_tokenizer(source, recipe.revision)
    examples.check_template(tokenizer, recipe.think_switch)
    ready = prepare(recipe, folders, tokenizer, say)
    lengths = examples.token_counts(tokenizer, ready.chats)
    chats = bucketed(ready.chats, lengths, recipe.per_device_batch * recipe.devices, recipe.seed)
    say(
        f"sft: {len(chats):,} examples ({sum(lengths) / len(lengths):.0f} tokens on average, longest {max(lengths)}), model {source}"
    )
    if dry_run:
        say(
            "dry run, first example as the model reads it:\n"
            + tokenizer.apply_chat_template([*chats[0].prompt, *chats[0].completion], tokenize=False)
        )
        return None
    last = checkpoints.begin(folders.sft / "checkpoints", recipe, resume)
    model = weights.load_model(source, recipe.weights, recipe.attention, recipe.revision)
    weights.prepare(model, tokenizer)
    stop = checkpoints.StopOnSignal()
    sft = trainer(recipe, model, tokenizer, chats, folders.sft / "checkpoints", [stop])
    if not checkpoints.train(sft, last, stop, say):
        return None
    _save(recipe, folders, sft, tokenizer, source, say)
    card.write(folders.merged, "sft", recipe, ready.files, {"steps": sft.state.global_step, "loss": _last_loss(sft)})
    say(f"sft: the model is {folders.merged}")
    return folders.merged


def _save(recipe: Sft, folders: Folders, sft: Any, tokenizer: Any, source: str, say: Callable[[str], None]) -> None:
    if recipe.lora is None:
        with finished(folders.merged) as temporary:
            weights.save(sft.model, tokenizer, temporary)
        return
    with finished(folders.adapter) as temporary:
        weights.save(sft.model, tokenizer, temporary)
    merge.run(source, folders.adapter, folders.merged, recipe.weights, recipe.revision, say)


def _last_loss(sft: Any) -> float | None:
    losses = [entry["loss"] for entry in sft.state.log_history if "loss" in entry]
    return losses[-1] if losses else None
