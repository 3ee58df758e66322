"""Is the benchmark itself sound? The battery of quality.md on every split, gates, and a page of its own.

`audit` measures, `judged` compares with evaluation/thresholds.yaml, `html` draws. A gate that fails ends the command
with exit code 4 after everything was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from evaluation import flaws, overlap, plots
from evaluation.asking import chosen
from evaluation.baselines import graph_itself
from evaluation.report import environment
from evaluation.statistics import Interval, share_interval
from generation.choices import choices_only, choices_only_within
from generation.shortcuts import (
    Guess,
    Item,
    degrees,
    key_rates,
    length_ratio,
    letters,
    longest,
    most_connected,
    nearest_item,
    prevalence,
    shortest,
    stem_source_only,
)
from kg.closure import Closure
from kg.errors import InputError, nearest

MOST_WITHIN = 6_000  # items of a split that the classifiers are cross-validated on, drawn by hash
THRESHOLDS = Path(__file__).parent / "thresholds.yaml"
ALL = "all"  # where figures of all splits together stand


class Figure(NamedTuple):
    """A measured figure; `low` and `high` are a 95 % interval where there is one, else the value itself."""

    value: float
    low: float
    high: float


class Gate(NamedTuple):
    """Bounds of a figure (infinite where there is none) and the splits it holds for (`*` stands for anything)."""

    least: float
    most: float
    splits: tuple[str, ...]
    noise: bool


class Verdict(NamedTuple):
    """A figure beside its gate: `met`, `within noise`, `MISSED`, or `` where no gate holds."""

    split: str
    name: str
    figure: Figure
    gate: Gate | None
    said: str


@dataclass
class Audit:
    """figures: split -> name -> figure. Further tables are for reading only."""

    figures: dict[str, dict[str, Figure]] = field(default_factory=dict)
    flaws: dict[str, dict[str, int]] = field(default_factory=dict)
    readability: dict[str, dict[str, float]] = field(default_factory=dict)
    facts_seen: dict[str, dict[str, int]] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    proofs: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    open_world: list[dict[str, Any]] = field(default_factory=list)


def audit(
    splits: Mapping[str, Sequence[Item]],
    closure: Closure | None,
    seed: int = 0,
    more: Mapping[str, Sequence[Guess]] | None = None,
) -> Audit:
    """Measure everything on every split.

    Args:
        splits: name -> items; `sft` is what the shortcuts learn from.
        closure: of the graph, for the graph's own answers; None leaves them out.
        more: split -> further attacks (a small language model).
    """
    found, train = Audit(), splits.get("sft", ())
    classified = _classified(splits, train, seed)
    for name, items in splits.items():
        guesses = [*_guesses(name, items, train), *classified.get(name, ()), *(more or {}).get(name, ())]
        if closure is not None:
            guesses.append(graph_itself(closure, items))
        clusters = [item["source_id"] for item in items]
        figures = {guess.name: _figure(share_interval(guess.credit, clusters)) for guess in guesses}
        if name == "sft" or not train:
            figures |= _within(items, seed)
        found.figures[name] = figures | _plain(items)
        found.flaws[name], share = flaws.counted(items)
        found.figures[name]["items with at most one writing flaw"] = _exact(share)
        found.readability[name] = flaws.readability(items)
        found.proofs[name] = _proofs(items)
        found.duplicates[f"near-duplicates within {name}"] = len(overlap.near_duplicates(items))
        if name != "sft" and train:
            found.figures[name]["items of training repeated"] = _exact(overlap.shared(train, items))
            found.facts_seen[name] = overlap.facts_seen(train, items)
            found.duplicates[f"near-duplicates of sft in {name}"] = len(overlap.near_duplicates(train, items))
    found.figures[ALL] = {name: _exact(count) for name, count in overlap.pairs_and_paths(splits).items()}
    return found


def _classified(splits: Mapping[str, Sequence[Item]], train: Sequence[Item], seed: int) -> dict[str, list[Guess]]:
    """The choices-only classifiers, trained once on `train`, on every other split."""
    if not train:
        return {}
    others = {name: items for name, items in splits.items() if name != "sft"}
    whole = choices_only(train, [item for items in others.values() for item in items], seed)
    found, start = {}, 0
    for name, items in others.items():
        found[name] = [guess._replace(credit=guess.credit[start : start + len(items)]) for guess in whole]
        start += len(items)
    return found


def _guesses(name: str, items: Sequence[Item], train: Sequence[Item]) -> list[Guess]:
    """Attacks on a split; on `sft` itself only those that do not learn."""
    alone = [longest(items), shortest(items)]
    if name == "sft" or not train:
        return alone
    learnt = [prevalence(train, items), most_connected(items, degrees([*train, *items]))]
    return [
        *alone,
        *learnt,
        stem_source_only(train, items),
        nearest_item(train, items, most=1),
        nearest_item(train, items)._replace(name="nearest training item with its key shown"),
    ]


def _within(items: Sequence[Item], seed: int) -> dict[str, Figure]:
    """The classifiers cross-validated on at most MOST_WITHIN items of a split."""
    some = chosen(items, MOST_WITHIN)
    clusters = [item["source_id"] for item in some]
    guesses = choices_only_within(some, seed)
    return {guess.name: _figure(share_interval(guess.credit, clusters)) for guess in guesses}


def _plain(items: Sequence[Item]) -> dict[str, Figure]:
    clusters = [item["source_id"] for item in items]
    found = {}
    for letter in letters(items).shares:
        found[f"letter {letter}"] = _figure(share_interval([item["answer"] == letter for item in items], clusters))
    rates = key_rates(items)
    outside = sum(not 0.15 <= one.rate <= 0.35 for one in rates) / len(rates) if rates else 0.0
    proofs = Counter(proof for item in items for proof in item["option_proofs"] if proof != "key")
    return found | {
        "key length / distractor length": _exact(length_ratio(items)),
        "entities with a key rate outside 15–35 %": _exact(outside),
        "absent proofs": _exact(proofs["absent"] / max(1, sum(proofs.values()))),
        "items repeated": _exact(overlap.repeated(items)),
    }


def _proofs(items: Sequence[Item]) -> dict[str, dict[str, int]]:
    """Distractors by predicate of the last hop and proof, most absent first."""
    table: dict[str, Counter[str]] = {}
    for item in items:
        table.setdefault(item["path"][-1]["predicate"], Counter()).update(
            p for p in item["option_proofs"] if p != "key"
        )
    return {name: dict(counts) for name, counts in sorted(table.items(), key=lambda row: -row[1]["absent"])}


def _figure(interval: Interval) -> Figure:
    exact = interval.low != interval.low
    return Figure(interval.mean, *((interval.mean,) * 2 if exact else (interval.low, interval.high)))


def bound(true: int, of: int, upper: float) -> Figure:
    """The open-world error: its upper 95 % bound is what the gate reads."""
    return Figure(upper, true / of, upper)


def _exact(value: float) -> Figure:
    return Figure(float(value), float(value), float(value))


# --- gates ---------------------------------------------------------------------------------------------------


def gates(path: Path = THRESHOLDS) -> dict[str, Gate]:
    """Read the thresholds.

    Raises:
        InputError: the file is missing, no YAML, or has a key that is not known.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from error
    if not isinstance(raw, dict):
        raise InputError(f"{path}: must be a table of figures; see the one that comes with the package")
    return {name: _gate(path, name, entry) for name, entry in raw.items()}


def _gate(path: Path, name: str, entry: Any) -> Gate:
    known = ("least", "most", "splits", "noise")
    if not isinstance(entry, dict) or "splits" not in entry:
        raise InputError(f"{path}: {name!r} needs splits and least or most")
    if unknown := [key for key in entry if key not in known]:
        raise InputError(f"{path}: {name!r}: unknown key {unknown[0]!r}; {nearest(str(unknown[0]), known)}")
    try:
        least, most = float(entry.get("least", "-inf")), float(entry.get("most", "inf"))
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {name!r}: bounds must be numbers") from error
    return Gate(least, most, tuple(entry["splits"]), bool(entry.get("noise", False)))


def judged(found: Audit, bounds: Mapping[str, Gate]) -> list[Verdict]:
    """Every figure beside its gate."""
    return [
        _verdict(split, name, figure, gate_of(name, bounds))
        for split, figures in found.figures.items()
        for name, figure in figures.items()
    ]


def gate_of(name: str, bounds: Mapping[str, Gate]) -> Gate | None:
    """The gate of a figure; one whose name ends in `*` holds for all that begin so."""
    starts = [gate for key, gate in bounds.items() if key.endswith("*") and name.startswith(key[:-1])]
    return bounds.get(name) or next(iter(starts), None)


def _verdict(split: str, name: str, figure: Figure, gate: Gate | None) -> Verdict:
    if gate is None or not any(fnmatch(split, known) for known in gate.splits):
        return Verdict(split, name, figure, None, "")
    if gate.least <= figure.value <= gate.most:
        return Verdict(split, name, figure, gate, "met")
    near = gate.noise and figure.high >= gate.least and figure.low <= gate.most
    return Verdict(split, name, figure, gate, "within noise" if near else "MISSED")


def bounds_text(gate: Gate | None) -> str:
    """`22–27 %`, `≤ 30 %`, `0`."""
    if gate is None:
        return ""
    if gate.least == float("-inf"):
        return "0" if gate.most == 0 else f"≤ {gate.most:g}"
    if gate.most == float("inf"):
        return f"≥ {gate.least:g}"
    return f"{gate.least:g}–{gate.most:g}"


def rows(verdicts: Sequence[Verdict], split: str) -> list[tuple[str, str, str, str, str]]:
    """Figure, value, interval, bounds, verdict."""
    found = []
    for one in verdicts:
        if one.split == split:
            exact = one.figure.low == one.figure.high
            value = (
                f"{one.figure.value:g}"
                if exact and one.figure.value == int(one.figure.value)
                else f"{one.figure.value:.3f}"
            )
            spread = "" if exact else f"{one.figure.low:.3f}–{one.figure.high:.3f}"
            found.append((one.name, value, spread, bounds_text(one.gate), one.said))
    return found


def as_data(found: Audit, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """audit.json."""
    return {
        "figures": {
            split: {name: one._asdict() for name, one in figures.items()} for split, figures in found.figures.items()
        },
        "missed": [f"{one.split}: {one.name}" for one in verdicts if one.said == "MISSED"],
        "flaws": found.flaws,
        "readability": found.readability,
        "facts_seen_in_training": found.facts_seen,
        "near_duplicates": found.duplicates,
        "proofs_by_predicate": found.proofs,
        "open_world": found.open_world,
    }


def html(found: Audit, verdicts: Sequence[Verdict]) -> str:
    """The page."""
    attacks = [one for one in verdicts if one.figure.low != one.figure.high and not one.name.startswith("letter")]
    attacks = [one for one in attacks if one.name != "the graph itself"]
    drawn = []
    for split in found.figures:
        own = {one.name: one.figure.value for one in attacks if one.split == split}
        limits = {one.name: one.gate.most for one in attacks if one.split == split and one.gate}
        missed = {one.name for one in attacks if one.split == split and one.said == "MISSED"}
        if own:
            drawn.append(plots.bars(f"{split}: right without knowing the field", own, limits, missed))
    return str(
        environment()
        .get_template("audit.html.j2")
        .render(
            missed=[one for one in verdicts if one.said == "MISSED"],
            splits={split: rows(verdicts, split) for split in found.figures},
            plots=drawn,
            open_world=[
                [one[name] for name in ("layer", "questions", "distractors", "true", "upper")]
                for one in found.open_world
            ],
            audit=found,
        )
    )
