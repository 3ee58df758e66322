"""From replies to a verdict, by a stated rule.

One judge, one item. Each rotation of the options is a vote:

  abstain  a reply that the rule needs is unreadable after all retries
  reject   open book, the judge chose another option than the key, or none; or it holds another option to be right as
           well ("yes"; "unsure" rejects nothing); or the form has a flaw that is declared fatal
  accept   otherwise

The verdict is the vote of all rotations if they are one, else `abstain`: it did not survive rotation. Closed-book
answers never touch a verdict: they are an estimate of difficulty.

Several judges: the verdict of more than half of them, else `abstain`. People win over models (`reviews.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from generation.judge.ask import Ask, Material, Value
from generation.judge.config import Asking
from generation.judge.figures import share
from generation.prompt import LETTERS

RULE = "1"  # part of the key of a verdict: count up when the rule changes
VERDICTS = ("accept", "reject", "abstain")
Row = dict[str, Any]  # one row of VERDICT

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_RAW = pa.struct(
    [("judge", _TEXT), ("kind", _TEXT), ("rotation", pa.int8()), ("place", pa.int8()), ("sample", pa.int16()), ("text", _TEXT),
     ("finish", _TEXT), ("attempts", pa.int8()), ("readable", pa.bool_())]
)  # fmt: skip
VERDICT = pa.schema(
    [("item_id", _TEXT), ("verdict", _TEXT), ("why", _TEXT), ("judge", _TEXT), ("model", _TEXT), ("backend", _TEXT), ("dtype", _TEXT),
     ("prompt_hash", _TEXT), ("sampling", _TEXT), ("rotations", pa.list_(pa.int8())), ("own_answers", _TEXTS), ("also_right", _TEXTS),
     ("flaws", _TEXTS), ("stable", pa.bool_()), ("passes", pa.int16()), ("samples", pa.int16()), ("pass_rate", pa.float64()),
     ("pass_low", pa.float64()), ("pass_high", pa.float64()), ("tokens_in", pa.int32()), ("tokens_out", pa.int32()),
     ("votes", pa.list_(pa.struct([("judge", _TEXT), ("verdict", _TEXT)]))), ("raw", pa.list_(_RAW)), ("key", _TEXT)]
)  # fmt: skip


class Reply(NamedTuple):
    """A reply after all retries. `value` is None if it is unreadable."""

    ask: Ask
    value: Value | None
    text: str
    finish: str
    attempts: int
    tokens_in: int
    tokens_out: int


class Vote(NamedTuple):
    """What one rotation says, and why."""

    verdict: str
    why: str


def stored_letter(ask: Ask, letter: str) -> str:
    """A letter as shown, turned back to the option's letter as stored (`none` stays)."""
    return letter if letter == "none" else LETTERS[(LETTERS.index(letter) + ask.shift) % 4]


def vote(shown: Material, replies: Sequence[Reply], fatal: Sequence[str]) -> Vote:
    """The vote of one rotation from its open-book and option replies and the form."""
    broken = [reply.ask.kind for reply in replies if reply.value is None]
    if broken:
        return Vote("abstain", f"unreadable: {', '.join(sorted(set(broken)))}")
    faults = []
    for reply in replies:
        if reply.ask.kind == "open_book":
            chosen = stored_letter(reply.ask, str(reply.value))
            if chosen != LETTERS[shown.key]:
                faults.append(f"open book: {chosen}")
        elif reply.ask.kind == "option" and reply.value == "yes":
            faults.append(f"also right: {LETTERS[reply.ask.place]}")
        elif reply.ask.kind == "form":
            faults += [f"flaw: {flaw}" for flaw in reply.value or () if flaw in fatal]
    return Vote("reject", "; ".join(faults)) if faults else Vote("accept", "")


def decide(shown: Material, replies: Sequence[Reply], asking: Asking) -> Row:
    """The columns of a verdict that follow from the replies alone."""
    form = [reply for reply in replies if reply.ask.kind == "form"]
    turns: list[Vote] = []
    for rotation in range(asking.rotations):
        asked = [r for r in replies if r.ask.kind in ("open_book", "option") and r.ask.rotation == rotation]
        turns.append(vote(shown, [*asked, *form], asking.fatal))
    said = {turn.verdict for turn in turns}
    readable = "abstain" not in said
    own = [reply for reply in replies if reply.ask.kind == "open_book"]
    return {
        "item_id": shown.item_id,
        "verdict": turns[0].verdict if len(said) == 1 else "abstain",
        "why": _why(turns),
        "rotations": [reply.ask.shift for reply in own],
        "own_answers": [stored_letter(r.ask, str(r.value)) if r.value is not None else None for r in own],
        "also_right": sorted({LETTERS[r.ask.place] for r in replies if r.ask.kind == "option" and r.value == "yes"}),
        "flaws": [flaw for reply in form for flaw in reply.value or ()],
        "stable": len(said) == 1 if readable else None,
        **_difficulty(shown, replies),
        "tokens_in": sum(reply.tokens_in for reply in replies),
        "tokens_out": sum(reply.tokens_out for reply in replies),
    }


def _why(turns: Sequence[Vote]) -> str:
    if len({turn.verdict for turn in turns}) == 1:
        return "; ".join(dict.fromkeys(turn.why for turn in turns if turn.why))
    told = "; ".join(f"turn {n}: {turn.verdict}{f' ({turn.why})' if turn.why else ''}" for n, turn in enumerate(turns))
    return f"did not survive rotation: {told}"


def _difficulty(shown: Material, replies: Sequence[Reply]) -> Row:
    """Pass rate over the readable closed-book answers, with its interval."""
    answers = [r for r in replies if r.ask.kind == "closed_book" and r.value is not None]
    passes = sum(stored_letter(r.ask, str(r.value)) == LETTERS[shown.key] for r in answers)
    rate = share(passes, len(answers))
    return {
        "passes": passes,
        "samples": len(answers),
        "pass_rate": rate.value,
        "pass_low": rate.low,
        "pass_high": rate.high,
    }


def raw(judge: str, replies: Iterable[Reply]) -> list[dict[str, Any]]:
    """The replies as they came."""
    return [
        {"judge": judge, "kind": r.ask.kind, "rotation": r.ask.rotation, "place": r.ask.place, "sample": r.ask.sample, "text": r.text,
         "finish": r.finish, "attempts": r.attempts, "readable": r.value is not None}
        for r in replies
    ]  # fmt: skip


def majority(verdicts: Sequence[str]) -> str:
    """The verdict of more than half, else `abstain`."""
    if not verdicts:
        return "abstain"
    word, count = Counter(verdicts).most_common(1)[0]
    return word if 2 * count > len(verdicts) else "abstain"


def combined(rows: Sequence[Row]) -> Row:
    """One row of an item from the rows of its judges: lists one after the other, counts added."""
    votes = [{"judge": row["judge"], "verdict": row["verdict"]} for row in rows]
    if len(rows) == 1:
        return {**rows[0], "votes": votes}
    joined: Row = {name: " + ".join(dict.fromkeys(str(row[name]) for row in rows)) for name in
                   ("judge", "model", "backend", "dtype", "prompt_hash", "sampling", "key")}  # fmt: skip
    for name in ("rotations", "own_answers", "raw"):
        joined[name] = [value for row in rows for value in row[name]]
    for name in ("also_right", "flaws"):
        joined[name] = sorted({value for row in rows for value in row[name]})
    for name in ("passes", "samples", "tokens_in", "tokens_out"):
        joined[name] = sum(row[name] for row in rows)
    rate = share(joined["passes"], joined["samples"])
    known = [row["stable"] for row in rows if row["stable"] is not None]
    return {
        **joined,
        "item_id": rows[0]["item_id"],
        "verdict": majority([row["verdict"] for row in rows]),
        "why": " | ".join(
            f"{row['judge']}: {row['verdict']}{f' ({row_why})' if (row_why := row['why']) else ''}" for row in rows
        ),
        "stable": all(known) if known else None,
        "pass_rate": rate.value,
        "pass_low": rate.low,
        "pass_high": rate.high,
        "votes": votes,
    }
