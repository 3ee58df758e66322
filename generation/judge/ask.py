"""What is asked about an item: prompts, the set an answer must lie in, and the budget it may take.

Four kinds of asking, each with its prompt file (`prompts/`), rubric first and item last so that a server's prefix cache
holds the rubric:

  open_book    the path's facts are given; which option follows from them?        once a rotation
  option       could this wrong option be right as well?                          each wrong option, once a rotation
  closed_book  the item as a student sees it: an estimate of difficulty           `samples` times, turned each time
  form         flaws of the whole item from a closed set                          once, as the item is stored

A reply is constrained (one of `choices`, or JSON that fits `schema`) and checked again by `read`, because a server may
ignore a constraint without a word. Text of items is data: `quoted` takes from it whatever could end the item's block
or pass for a model's control token.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from generation.item import Item
from generation.judge.config import Asking
from generation.prompt import LETTERS

FLAWS = ("ambiguous", "giveaway", "ungrammatical", "trivial", "two_right", "reasoning")
LETTER_OR_NONE = (*LETTERS, "none")
YES_NO = ("yes", "no", "unsure")
ORDERS = ("yes, no or unsure", "no, yes or unsure")
_OPENS = re.compile(r"<(?=[|/\w])")
_BLANKS = re.compile(r"\s+")


class Material(NamedTuple):
    """What a judge is shown of an item. `key` is the place of the right option; `facts` are finished sentences."""

    item_id: str
    question: str
    options: tuple[str, ...]
    key: int
    facts: tuple[str, ...]
    reasoning: str

    @property
    def sha(self) -> str:
        """Hash of all that is shown: another text, key or fact is another item to a judge."""
        return hashlib.sha256(json.dumps(self, ensure_ascii=False).encode()).hexdigest()


class Ask(NamedTuple):
    """One request.

    Attributes:
        rotation: which turn of the options. shift: the option shown first (place as stored).
        place: the option asked about (kind `option`), or -1. sample: number of the closed-book sample.
        rubric, text: system and user message.
        choices: the set that an answer must lie in (or that every flaw must lie in: kind `form`).
        reason_chars: greatest length of a reason before the answer.
    """

    item_id: str
    kind: str
    rotation: int
    shift: int
    place: int
    sample: int
    rubric: str
    text: str
    choices: tuple[str, ...]
    reason_chars: int = 0
    temperature: float = 0.0
    seed: int = 0

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "system", "content": self.rubric}, {"role": "user", "content": self.text}]

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of the reply, or None where the reply is one of `choices`."""
        if self.kind != "form" and not self.reason_chars:
            return None
        answer: dict[str, Any] = {"type": "string", "enum": list(self.choices)}
        name = "answer"
        if self.kind == "form":
            name, answer = "flaws", {"type": "array", "items": answer, "maxItems": len(self.choices)}
        reason = {"reason": {"type": "string", "maxLength": self.reason_chars}} if self.reason_chars else {}
        properties = {**reason, name: answer}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    def budget(self, attempt: int = 0) -> int:
        """Completion tokens: the longest allowed reply in bytes, and its end. A token is at least a byte, so nothing
        allowed can be cut; each further attempt has twice as much, for servers that ignore the constraint."""
        if self.schema is None:
            longest = max(len(choice.encode()) for choice in self.choices)
        elif self.kind == "form":
            longest = len(json.dumps({"reason": "", "flaws": list(self.choices)}))
        else:
            longest = len(json.dumps({"reason": "", "answer": max(self.choices, key=len)}))
        return (longest + 4 * self.reason_chars + 2) << attempt


Value = str | tuple[str, ...]


def read(ask: Ask, text: str) -> Value | None:
    """The answer in a reply (the flaws, for kind `form`), or None for whatever does not lie in the set."""
    if ask.schema is None:
        return text.strip() if text.strip() in ask.choices else None
    try:
        reply = json.loads(text, strict=False)  # xgrammar lets bare control characters through
    except ValueError:
        return None
    if not isinstance(reply, dict):
        return None
    answer = reply.get("flaws" if ask.kind == "form" else "answer")
    if ask.kind != "form":
        return answer if isinstance(answer, str) and answer in ask.choices else None
    if not isinstance(answer, list) or not all(isinstance(flaw, str) and flaw in ask.choices for flaw in answer):
        return None
    return tuple(flaw for flaw in FLAWS if flaw in answer)


def quoted(text: str) -> str:
    """Text of an item as one line, with no tag and no control token in it (`</item>`, `<|im_end|>`)."""
    return _OPENS.sub("< ", _BLANKS.sub(" ", text)).strip()


def material(item: Item, tell: Callable[[str], str]) -> Material:
    """What is shown of a stored row. `tell` gives a fact, by its edge_id, as a sentence."""
    facts = tuple(tell(hop["edge_id"]) for hop in item["path"])
    key = LETTERS.index(item["answer"])
    return Material(item["item_id"], item["question"], tuple(item["options"]), key, facts, item["reasoning"])


def asks(shown: Material, asking: Asking, seed: int) -> Iterator[Ask]:
    """Every request about one item, in a fixed order."""
    for rotation in range(asking.rotations):
        shift = rotation * 4 // asking.rotations
        yield _ask(shown, asking, "open_book", LETTER_OR_NONE, rotation, shift)
        for place in range(4):
            if place != shown.key:
                yield _ask(shown, asking, "option", YES_NO, rotation, 0, place=place)
    for sample in range(asking.samples):
        draw = int.from_bytes(hashlib.sha256(f"{shown.item_id}:{seed}:{sample}".encode()).digest()[:4], "big") >> 1
        turned = _ask(shown, asking, "closed_book", tuple(LETTERS), 0, sample % 4)
        yield turned._replace(sample=sample, temperature=asking.temperature, seed=draw)
    yield _ask(shown, asking, "form", FLAWS, 0, 0)


def _ask(
    shown: Material, asking: Asking, kind: str, choices: Sequence[str], rotation: int, shift: int, place: int = -1
) -> Ask:
    prompt = _macros(f"{kind}.j2")
    view = {
        "question": quoted(shown.question),
        "options": [(letter, quoted(shown.options[(n + shift) % 4])) for n, letter in enumerate(LETTERS)],
        "facts": [quoted(fact) for fact in shown.facts],
        "answer": LETTERS[shown.key],
        "key": quoted(shown.options[shown.key]),
        "reasoning": "\n".join(map(quoted, shown.reasoning.splitlines())),
    }
    further = (quoted(shown.options[place]), ORDERS[rotation % 2]) if kind == "option" else ()
    text = str(prompt.ask(view, *further))
    rubric = _rubric(kind, asking.reason_chars > 0)
    return Ask(shown.item_id, kind, rotation, shift, place, 0, rubric, text, tuple(choices), asking.reason_chars)


@lru_cache(maxsize=8)
def _macros(name: str) -> Any:
    env = SandboxedEnvironment(loader=PackageLoader("generation.judge", "prompts"), undefined=StrictUndefined)
    env.trim_blocks = env.lstrip_blocks = True
    return env.get_template(name).module


@lru_cache(maxsize=16)
def _rubric(kind: str, reasoned: bool) -> str:
    return str(_macros(f"{kind}.j2").rubric(reasoned))


@lru_cache(maxsize=1)
def prompt_hash() -> str:
    """Hash of all prompt files: a changed prompt asks again."""
    digest = hashlib.sha256()
    folder = resources.files("generation.judge") / "prompts"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".j2"):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
