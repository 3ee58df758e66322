"""Rows of the data contract as conversations: what SFT learns from and what GRPO is prompted with.

One function builds the conversation (generation/prompt.py makes its parts, one parser there reads replies). Before any
training `check_template` renders it with the model's own chat template and stops when thinking is lost, when the
prompt is not a prefix of prompt + completion, or when no end token would be learnt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from generation.item import ITEM, Item
from generation.prompt import LETTERS, SYSTEM_PROMPT, reply, user_turn
from generation.reasoning import Thought
from kg.errors import InputError
from kg.paths import digest
from training.recipe import Curriculum

Message = dict[str, str]
REWARD_COLUMNS = ("item_id", "answer", "path", "options", "option_ids", "bridge_foils", "hops")


class Lesson(NamedTuple):
    """Plain text before the loss, and the text that bears it."""

    prompt: str
    completion: str


class Chat(NamedTuple):
    """A conversation: system and user turn, and the reply."""

    prompt: list[Message]
    completion: list[Message]


def chat(item: Mapping[str, Any], think_switch: bool) -> Chat:
    """The conversation of an item. `think_switch` appends `/think` for models that know it (Qwen3)."""
    prompt = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": user_turn(item["question"], item["options"], think_switch)},
    ]
    text = reply(item["reasoning"], item["explanation"], item["answer"])
    return Chat(prompt, [{"role": "assistant", "content": text}])


def read_items(path: Path) -> list[Item]:
    """Rows of a question file.

    Raises:
        InputError: the file is missing, is no Parquet, or lacks a column (named).
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; run `make questions` first"
        ) from error
    if missing := [name for name in ITEM.names if name not in table.column_names]:
        raise InputError(
            f"{path}: column {missing[0]!r} is missing; it has {', '.join(table.column_names)}; "
            "make the questions anew with `make questions`, or point `questions` at the right folder"
        )
    if wrong := [name for name in ITEM.names if not _same(table.schema.field(name).type, ITEM.field(name).type)]:
        name = wrong[0]
        raise InputError(
            f"{path}: column {name!r} is {table.schema.field(name).type}; the contract says {ITEM.field(name).type}"
        )
    rows: list[Item] = table.select(ITEM.names).to_pylist()
    if not rows:
        raise InputError(f"{path}: has no rows; make questions for this split")
    return rows


def _same(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Equal types; large strings and lists (as polars and datasets write) count as the plain ones."""
    if pa.types.is_struct(wanted):
        return pa.types.is_struct(found) and all(found.get_field_index(field.name) >= 0 for field in wanted)
    if pa.types.is_list(wanted):
        return (pa.types.is_list(found) or pa.types.is_large_list(found)) and _same(found.value_type, wanted.value_type)
    if pa.types.is_string(wanted):
        return pa.types.is_string(found) or pa.types.is_large_string(found)
    return pa.types.is_integer(found) if pa.types.is_integer(wanted) else found.equals(wanted)


def read_statements(path: Path) -> list[dict[str, str]]:
    """Closed-book statements (training/chains.py writes them)."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read: {error}; set closed_book to 0 or make the recipe's model first"
        ) from error


def closed_book(statement: Mapping[str, str]) -> Chat:
    """A fact asked without options; `Recall a fact.` where it is only told."""
    return Chat(
        [{"role": "user", "content": statement["question"] or "Recall a fact."}],
        [{"role": "assistant", "content": statement["statement"]}],
    )


def comparing(names: Sequence[str], random: Random) -> Lesson:
    """An exercise without any fact: is the one option the name asked for? In one case of two it is."""
    asked, option = random.sample(list(names), 2)
    option = asked if random.random() < 0.5 else option
    verdict = ": yes." if option == asked else ": no."
    return Lesson(f"Find the {asked}.\n{random.choice(LETTERS)}. {option}", verdict)


def reading(names: Sequence[str], random: Random) -> Chat:
    """An exercise without any fact: find a given name among four options, going through them in order."""
    options = random.sample(list(names), 4)
    key = random.randrange(4)
    thought = Thought((f"Find the {options[key]}.",), tuple(options), ("",) * 4, key, "plain")
    text = "\n".join(line.rstrip() for line in thought.render().splitlines())
    return Chat(
        [{"role": "user", "content": user_turn(thought.told[0], options)}], [{"role": "assistant", "content": text}]
    )


def as_lesson(tokenizer: Any, one: Chat) -> Lesson:
    """A conversation as the text that the model reads; the reply bears loss (its end token, which TRL adds, too).

    The line end before the reply is counted to it: with a reply's first letters it may be one token.
    """
    prompt = tokenizer.apply_chat_template(one.prompt, tokenize=False, add_generation_prompt=True).rstrip()
    whole = tokenizer.apply_chat_template([*one.prompt, *one.completion], tokenize=False)
    return Lesson(prompt, whole.removeprefix(prompt).rstrip().removesuffix(tokenizer.eos_token))


def in_order(
    items: Sequence[Item], curriculum: Curriculum, seed: int, pass_rates: Mapping[str, float] | None = None
) -> list[Item]:
    """Items in the order in which they are trained on.

    Args:
        curriculum: `hops`: one hop before two, within it easy before hard where pass rates are known, else by hash;
            `pass_rate`: easy before hard; `shuffled`: by hash.

    Raises:
        InputError: `pass_rate` without a pass rate for every item.
    """
    rates = pass_rates or {}
    mixed = sorted(items, key=lambda item: digest(str(seed), item["item_id"]))
    if curriculum == "shuffled":
        return mixed
    if curriculum == "pass_rate":
        if missing := [item["item_id"] for item in mixed if item["item_id"] not in rates]:
            raise InputError(
                f"curriculum pass_rate: {len(missing):,} items have no pass rate (first: {missing[0]}); measure them or choose hops"
            )
        return sorted(mixed, key=lambda item: -rates[item["item_id"]])
    return sorted(mixed, key=lambda item: (item["hops"], -rates.get(item["item_id"], 0.0)))


def mixed_in(chats: Sequence[Chat], others: Sequence[Chat], share: float, seed: int) -> list[Chat]:
    """Spread others among chats so that they make up `share`, repeating them if need be; the order of chats stays."""
    if not 0 <= share < 1:
        raise InputError(f"closed_book is {share}; give a share from 0 to below 1")
    if not share or not others:
        return list(chats)
    random, found = Random(seed), []
    queue: list[Chat] = []
    owed = 0.0
    for one in chats:
        owed += share / (1 - share)
        while owed >= 1:
            queue = queue or random.sample(list(others), len(others))
            found.append(queue.pop())
            owed -= 1
        found.append(one)
    return found


def sft_rows(chats: Iterable[Chat]) -> list[dict[str, Any]]:
    """Rows for SFTTrainer: prompt and completion messages give loss on the completion only."""
    return [{"prompt": one.prompt, "completion": one.completion} for one in chats]


def grpo_rows(items: Iterable[Item], think_switch: bool) -> list[dict[str, Any]]:
    """Rows for GRPOTrainer: the prompt, and the columns that the rewards read."""
    return [
        {"prompt": chat(item, think_switch).prompt, **{name: item[name] for name in REWARD_COLUMNS}} for item in items
    ]


# --- the chat template -------------------------------------------------------------------------------

_PROBE = {"question": "Which letter comes first?", "options": ["alpha", "beta", "gamma", "delta"], "reasoning": "Alpha comes first.",
          "explanation": "It is the first.", "answer": "A"}  # fmt: skip


def check_template(tokenizer: Any, think_switch: bool = False) -> None:
    """Stop before training on a template or tokenizer that would spoil it.

    Raises:
        InputError: no chat template; no pad or end token; thinking dropped; prompt no prefix; no end token learnt.
    """
    where = f"tokenizer {tokenizer.name_or_path!r}"
    if not tokenizer.chat_template:
        raise InputError(
            f"{where}: has no chat template; use an instruct model, or save one as chat_template.jinja in its folder"
        )
    if tokenizer.eos_token is None:
        raise InputError(f"{where}: has no end token (eos_token); set it in tokenizer_config.json")
    if tokenizer.pad_token is None:
        raise InputError(
            f"{where}: has no pad token; set pad_token in tokenizer_config.json to a token that is not the end token"
        )
    one = chat(_PROBE, think_switch)
    prompt = tokenizer.apply_chat_template(one.prompt, tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([*one.prompt, *one.completion], tokenize=False)
    if _PROBE["reasoning"] not in whole or "<think>" not in whole.removeprefix(prompt):
        raise InputError(f"{where}: its chat template drops the thinking of the reply; use a template that keeps it")
    if not whole.startswith(prompt):
        raise InputError(
            f"{where}: the prompt is not a prefix of prompt + completion; the template must render both alike"
        )
    if tokenizer.eos_token not in whole.removeprefix(prompt):
        raise InputError(
            f"{where}: the rendered reply does not hold the end token {tokenizer.eos_token!r}; the model would never learn to stop"
        )


def token_counts(tokenizer: Any, chats: Sequence[Chat]) -> list[int]:
    """Tokens of each whole conversation."""
    texts = [tokenizer.apply_chat_template([*one.prompt, *one.completion], tokenize=False) for one in chats]
    return [len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]] if texts else []
