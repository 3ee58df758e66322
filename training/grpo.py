"""Reinforcement learning with the path as reward: `python -m training grpo`.

TRL's GRPOTrainer from the merged SFT model. Rewards: correctness, format, and the chosen path reward; the other path
reward is computed and logged with weight 0. `path_reward: shuffled` pays the words of another item's path (a control),
`none` pays no path at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from generation.item import Item
from generation.judge import label
from kg.errors import InputError
from kg.schema import Schema
from training import card, checkpoints, examples, weights
from training.alarms import Alarms, observer
from training.folders import Folders, finished
from training.pass_rate import keep, rates
from training.path_reward import path_statements_reward
from training.recipe import Grpo
from training.rewards import Reward, correctness_reward, cut_by, path_words_reward, phrases_of, valid_format_reward
from training.settings import check_devices, check_grpo, grpo_config, lora_config, reward_weights
from training.statements import Lexicon


def rewards(schema: Schema, tokenizer: Any) -> dict[str, Reward]:
    """The rewards by name, in the order of `settings.reward_weights`."""
    cut = cut_by(tokenizer)
    made = [
        correctness_reward(),
        valid_format_reward(),
        path_words_reward(phrases_of(schema), cut),
        path_statements_reward(Lexicon.load(schema), cut),
    ]
    return {reward.__name__: reward for reward in made}


def prepare(
    recipe: Grpo, folders: Folders, tokenizer: Any, say: Callable[[str], None]
) -> tuple[list[Item], dict[str, Path]]:
    """Read, filter and order the prompts.

    Raises:
        InputError: a bad file, or fewer prompts left than an update takes.
    """
    file = Path(folders.resolve(recipe.questions)) / "grpo.parquet"
    items = examples.read_items(file)
    known = rates(Path(folders.resolve(recipe.pass_rate.table))) if recipe.pass_rate.table else None
    if known is not None:
        items = keep(items, known, recipe.pass_rate, say)
    items = examples.in_order(items, recipe.curriculum, recipe.seed, known)[: recipe.limit]
    if len(items) < recipe.prompts:
        raise InputError(
            f"{file}: {len(items)} prompts are left, an update takes {recipe.prompts}; widen pass_rate, make more questions, or lower accumulation"
        )
    if recipe.path_reward == "shuffled":
        items = with_other_paths(items, recipe.seed)
    return items, {"grpo.parquet": file}


def with_other_paths(items: Sequence[Item], seed: int) -> list[Item]:
    """Each item with the path of another one: the control that shows whether the path itself matters."""
    order = list(range(len(items)))
    Random(seed).shuffle(order)
    donor = {place: order[(n + 1) % len(order)] for n, place in enumerate(order)}
    return [{**item, "path": items[donor[place]]["path"]} for place, item in enumerate(items)]


def trainer(
    recipe: Grpo,
    source: str,
    tokenizer: Any,
    items: Sequence[Item],
    schema: Schema,
    out: Path,
    callbacks: Sequence[Any] = (),
    **device: Any,
) -> Any:
    """TRL's trainer for a recipe. The model goes in by its path: the reference model is read from there again."""
    from datasets import Dataset
    from trl import GRPOTrainer

    made = rewards(schema, tokenizer)
    wanted = reward_weights(recipe)
    if list(made) != list(wanted):
        raise ValueError(f"rewards {list(made)} and weights {list(wanted)} are not in the same order")
    args = grpo_config(recipe, out, **({"reward_weights": [*wanted.values(), 0.0]} | device))
    return GRPOTrainer(
        model=source,
        reward_funcs=[*made.values(), observer()],
        args=args,
        train_dataset=Dataset.from_list(examples.grpo_rows(items, recipe.think_switch)),
        processing_class=tokenizer,
        peft_config=lora_config(recipe.lora),
        callbacks=list(callbacks),
    )


def run(
    recipe: Grpo,
    folders: Folders,
    schema: Schema,
    resume: bool = False,
    dry_run: bool = False,
    say: Callable[[str], None] = print,
) -> Path | None:
    """The whole stage. Returns the model's folder, or None when stopped by a signal or a dry run."""
    check_grpo(recipe)
    check_devices(recipe)
    source = folders.resolve(recipe.model)
    tokenizer = weights.load_tokenizer(source)
    examples.check_template(tokenizer, recipe.think_switch)
    items, files = prepare(recipe, folders, tokenizer, say)
    judged = label(files["grpo.parquet"].parent)
    say(
        f"grpo: {len(items):,} prompts ({judged}), {recipe.prompts} prompts x {recipe.generations} completions an update, path reward: {recipe.path_reward}, model {source}"
    )
    if dry_run:
        say(
            "dry run, first prompt as the model reads it:\n"
            + tokenizer.apply_chat_template(
                examples.chat(items[0], recipe.think_switch).prompt, tokenize=False, add_generation_prompt=True
            )
        )
        return None
    out = folders.grpo
    last = checkpoints.begin(out / "checkpoints", recipe, resume)
    stop, alarms = checkpoints.StopOnSignal(), Alarms(say)
    grpo = trainer(recipe, source, tokenizer, items, schema, out / "checkpoints", [stop, alarms])
    if not checkpoints.train(grpo, last, stop, say):
        return None
    with finished(out) as temporary:
        model = grpo.accelerator.unwrap_model(grpo.model)
        weights.save(model.merge_and_unload() if recipe.lora else model, tokenizer, temporary)
    figures = {"questions": judged, "steps": grpo.state.global_step, "alarms": len(alarms.raised), **_last(grpo)}
    card.write(out, "grpo", recipe, files, figures)
    say(f"grpo: the model is {out}; rollouts with rewards lie in {out / 'checkpoints' / 'completions'}")
    return out


def _last(grpo: Any) -> dict[str, float]:
    """The last logged figures that a reader of the card wants."""
    wanted = (
        "reward",
        "answers/right",
        "completions/clipped_ratio",
        "completions/mean_length",
        "frac_reward_zero_std",
        "kl",
        "entropy",
    )
    entries = [entry for entry in grpo.state.log_history if "reward" in entry]
    return {name: entries[-1][name] for name in wanted if entries and name in entries[-1]}
