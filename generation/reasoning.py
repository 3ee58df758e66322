"""The chain of thought and the explanation of an item.

The thinking recalls each fact of the path in order, then goes through the options in their order, each with its
letter, a verdict and the reason, and ends in the key: small models learn from this form and not from a bare
conclusion (docs/figures.md). `Thought.render` makes it anew for another order of the options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generation.phrases import capital
from generation.prompt import LETTERS
from generation.stems import macros, pick

STYLES = ("plain", "recall", "steps", "question")


@dataclass(frozen=True)
class Thought:
    """What a chain of thought is made from.

    Attributes:
        told: the facts of the path as sentences, in walking order.
        options: option texts. why: a sentence for each option. key: place of the right one.
        style: one of STYLES.
    """

    told: tuple[str, ...]
    options: tuple[str, ...]
    why: tuple[str, ...]
    key: int
    style: str

    def render(self, order: Sequence[int] | None = None) -> str:
        """The text for the options in the given order (places of `options`; as stored by default)."""
        order = range(len(self.options)) if order is None else order
        lines = [
            {"letter": letter, "text": self.options[place], "right": place == self.key, "why": self.why[place]}
            for letter, place in zip(LETTERS, order, strict=True)
        ]
        key = next(line for line in lines if line["right"])
        return str(getattr(macros("reasoning.j2"), self.style)(list(self.told), lines, key)).strip()


def style_for(draw: str) -> str:
    """A style by hash."""
    return STYLES[pick(draw, "style", of=len(STYLES))]


def explanation(told: Sequence[str], key: str) -> str:
    """One or two sentences: the facts, and what follows."""
    facts = " ".join(told)
    return f"{facts} This makes {key} the answer." if len(told) == 1 else f"{facts} Together they lead to {key}."


def sentence(text: str) -> str:
    """A statement with its capital and full stop."""
    return capital(text) + ("" if text.endswith(".") else ".")
