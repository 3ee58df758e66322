"""Items in other forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generation import export, files
from generation.prompt import SYSTEM_PROMPT, parse_reply, user_turn
from kg.errors import InputError
from tests.hand_items import item

SINGLE = item(
    item_id="one", hops=1, question="Which nerve innervates the superior oblique muscle?", target="trochlear nerve"
)
SEVERAL = item(item_id="many", hops=1, question="Which of these nerves innervates the superior oblique muscle?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files.write_split(tmp_path / "sft.parquet", [item(), SINGLE, SEVERAL], {"seed": "0"})
    return tmp_path


def exported(folder: Path, form: str) -> list[dict[str, object]]:
    export.export(form, "sft", folder, folder / "out.jsonl")
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_plain_has_every_column(folder: Path) -> None:
    assert exported(folder, "plain") == [item(), SINGLE, SEVERAL]


def test_messages_hold_prompt_and_a_reply_of_valid_format(folder: Path) -> None:
    row = exported(folder, "messages")[0]
    system, user, assistant = row["messages"]  # type: ignore[misc]
    assert (system["role"], user["role"], assistant["role"]) == ("system", "user", "assistant")
    assert system["content"] == SYSTEM_PROMPT
    assert user["content"] == user_turn(item()["question"], item()["options"])
    read = parse_reply(assistant["content"])
    assert (read.answer, read.thinking, read.explanation) == ("B", item()["reasoning"], item()["explanation"])
    assert read.format.valid


def test_closed_book_has_single_facts_whose_question_needs_no_options(folder: Path) -> None:
    (row,) = exported(folder, "closed-book")
    assert row == {
        "item_id": "one",
        "question": SINGLE["question"],
        "answer": "trochlear nerve",
        "statement": SINGLE["explanation"],
    }


def test_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export.export("closed-book", "sft", folder)
    assert json.loads(capsys.readouterr().out)["item_id"] == "one"


def test_text_outside_ascii_is_left_readable(folder: Path) -> None:
    files.write_split(folder / "sft.parquet", [item(question="Where is α-synuclein?")], {"seed": "0"})
    export.export("plain", "sft", folder, folder / "out.jsonl")
    assert "α-synuclein" in (folder / "out.jsonl").read_text(encoding="utf-8")


def test_an_unknown_form_names_the_nearest(folder: Path) -> None:
    with pytest.raises(InputError, match="export: unknown form 'message'; did you mean 'messages'"):
        export.export("message", "sft", folder)


def test_a_split_that_is_not_there(folder: Path) -> None:
    with pytest.raises(InputError, match=r"trst\.parquet: cannot be read as Parquet"):
        export.export("plain", "trst", folder)


def test_a_file_that_cannot_be_written(folder: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        export.export("plain", "sft", folder, folder / "sft.parquet" / "x.jsonl")
