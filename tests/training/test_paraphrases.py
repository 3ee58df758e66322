"""The statement-based path reward on honest wordings of single facts by someone who had not seen its cues.

`dev` was looked at when cues were added, `check` never was: its share is the measure (docs/rewards.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kg.schema import Schema
from training.path_reward import Item, score
from training.rewards import cut_by_words
from training.statements import Lexicon

FACTS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("paraphrases.yaml").read_text(encoding="utf-8"))
LEXICON = Lexicon.load(Schema.load())


def credit(fact: list[str], text: str) -> float:
    head, predicate, tail = fact
    hop = {"head_id": "x:h", "head": head, "predicate": predicate, "tail_id": "x:t", "tail": tail, "inverse": False,
           "head_synonyms": [], "tail_synonyms": []}  # fmt: skip
    item = Item(([hop],), [tail, "1", "2", "3"], ["x:t", "x:1", "x:2", "x:3"], "A", [])
    return score(item, cut_by_words(text), LEXICON).facts[0]


def full(part: str, turn: bool = False) -> float:
    """Share of sentences with full credit; `turn` asks about the fact with its ends exchanged."""
    got = [credit(one["fact"][::-1] if turn else one["fact"], text) for one in FACTS for text in one[part]]
    return sum(value == 1 for value in got) / len(got)


def test_there_are_two_hundred_sentences_or_more_on_all_kinds_of_facts() -> None:
    assert sum(len(one["dev"]) + len(one["check"]) for one in FACTS) >= 200
    assert len({one["fact"][1] for one in FACTS}) >= 50


@pytest.mark.parametrize(("part", "least"), [("dev", 0.95), ("check", 0.72)])
def test_honest_wordings_are_recognised(part: str, least: float) -> None:
    assert full(part) >= least


@pytest.mark.parametrize("part", ["dev", "check"])
def test_the_same_wordings_seldom_state_the_reversed_fact(part: str) -> None:
    """Nouns such as `lesion` and `synthesis` are taken in either order."""
    assert full(part, turn=True) <= 0.14
