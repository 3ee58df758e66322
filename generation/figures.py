"""Set-level figures of the questions, against the targets of docs/quality.md.

`figures(items)` gives plain numbers for report.json; nothing here changes an item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median
from typing import Any, NamedTuple

from generation.blocks import balanced
from generation.item import Item
from generation.prompt import LETTERS


class Target(NamedTuple):
    """A bound on a figure, as text for people and as numbers for the verdict."""

    low: float
    high: float
    text: str

    def met(self, value: float) -> bool:
        return self.low <= value <= self.high


REPORTED = "reported"  # no target

TARGETS: dict[str, Target] = {
    "letter_most": Target(0, 0.268, "≤ 26.8 %"),
    "letter_least": Target(0.232, 1, "≥ 23.2 %"),
    "key_longest": Target(0.22, 0.27, "22–27 %"),
    "key_to_distractor_length": Target(0.9, 1.1, "0.9–1.1"),
    "absent_share": Target(0, 0.40, "≤ 40 %"),
    "skeleton_most": Target(0, 0.08, "≤ 8 %"),
    "answer_most": Target(0, 0.005, "≤ 0.5 %"),
    "bridge_most": Target(0, 0.01, "≤ 1 %"),
    "metapath_most": Target(0, 0.08, "≤ 8 %"),
    "catalogue": Target(0, 0.40, "≤ 40 %"),
    "core": Target(0.40, 1, "≥ 40 %"),
    "core_held_out": Target(0.70, 1, "≥ 70 %"),
    "choices_only": Target(0, 0.30, "≤ 30 %"),
    "stem_source_only": Target(0, 0.35, "≤ 35 %"),
    "most_prevalent": Target(0, 0.30, "≤ 30 %"),
    "nearest_item": Target(0, 0.35, "≤ 35 %"),
    "blocks": Target(0, 1, REPORTED),
    "key_rate_outside": Target(0, 0.10, "≤ 10 % (shown 20 times or more)"),
}
RATIOS = ("key_to_distractor_length",)
OPEN_WORLD = Target(0, 0.005, "≤ 0.5 %")  # the upper 95 % bound


NAMES = {
    "letter_most": "most frequent letter of the key",
    "letter_least": "least frequent letter of the key",
    "key_longest": "key is the longest option",
    "key_to_distractor_length": "length of key / mean distractor",
    "absent_share": "distractors whose proof is absent",
    "skeleton_most": "most frequent stem skeleton",
    "answer_most": "most frequent answer",
    "bridge_most": "most frequent bridge",
    "metapath_most": "most frequent metapath",
    "catalogue": "two-hop questions from facts of HPO and GO alone",
    "core": "two-hop questions that touch a core fact",
    "core_held_out": "held-out questions that touch a core fact",
    "choices_only": "classifier on the options alone",
    "stem_source_only": "answer by the stem's entity alone",
    "most_prevalent": "most prevalent option",
    "nearest_item": "key of the nearest training stem",
    "blocks": "questions in blocks of four with one set of options",
    "key_rate_outside": "entities with a key rate outside 15–35 %",
}


def figures(items: Sequence[Item]) -> dict[str, float]:
    """Balance, lengths, variety and proofs of one split.

    Returns:
        Shares between 0 and 1 (names in TARGETS), and word counts of the reasoning. Empty for no items.
    """
    if not items:
        return {}
    letters = Counter(item["answer"] for item in items)
    return {
        "items": len(items),
        "letter_most": max(letters[letter] for letter in LETTERS) / len(items),
        "letter_least": min(letters[letter] for letter in LETTERS) / len(items),
        "key_longest": mean(_longest(item) for item in items),
        "key_to_distractor_length": mean(_length_ratio(item) for item in items),
        "absent_share": _absent(items),
        "skeleton_most": _most(item["skeleton"] for item in items),
        "answer_most": _most(item["target_id"] for item in items),
        "bridge_most": _most((bridge for item in items for bridge in item["bridge_ids"]), len(items)),
        "metapath_most": _most(item["metapath"] for item in items),
        **_layers([item for item in items if item["hops"] > 1]),
        "blocks": balanced((item["option_ids"], item["target_id"]) for item in items),
        **_key_rates(items),
        **_reasoning(items),
    }


def _longest(item: Item) -> float:
    """1 if the key alone is longest, a fraction for ties, else 0."""
    lengths = [len(option) for option in item["options"]]
    longest = max(lengths)
    key = len(item["target"])
    return 1 / lengths.count(longest) if key == longest else 0.0


def _length_ratio(item: Item) -> float:
    others = [
        len(option) for option, proof in zip(item["options"], item["option_proofs"], strict=True) if proof != "key"
    ]
    return len(item["target"]) / mean(others)


def _absent(items: Sequence[Item]) -> float:
    proofs = Counter(proof for item in items for proof in item["option_proofs"])
    return proofs["absent"] / (sum(proofs.values()) - proofs["key"])


def _most(values: Iterable[str], of: int | None = None) -> float:
    counts = Counter(values)
    return max(counts.values(), default=0) / (of or sum(counts.values()) or 1)


def _layers(items: Sequence[Item]) -> dict[str, float]:
    """Shares of questions by the layers of their facts."""
    if not items:
        return {}
    layers = [{hop["layer"] for hop in item["path"]} for item in items]
    return {
        "catalogue": mean(found <= {"hpo", "go"} for found in layers),
        "core": mean("core" in found for found in layers),
    }


def _key_rates(items: Sequence[Item]) -> dict[str, float]:
    """How often an entity is the key when it is an option, over entities shown at least 20 times."""
    shown = Counter(node for item in items for node in item["option_ids"])
    keys = Counter(item["target_id"] for item in items)
    rates = [keys[node] / count for node, count in shown.items() if count >= 20]
    outside = sum(not 0.15 <= rate <= 0.35 for rate in rates)
    return {"key_rate_entities": len(rates), "key_rate_outside": outside / len(rates) if rates else 0.0}


def _reasoning(items: Sequence[Item]) -> dict[str, float]:
    counts = [len(item["reasoning"].split()) for item in items]
    return {
        "reasoning_words_median": median(counts),
        "reasoning_words_least": min(counts),
        "reasoning_words_most": max(counts),
        "reasoning_under_60": sum(count < 60 for count in counts) / len(counts),
    }


def leaks(splits: Mapping[str, Sequence[Item]]) -> dict[str, int]:
    """Paths and pairs of ends shared by two splits: both must be 0."""
    paths: dict[str, set[str]] = {}
    pairs: dict[str, set[str]] = {}
    for name, items in splits.items():
        group = name.partition("_")[0]
        for item in items:
            paths.setdefault(item["path_id"], set()).add(group)
            pairs.setdefault("|".join(sorted((item["source_id"], item["target_id"]))), set()).add(group)
    return {
        "paths in two splits": sum(len(found) > 1 for found in paths.values()),
        "pairs in two splits": sum(len(found) > 1 for found in pairs.values()),
    }


def fact_overlap(train: Sequence[Item], test: Sequence[Item]) -> dict[str, int]:
    """How many facts of a two-hop test item occur in training as facts of other questions: 0, 1 or 2."""
    seen = {hop["edge_id"] for item in train for hop in item["path"]}
    counts = Counter(sum(hop["edge_id"] in seen for hop in item["path"]) for item in test if item["hops"] == 2)
    return {str(number): counts[number] for number in range(3)}


def proofs_by(items: Sequence[Item], column: str) -> dict[str, dict[str, int]]:
    """Proofs of distractors by predicate of the last hop (`predicate`) or by another column."""
    table: dict[str, Counter[str]] = {}
    for item in items:
        name = item["path"][-1]["predicate"] if column == "predicate" else item[column]
        table.setdefault(str(name), Counter()).update(proof for proof in item["option_proofs"] if proof != "key")
    return {name: dict(sorted(counts.items())) for name, counts in sorted(table.items())}


def counts(items: Sequence[Item]) -> dict[str, dict[str, int]]:
    """Items by hops, predicate, metapath, topic, layer, and facts' licences."""
    columns: dict[str, Counter[str]] = {
        name: Counter() for name in ("hops", "metapath", "topic", "predicate", "layer", "license")
    }
    for item in items:
        columns["hops"][str(item["hops"])] += 1
        columns["metapath"][item["metapath"]] += 1
        columns["topic"][item["topic"]] += 1
        columns["predicate"].update({hop["predicate"] for hop in item["path"]})
        columns["layer"].update({hop["layer"] for hop in item["path"]})
        columns["license"].update({hop["license"] for hop in item["path"]})
    return {name: ranked(counter) for name, counter in columns.items()}


def ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts, greatest first, ties by name: the order in which they were met tells nothing."""
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def as_rows(values: Mapping[str, float]) -> list[dict[str, Any]]:
    """Figures of the report, with their target and the verdict on it: met, MISSED, or nothing where there is no target.

    `shown` is the value in the unit of its target: a ratio as it is, a share in per cent.
    """
    return [
        {
            "figure": NAMES[name],
            "value": values[name],
            "shown": f"{values[name]:.2f}" if name in RATIOS else percent(values[name]),
            "target": target.text,
            "verdict": "" if target.text == REPORTED else "met" if target.met(values[name]) else "MISSED",
        }
        for name, target in TARGETS.items()
        if name in values
    ]


def percent(share: float) -> str:
    """A share in per cent, with two significant digits below one per cent.

    >>> percent(0.25), percent(0.0098), percent(0)
    ('25.0 %', '0.98 %', '0.0 %')
    """
    return f"{100 * share:.{2 if 0 < share < 0.01 else 1}f} %"
