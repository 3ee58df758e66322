"""Items in other forms: plain JSON lines, chat messages, and closed-book questions of single facts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from generation.files import read_items, write_text
from generation.item import Item
from generation.prompt import SYSTEM_PROMPT, reply, user_turn
from kg.errors import InputError, nearest


def plain(items: Sequence[Item]) -> Iterator[dict[str, object]]:
    """Every column of the contract."""
    yield from items


def messages(items: Sequence[Item]) -> Iterator[dict[str, object]]:
    """Chat form: system, user, assistant."""
    for item in items:
        answer = reply(item["reasoning"], item["explanation"], item["answer"])
        turns = (
            ("system", SYSTEM_PROMPT),
            ("user", user_turn(item["question"], item["options"])),
            ("assistant", answer),
        )
        yield {"item_id": item["item_id"], "messages": [{"role": role, "content": text} for role, text in turns]}


def closed_book(items: Sequence[Item]) -> Iterator[dict[str, object]]:
    """Single-hop items as question and answer without options: facts to be known, for small models."""
    for item in items:
        if item["hops"] == 1 and "of these" not in item["question"]:
            yield {
                "item_id": item["item_id"],
                "question": item["question"],
                "answer": item["target"],
                "statement": item["explanation"],
            }


FORMS: dict[str, Callable[[Sequence[Item]], Iterator[dict[str, object]]]] = {
    "plain": plain,
    "messages": messages,
    "closed-book": closed_book,
}


def export(form: str, split: str = "sft", questions: Path = Path("build/questions"), out: Path | None = None) -> None:
    """Write a split as JSON lines.

    Args:
        form: plain, messages or closed-book.
        split: sft, grpo or test.
        questions: folder written by `questions`.
        out: file to write; standard output by default.
    """
    if form not in FORMS:
        raise InputError(f"export: unknown form {form!r}; {nearest(form, FORMS)}")
    rows = FORMS[form](read_items(questions / f"{split}.parquet"))
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if out is None:
        for line in lines:
            print(line, end="")
    else:
        write_text(out, "".join(lines))
        print(f"written to {out}")
