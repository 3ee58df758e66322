"""Gates: what every single item must satisfy. An item that fails is left out and counted by reason.

`faults(item)` needs the item alone; `truth(closure, item)` asks the closure again, from the stored row, whether the key
is right and every distractor false. Set-level figures are in generation/figures.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from generation.court import Court
from generation.item import Item
from generation.likeness import alike
from generation.prompt import LETTERS
from generation.words import content_words, words
from kg.closure import Closure
from kg.names import key
from kg.paths import Hop, Path

_TAG = re.compile(r"</?(think|explanation|answer)>|<\|")  # tags of the reply, control tokens of chat templates
_RESIDUE = re.compile(r"\{\{|\}\}|\{%|%\}|\bNone\b|\bundefined\b")
_DOUBLED = re.compile(r"\b([A-Za-z]{2,}) \1\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(a [aeio]\w+|an [bcdfgjklmnpqrtvwxyz]\w+)\b")
_SPEAKS_OF = re.compile(r"\bthe (graph|path|context|knowledge graph|database)\b", re.IGNORECASE)
REASONING_WORDS = (25, 300)


def four_options(item: Item) -> str | None:
    options = item["options"]
    if len(options) != 4 or len({key(option) for option in options}) != 4:
        return "options are not four different texts"
    if any(alike(a, b) for n, a in enumerate(options) for b in options[:n]):
        return "two options read alike"
    return None


def one_key(item: Item) -> str | None:
    place = LETTERS.find(item["answer"])
    right = item["option_proofs"].count("key") == 1 and item["option_proofs"][place] == "key"
    return None if right and item["option_ids"][place] == item["target_id"] else "the answer is not the key"


def not_named(item: Item) -> str | None:
    """The stem names neither the answer nor a bridge."""
    stem, source = _spaced(item["question"]), _spaced(item["source"])
    hidden = {end for hop in item["path"] for end in (hop["head"], hop["tail"])} - {item["source"]}
    for label in sorted(hidden):
        if _spaced(label) in stem and (label == item["target"] or _spaced(label) not in source):
            return "the stem names the answer or a bridge"
    return None


def not_alone(item: Item) -> str | None:
    """The key is not the only option that shares a word with the stem's entity."""
    shown = content_words(item["source"])
    others = frozenset().union(*(content_words(option) for option in item["options"] if option != item["target"]))
    return "only the key shares a word with the stem" if shown & content_words(item["target"]) - others else None


def _spaced(text: str) -> str:
    """The words of a text between blanks, for whole-word containment."""
    return f" {' '.join(words(text))} "


def english(item: Item) -> str | None:
    stem = item["question"]
    if _RESIDUE.search(stem) or not stem.endswith(("?", ".")) or re.match(r"[a-z]{2}", stem):
        return "the stem is not a clean sentence"
    if "  " in stem or _DOUBLED.search(stem):
        return "the stem has a doubled word or blank"
    if _ARTICLE.search(re.sub(re.escape(item["source"]), "", stem, flags=re.IGNORECASE)):
        return "the stem has a wrong article"
    return None


def reasoned(item: Item) -> str | None:
    text, count = item["reasoning"], len(item["reasoning"].split())
    if _SPEAKS_OF.search(text):
        return "the reasoning speaks of a graph or a path"
    if not REASONING_WORDS[0] <= count <= REASONING_WORDS[1]:
        return f"the reasoning has under {REASONING_WORDS[0]} or over {REASONING_WORDS[1]} words"
    return None if item["target"] in text.splitlines()[-1] else "the reasoning does not end in the key"


def plain(item: Item) -> str | None:
    """Labels are data: none may close a tag of the reply, start a line of its own or turn the text around."""
    lines = [item["question"], *item["options"], item["explanation"], *item["reasoning"].split("\n")]
    if any(not line.isprintable() or _TAG.search(line) for line in lines):
        return "a text holds a tag of the reply or a control character"
    return None


GATES: tuple[Callable[[Item], str | None], ...] = (
    plain,
    four_options,
    one_key,
    not_named,
    not_alone,
    english,
    reasoned,
)


def faults(item: Item) -> str | None:
    """The first fault of an item, or None."""
    return next((fault for gate in GATES if (fault := gate(item))), None)


def stored_path(closure: Closure, item: Item) -> Path:
    """The path of a stored row, from its edge ids.

    Raises:
        KeyError: a fact is not in the graph.
    """
    return Path(tuple(Hop(closure.graph.facts[hop["edge_id"]], hop["inverse"]) for hop in item["path"]))


def truth(closure: Closure, item: Item) -> str | None:
    """Whether the graph entails the key and no distractor, asked anew from the stored row."""
    path = stored_path(closure, item)
    court = Court(closure, path)
    for node, proof in zip(item["option_ids"], item["option_proofs"], strict=True):
        if proof == "key":
            if node not in closure.entailed(path.nodes[-2], path.steps[-1]):
                return "the key does not follow"
        elif not court.judge(node).false:
            return "a distractor is true or unsettled"
    return None
