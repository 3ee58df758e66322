"""Conversations, chat templates, reading question files, order of training."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.make import Made
from generation.prompt import SYSTEM_PROMPT, TAGS, parse_reply
from kg.errors import InputError
from training import examples
from training.examples import Chat

ITEM = {"question": "Which nerve innervates the superior oblique muscle?", "options": ["trochlear nerve", "abducens nerve", "facial nerve", "vagus nerve"],
        "reasoning": "The trochlear nerve does.", "explanation": "It is the only one.", "answer": "A"}  # fmt: skip

USER = """Which nerve innervates the superior oblique muscle?
Options:
A. trochlear nerve
B. abducens nerve
C. facial nerve
D. vagus nerve"""
REPLY = """<think>
The trochlear nerve does.
</think>
<explanation>
It is the only one.
</explanation>
<answer>A</answer>"""


def test_a_conversation_is_system_user_and_reply() -> None:
    one = examples.chat(ITEM, think_switch=False)
    assert one.prompt == [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": USER}]
    assert one.completion == [{"role": "assistant", "content": REPLY}]
    assert parse_reply(REPLY).format.valid


def test_the_think_switch_is_the_last_line_of_the_user_turn() -> None:
    assert examples.chat(ITEM, think_switch=True).prompt[1]["content"] == f"{USER}\n/think"


# --- templates ---------------------------------------------------------------------------------------


@pytest.fixture
def qwen3(tiny_tokenizer: Any) -> Any:
    """The tiny tokenizer with Qwen3's own chat template, as TRL carries it."""
    trl = pytest.importorskip("trl", reason="the training extra is not installed")
    tiny_tokenizer = type(tiny_tokenizer)(
        tokenizer_object=tiny_tokenizer.backend_tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    tiny_tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text(
        encoding="utf-8"
    )
    return tiny_tokenizer


def test_qwen3_renders_the_prompt_without_an_empty_think_block(qwen3: Any) -> None:
    prompt = qwen3.apply_chat_template(examples.chat(ITEM, True).prompt, tokenize=False, add_generation_prompt=True)
    assert (
        prompt
        == f"<|im_start|>system\n{SYSTEM_PROMPT}<|im_end|>\n<|im_start|>user\n{USER}\n/think<|im_end|>\n<|im_start|>assistant\n"
    )


def test_qwen3_keeps_the_thinking_and_ends_with_the_end_token(qwen3: Any) -> None:
    one = examples.chat(ITEM, True)
    prompt = qwen3.apply_chat_template(one.prompt, tokenize=False, add_generation_prompt=True)
    whole = qwen3.apply_chat_template([*one.prompt, *one.completion], tokenize=False)
    assert whole == prompt + REPLY.replace("</think>\n", "</think>\n\n") + "<|im_end|>\n"
    assert parse_reply(whole.removeprefix(prompt).removesuffix("<|im_end|>\n")).format.valid


def test_qwen3_and_the_tiny_template_pass_the_check(qwen3: Any, tiny_tokenizer: Any) -> None:
    examples.check_template(qwen3, think_switch=True)
    examples.check_template(tiny_tokenizer)


def test_the_tiny_template_leaves_the_system_turn_out(tiny_tokenizer: Any) -> None:
    prompt = tiny_tokenizer.apply_chat_template(
        examples.chat(ITEM, False).prompt, tokenize=False, add_generation_prompt=True
    )
    assert prompt == f"<|im_start|>user\n{USER}<|im_end|>\n<|im_start|>assistant\n"


def test_names_given_to_the_tokenizer_are_one_token_and_every_text_comes_back() -> None:
    pytest.importorskip("tokenizers", reason="the training extra is not installed")
    from training import tiny

    texts = [USER, REPLY, "The trochlear nerve's palsy; trochlear nerves, α-synuclein."]
    tokenizer = tiny.tokenizer_for(texts, 400, [*TAGS, "nerve", "trochlear nerve", "facial nerve"])
    assert " trochlear nerve" in tokenizer.tokenize(USER)
    assert "<think>" in tokenizer.tokenize(REPLY)
    assert [tokenizer.decode(ids, skip_special_tokens=True) for ids in tokenizer(texts)["input_ids"]] == texts
    examples.check_template(tokenizer)


COLOURS = ["red", "green", "blue", "grey", "pink"]


def test_a_comparing_exercise_says_whether_the_option_is_the_name_asked_for() -> None:
    random = Random(1)
    seen = set()
    for one in (examples.comparing(COLOURS, random) for _ in range(40)):
        asked, option = one.prompt.removeprefix("Find the ").split("\n")
        assert option[:3] in ("A. ", "B. ", "C. ", "D. ")
        assert one.completion == (": yes." if option[3:] == asked.rstrip(".") else ": no.")
        seen.add(one.completion)
    assert len(seen) == 2


def test_a_reading_exercise_goes_through_four_options_as_the_plain_style_does() -> None:
    one = examples.reading(COLOURS, Random(1))
    asked, *options = one.prompt[0]["content"].removeprefix("Find the ").replace(".\nOptions:", "").split("\n")
    told, now, *lines, last = one.completion[0]["content"].split("\n")
    assert told == f"Find the {asked}."
    assert now == "Now the options, one by one."
    assert lines == [f"{option}: {'yes' if option[3:] == asked else 'no'}." for option in options]
    assert last == f"The answer is {next(option for option in options if option[3:] == asked)}."


def test_a_conversation_as_a_lesson_is_what_the_model_reads_without_the_end_token() -> None:
    from training import tiny

    one = Chat([{"role": "user", "content": USER}], [{"role": "assistant", "content": REPLY}])
    tokenizer = tiny.tokenizer_for([USER, REPLY], 300)
    lesson = examples.as_lesson(tokenizer, one)
    assert lesson.completion == "\n" + REPLY
    assert lesson.prompt.endswith("<|im_start|>assistant")
    assert USER in lesson.prompt


TEMPLATES = [
    ("", "no chat template"),
    ("{% for m in messages %}{{ m.content.split('</think>')[-1] }}<|im_end|>{% endfor %}", "drops the thinking"),
    (
        "{% if add_generation_prompt %}x{% endif %}{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}",
        "not a prefix",
    ),
    ("{% for m in messages %}{{ m.content }}{% endfor %}", "does not hold the end token"),
]


@pytest.mark.parametrize(("template", "message"), TEMPLATES)
def test_templates_that_would_spoil_training_are_refused(qwen3: Any, template: str, message: str) -> None:
    qwen3.chat_template = template
    with pytest.raises(InputError, match=message):
        examples.check_template(qwen3)


@pytest.mark.parametrize("token", ["pad_token", "eos_token"])
def test_a_tokenizer_without_pad_or_end_token_is_refused(qwen3: Any, token: str) -> None:
    setattr(qwen3, token, None)
    with pytest.raises(InputError, match=token):
        examples.check_template(qwen3)


def test_completion_tokens_alone_bear_loss_and_hold_the_end_token(
    tiny_tokenizer: Any, tiny_model: Path, sft_recipe: Any, small_made: Made, tmp_path: Path
) -> None:
    from training import sft, weights

    chats = [examples.chat(item, False) for item in small_made.items["sft"][:4]]
    made = sft.trainer(
        sft_recipe, weights.load_model(str(tiny_model), "float32", "sdpa"), tiny_tokenizer, chats, tmp_path
    )
    batch = next(iter(made.get_train_dataloader()))
    for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
        learnt = tiny_tokenizer.decode(ids[labels != -100])
        assert learnt.startswith("<think>")
        assert learnt.rstrip().endswith("</answer><|im_end|>")


# --- files -------------------------------------------------------------------------------------------


def test_questions_are_read_as_they_were_written(questions: Path, small_made: Made) -> None:
    assert examples.read_items(questions / "test.parquet") == small_made.items["test"]


def test_a_missing_file_names_the_command_to_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make questions"):
        examples.read_items(tmp_path / "sft.parquet")


def test_a_file_without_the_path_column_is_refused_by_name(questions: Path, tmp_path: Path) -> None:
    pq.write_table(pq.read_table(questions / "sft.parquet").drop_columns(["path"]), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="column 'path' is missing"):
        examples.read_items(tmp_path / "x.parquet")


def test_a_parquet_of_another_schema_is_refused_by_name(questions: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"prompt": ["x"], "completion": ["y"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="column 'item_id' is missing; it has prompt, completion"):
        examples.read_items(tmp_path / "x.parquet")
    table = pq.read_table(questions / "sft.parquet")
    place = table.column_names.index("path")
    pq.write_table(table.set_column(place, "path", pa.array(["a > b"] * len(table))), tmp_path / "y.parquet")
    with pytest.raises(InputError, match="column 'path' is string"):
        examples.read_items(tmp_path / "y.parquet")


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_text("no")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        examples.read_items(tmp_path / "x.parquet")


# --- order -------------------------------------------------------------------------------------------


def test_hops_curriculum_goes_from_one_hop_to_two_and_from_easy_to_hard(small_made: Made) -> None:
    items = small_made.items["sft"]
    rates = {item["item_id"]: n / len(items) for n, item in enumerate(items)}
    ordered = examples.in_order(items, "hops", 0, rates)
    assert [item["hops"] for item in ordered] == sorted(item["hops"] for item in items)
    ones = [rates[item["item_id"]] for item in ordered if item["hops"] == 1]
    assert ones == sorted(ones, reverse=True)


def test_pass_rate_curriculum_needs_a_rate_for_every_item(small_made: Made) -> None:
    items = small_made.items["sft"]
    with pytest.raises(InputError, match="have no pass rate"):
        examples.in_order(items, "pass_rate", 0, {items[0]["item_id"]: 0.5})
    rates = {item["item_id"]: n / len(items) for n, item in enumerate(items)}
    assert [rates[item["item_id"]] for item in examples.in_order(items, "pass_rate", 0, rates)] == sorted(
        rates.values(), reverse=True
    )


def test_shuffled_order_depends_on_the_seed_and_not_on_the_order_of_rows(small_made: Made) -> None:
    items = small_made.items["sft"]
    first = examples.in_order(items, "shuffled", 0)
    assert first == examples.in_order(items[::-1], "shuffled", 0)
    assert first != examples.in_order(items, "shuffled", 1)


def test_the_trainer_keeps_the_order(
    tiny_tokenizer: Any, tiny_model: Path, sft_recipe: Any, small_made: Made, tmp_path: Path
) -> None:
    from training import sft, weights

    chats = [examples.chat(item, False) for item in small_made.items["sft"][:8]]
    made = sft.trainer(
        sft_recipe, weights.load_model(str(tiny_model), "float32", "sdpa"), tiny_tokenizer, chats, tmp_path
    )
    texts = [text for batch in made.get_train_dataloader() for text in tiny_tokenizer.batch_decode(batch["input_ids"])]
    assert [next(n for n, one in enumerate(chats) if one.prompt[1]["content"] in text) for text in texts] == list(
        range(8)
    )


@given(st.integers(1, 60), st.integers(1, 20), st.floats(0, 0.9))
def test_others_are_mixed_in_to_their_share_and_the_order_stays(count: int, others: int, share: float) -> None:
    chats = [Chat([{"role": "user", "content": str(n)}], []) for n in range(count)]
    more = [Chat([{"role": "user", "content": f"other {n}"}], []) for n in range(others)]
    mixed = examples.mixed_in(chats, more, share, 0)
    assert [one for one in mixed if one in chats] == chats
    assert abs((len(mixed) - count) - share / (1 - share) * count) <= 1


def test_a_share_of_one_is_refused() -> None:
    with pytest.raises(InputError, match="closed_book"):
        examples.mixed_in([], [], 1.0, 0)
