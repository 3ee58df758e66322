"""The three rewards of the mission, as pure functions and with TRL's signature.

    correctness   +1 right, -1 otherwise, minus a length penalty
    format        0.04 for each of five parts, at most 0.20
    path          0.8 x F1 of content words between the item's path and the thinking; 0 unless right and valid

`path` in training/path_reward.py is the other path reward, which pays for statements and not for words. Whichever is
not in use is logged with weight 0. Both read the stored `path` column; neither needs the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from generation.prompt import Reply, parse_reply
from generation.words import content_words
from kg.errors import InputError, nearest
from kg.schema import Schema

FREE_TOKENS = 550  # completion tokens without a penalty, and the tokens of the thinking that are read
FULL_TOKENS = 1_500  # completion tokens from which the penalty is whole
PART = 0.04  # of each of the five parts of the format
PATH_WEIGHT = 0.8

Hop = Mapping[str, Any]  # one entry of the `path` column
Reward = Callable[..., list[float]]  # TRL's signature: (prompts, completions, completion_ids, **columns)


class Thinking(NamedTuple):
    """What the path rewards read: the first 550 tokens of the thinking, and how many tokens it has in all."""

    text: str
    tokens: int


Cut = Callable[[str], Thinking]


def length_penalty(tokens: int) -> float:
    """0 up to 550 completion tokens (end token included), linear to 1.0 at 1,500, 1.0 beyond.

    >>> [length_penalty(n) for n in (0, 550, 1025, 1500, 9999)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    return min(max(tokens - FREE_TOKENS, 0) / (FULL_TOKENS - FREE_TOKENS), 1.0)


def correctness(reply: Reply, answer: str, tokens: int) -> float:
    """+1 for the right letter, -1 for any other reply, minus the length penalty."""
    return (1.0 if reply.answer == answer else -1.0) - length_penalty(tokens)


def format_reward(reply: Reply) -> float:
    """0.04 for each part of the format that is kept."""
    return round(PART * sum(reply.format), 2)


def path_words(path: Sequence[Hop], phrases: Mapping[str, str]) -> frozenset[str]:
    """Content words of a path: the labels of its entities and one phrase a relation, never a field's name."""
    return frozenset().union(
        *(
            content_words(hop["head"])
            | content_words(hop["tail"])
            | content_words(phrase_of(hop["predicate"], phrases))
            for hop in path
        )
    )


def phrase_of(predicate: str, phrases: Mapping[str, str]) -> str:
    """The phrase of a predicate.

    Raises:
        InputError: the schema in use does not have the predicate.
    """
    if predicate not in phrases:
        raise InputError(
            f"path column: unknown predicate {predicate!r}; {nearest(predicate, phrases)}; pass the schema the questions were made with"
        )
    return phrases[predicate]


def word_f1(expected: frozenset[str], found: frozenset[str]) -> float:
    """F1 of two sets of words; 0 if either is empty."""
    common = len(expected & found)
    return 2 * common / (len(expected) + len(found)) if common else 0.0


def alignment(path: Sequence[Hop], thinking: Thinking, phrases: Mapping[str, str]) -> float:
    """The F1 of quality.md before weight and gate, between 0 and 1."""
    return word_f1(path_words(path, phrases), content_words(thinking.text))


def phrases_of(schema: Schema) -> dict[str, str]:
    """Predicate -> its first verb phrase, told from the head (`projects to`)."""
    return {name: predicate.forward.verb[0][0] for name, predicate in schema.predicates.items()}


def gate(reply: Reply, answer: str) -> bool:
    """Whether a path reward may be paid: the answer is right and the format valid."""
    return reply.answer == answer and reply.format.valid


def cut_by_words(text: str) -> Thinking:
    """The cut without a tokenizer: white space separates tokens. For tests and for tables without a model."""
    words = text.split()
    return Thinking(text if len(words) <= FREE_TOKENS else " ".join(words[:FREE_TOKENS]), len(words))


def cut_by(tokenizer: Any) -> Cut:
    """The cut of a fast Hugging Face tokenizer: the text up to the end of token 550."""

    def cut(text: str) -> Thinking:
        ends = [
            end for _, end in tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        ]
        return Thinking(text if len(ends) <= FREE_TOKENS else text[: ends[FREE_TOKENS - 1]], len(ends))

    return cut


def text_of(completion: Any) -> str:
    """The text of a completion as TRL hands it over: messages, or a plain string."""
    return completion if isinstance(completion, str) else "".join(message["content"] for message in completion)


@dataclass(frozen=True)
class Judged:
    """A completion read once for all rewards."""

    reply: Reply
    thinking: Thinking
    answer: str
    tokens: int

    @property
    def paid(self) -> bool:
        return gate(self.reply, self.answer)


def judged(
    completions: Sequence[Any], completion_ids: Sequence[Sequence[int]], answers: Sequence[str], cut: Cut
) -> list[Judged]:
    """Read a batch of completions. `completion_ids` hold the end token, as TRL passes them."""
    rows = []
    for completion, ids, answer in zip(completions, completion_ids, answers, strict=True):
        reply = parse_reply(text_of(completion))
        rows.append(Judged(reply, cut(reply.thinking), answer, len(ids)))
    return rows


def correctness_reward() -> Reward:
    def correct(completions: list[Any], completion_ids: list[list[int]], answer: list[str], **_: Any) -> list[float]:
        rows = judged(completions, completion_ids, answer, cut_by_words)
        return [correctness(row.reply, row.answer, row.tokens) for row in rows]

    return correct


def valid_format_reward() -> Reward:
    def format(completions: list[Any], **_: Any) -> list[float]:
        return [format_reward(parse_reply(text_of(completion))) for completion in completions]

    return format


def path_words_reward(phrases: Mapping[str, str], cut: Cut) -> Reward:
    """The mission's path reward: 0.8 x word F1 behind the gate. Logs the alignment before the gate too."""

    def path_f1(
        completions: list[Any],
        completion_ids: list[list[int]],
        answer: list[str],
        path: list[Sequence[Hop]],
        log_metric: Any = None,
        **_: Any,
    ) -> list[float]:
        rows = judged(completions, completion_ids, answer, cut)
        raw = [alignment(hops, row.thinking, phrases) for hops, row in zip(path, rows, strict=True)]
        if log_metric is not None:
            log_metric("path_f1/ungated", sum(raw) / len(raw))
        return [PATH_WEIGHT * value if row.paid else 0.0 for value, row in zip(raw, rows, strict=True)]

    return path_f1
