"""Replies as they come: small whole files, so that a run that was killed asks only what is missing.

    <out>/<model>/<split>/settings.json         what every reply there depends on
    <out>/<model>/<split>/parts/*.parquet       one a batch, while the run goes on
    <out>/<model>/<split>/replies.parquet       all of them, when it is done

A folder holds the replies of one model under one set of settings. Other settings, another model under the name, or an
item whose text has changed are refused by name rather than mixed in.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from evaluation.asking import Ask
from generation.files import write_text
from generation.prompt import SYSTEM_PROMPT, parse_reply
from kg.errors import InputError
from kg.store import read_rows, sweep, write_table

REPLY = pa.schema(
    [("item_id", pa.string()), ("rotation", pa.int8()), ("sample", pa.int16()), ("reply", pa.string()),
     ("answer", pa.string()), ("correct", pa.bool_()), ("format_valid", pa.bool_()), ("truncated", pa.bool_()),
     ("tokens", pa.int32()), ("thinking_end", pa.int32()), ("thinking_tokens", pa.int32()), ("asked", pa.string())]
)  # fmt: skip
Row = dict[str, Any]  # one row of REPLY
FILE = "replies.parquet"


class Completion(NamedTuple):
    """What an engine gives back.

    Attributes:
        tokens: completion tokens, the end token included.
        truncated: no end token within the limit.
        thinking_end: characters of the thinking that its first 550 tokens make. thinking_tokens: tokens of all of it.
    """

    text: str
    tokens: int
    truncated: bool
    thinking_end: int
    thinking_tokens: int


def row(ask: Ask, completion: Completion) -> Row:
    """A completion read by the one parser."""
    parsed = parse_reply(completion.text)
    return {
        "item_id": ask.item_id,
        "rotation": ask.rotation,
        "sample": ask.sample,
        "reply": completion.text,
        "answer": parsed.answer,
        "correct": parsed.answer == ask.answer,
        "format_valid": parsed.format.valid,
        "truncated": completion.truncated,
        "tokens": completion.tokens,
        "thinking_end": completion.thinking_end,
        "thinking_tokens": completion.thinking_tokens,
        "asked": asked_hash(ask),
    }


def asked_hash(ask: Ask) -> str:
    """What the model was shown, as a hash: system prompt, stem and options in order, and the letter of the key."""
    text = "\x1f".join((SYSTEM_PROMPT, ask.question, *ask.options, ask.answer))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class Store:
    """The replies of one model to one split."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Open the folder, or begin it.

        Raises:
            InputError: it holds replies made under other settings.
        """
        self.folder, self.parts = folder, folder / "parts"
        self.settings = dict(settings)
        self.rows: dict[tuple[str, int, int], Row] = {}
        self._begin()
        for file in [folder / FILE, *sorted(self.parts.glob("*.parquet"))]:
            if file.exists():
                self.rows.update(
                    {(one["item_id"], one["rotation"], one["sample"]): one for one in read_rows(file, REPLY)}
                )

    def _begin(self) -> None:
        note = self.folder / "settings.json"
        if note.exists():
            before = json.loads(note.read_text(encoding="utf-8"))
            now = json.loads(json.dumps(self.settings))
            if changed := sorted(name for name in before | now if before.get(name) != now.get(name)):
                name = changed[0]
                raise InputError(
                    f"{self.folder}: holds replies made with {name} = {before.get(name)!r}, "
                    f"now it is {now.get(name)!r}; "
                    "give the model another name, another --out, or --restart true to throw them away"
                )
        else:
            write_text(note, json.dumps(self.settings, indent=1, sort_keys=True) + "\n")
        sweep(self.folder)
        sweep(self.parts)

    def missing(self, wanted: Sequence[Ask]) -> list[Ask]:
        """Asks without a reply.

        Raises:
            InputError: a reply is there to an item that read differently then.
        """
        left = []
        for ask in wanted:
            known = self.rows.get(ask.key)
            if known is None:
                left.append(ask)
            elif known["asked"] != asked_hash(ask):
                raise InputError(
                    f"{self.folder}: item {ask.item_id} read differently when it was asked: "
                    "the questions were made anew; give --restart true to ask all again, or another --out"
                )
        return left

    def add(self, rows: Sequence[Row]) -> None:
        """Keep a batch as one file."""
        write_table(self.parts / f"{uuid.uuid4().hex}.parquet", rows, REPLY, {})
        self.rows.update({(one["item_id"], one["rotation"], one["sample"]): one for one in rows})

    def finish(self, wanted: Sequence[Ask]) -> list[Row]:
        """Make replies.parquet of everything, remove the parts, and give the wanted rows in order."""
        ordered = [self.rows[key] for key in sorted(self.rows)]
        write_table(self.folder / FILE, ordered, REPLY, {"settings": json.dumps(self.settings, sort_keys=True)})
        for file in self.parts.glob("*.parquet"):
            file.unlink()
        if self.parts.is_dir():
            self.parts.rmdir()
        return [self.rows[ask.key] for ask in wanted]


def clear(folder: Path) -> None:
    """Throw away the replies of a folder (`--restart`); other files stay."""
    for file in [*folder.glob("parts/*.parquet"), folder / FILE, folder / "settings.json"]:
        file.unlink(missing_ok=True)


def read(folder: Path) -> list[Row]:
    """All replies of a finished folder.

    Raises:
        InputError: there are none.
    """
    if not (folder / FILE).exists():
        raise InputError(f"{folder / FILE}: not there; run `python -m evaluation run` first")
    return read_rows(folder / FILE, REPLY)
