"""The report of an evaluation: a table for the terminal, scores.json, and one self-contained page (no network)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from evaluation import plots
from evaluation.baselines import Baseline
from evaluation.facets import FACETS, facet_order
from evaluation.readings import Kind, Reading, marked, readings
from evaluation.scores import Answered, Scores, as_json
from evaluation.statistics import Comparison, Interval
from kg.stats import table
from training.rewards import FREE_TOKENS, path_words

MOST_VALUES = 25  # values of a facet that the page shows: those with most items
WORST_FIRST = ("predicate", "metapath", "topic", "layer")  # in order of the last model's accuracy


@dataclass(frozen=True)
class Evaluated:
    """All that a report says.

    Attributes:
        about: what was asked (split, items, orders, samples, sampling, ...), as text by name.
        answered: model -> its answered items, earlier stages first. phrases: predicate -> phrase.
    """

    about: Mapping[str, str]
    answered: Mapping[str, Sequence[Answered]]
    scores: Sequence[Scores]
    comparisons: Sequence[Comparison]
    baselines: Sequence[Baseline]
    phrases: Mapping[str, str]


def percent(interval: Interval) -> str:
    """`61.2 % (58.0–64.3)`; the interval is left out where there is none."""
    if interval.low != interval.low:
        return f"{interval.mean:.1%}".replace("%", " %")
    return f"{100 * interval.mean:.1f} % ({100 * interval.low:.1f}–{100 * interval.high:.1f})"


def amount(interval: Interval, digits: int = 2) -> str:
    """`0.31 (0.28–0.34)`."""
    mean, low, high = (f"{round(value, digits) + 0.0:.{digits}f}" for value in interval[:3])  # no -0.00
    return mean if interval.low != interval.low else f"{mean} ({low}–{high})"


def points(interval: Interval) -> str:
    """`+4.4 (2.0 to 6.9)`, in percentage points."""
    return f"{100 * interval.mean:+.1f} ({100 * interval.low:.1f} to {100 * interval.high:.1f})"


def p_value(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def model_rows(scores: Sequence[Scores]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the first table: figures down, models across, so that it fits a phone."""
    shares = list(dict.fromkeys(name for one in scores for name in one.shares))
    names = [*shares, "path reward, words (of 0.8)", "path reward, statements (of 0.8)", "tokens"]
    columns = []
    for one in scores:
        cells = [percent(one.shares[name]) if name in one.shares else "" for name in shares]
        rewards = [amount(one.amounts[name]) for name in ("path words (reward)", "path statements (reward)")]
        columns.append([*cells, *rewards, f"{one.amounts['tokens'].mean:.0f} (median {one.tokens_median:.0f})"])
    rows = [[name, *(column[place] for column in columns)] for place, name in enumerate(names)]
    return ["", *(one.model for one in scores)], rows


def comparison_rows(found: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the paired differences."""
    header = [
        "second − first",
        "points",
        "p (clusters)",
        "p (Holm)",
        "only first right",
        "only second right",
        "p (McNemar)",
    ]
    rows = [
        [f"{one.second} − {one.first}", points(one.difference), p_value(one.p_permutation), p_value(one.p_holm),
         str(one.only_first), str(one.only_second), p_value(one.p_mcnemar)]
        for one in found
    ]  # fmt: skip
    return header, rows


def as_text(found: Evaluated) -> str:
    """What the command prints."""
    header, rows = model_rows(found.scores)
    lines = [", ".join(f"{name} {value}" for name, value in found.about.items())]
    lines.append(table(rows, header))
    if found.comparisons:
        head, compared = comparison_rows(found.comparisons)
        lines.append(table(compared, head))
    lines.append(table([(one.name, percent(one.accuracy)) for one in found.baselines], ("baseline", "accuracy")))
    return "\n\n".join(lines)


def as_data(found: Evaluated) -> dict[str, Any]:
    """scores.json."""
    return {
        "about": dict(found.about),
        "models": {one.model: as_json(one) for one in found.scores},
        "comparisons": [one._asdict() | {"difference": one.difference._asdict()} for one in found.comparisons],
        "baselines": {one.name: one.accuracy._asdict() for one in found.baselines},
    }


def json_text(data: Mapping[str, Any]) -> str:
    """JSON without NaN (null instead)."""
    return json.dumps(_no_nan(data), ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _no_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _no_nan(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_no_nan(one) for one in value]
    return None if isinstance(value, float) and value != value else value


# --- the page ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def environment() -> SandboxedEnvironment:
    """Templates of this package; everything is escaped."""
    return SandboxedEnvironment(loader=PackageLoader("evaluation"), undefined=StrictUndefined, autoescape=True)


def html(found: Evaluated) -> str:
    """The page."""
    kinds = readings(found.answered)
    return str(
        environment()
        .get_template("report.html.j2")
        .render(
            about=found.about,
            models=model_rows(found.scores),
            comparisons=comparison_rows(found.comparisons),
            baselines=[(one.name, percent(one.accuracy)) for one in found.baselines],
            plots=_plots(found),
            facets=[(facet, *_facet_table(found.scores, facet)) for facet in FACETS],
            kinds=[_shown(kind, found.phrases) for kind in kinds],
        )
    )


def _facet_values(scores: Sequence[Scores], facet: str) -> list[str]:
    """Values that are shown, in order."""
    counts = {value: count for one in scores for value, (count, _) in one.facets[facet].items()}
    most = sorted(counts, key=lambda value: -counts[value])[:MOST_VALUES]
    if facet in WORST_FIRST:
        return sorted(most, key=lambda value: (scores[-1].facets[facet][value][1].mean, value))
    return facet_order(facet, most)


def _facet_table(scores: Sequence[Scores], facet: str) -> tuple[list[str], list[list[str]], int]:
    values = _facet_values(scores, facet)
    rows = [
        [value, str(scores[0].facets[facet][value][0]), *[percent(one.facets[facet][value][1]) for one in scores]]
        for value in values
    ]
    return [facet, "items", *[one.model for one in scores]], rows, len(scores[0].facets[facet]) - len(values)


def _plots(found: Evaluated) -> list[str]:
    rows = [(one.model, one.shares["accuracy"], True) for one in found.scores]
    rows += [(one.name, one.accuracy, False) for one in found.baselines]
    drawn = [plots.accuracies(rows)]
    for facet in ("predicate", "metapath"):
        values = _facet_values(found.scores, facet)[:15]
        models = {one.model: [one.facets[facet][value][1] for value in values] for one in found.scores}
        drawn.append(plots.by_facet(f"Accuracy by {facet}, worst first", values, models))
    tokens = {
        name: [read.row["tokens"] for one in rows for read in one.replies] for name, rows in found.answered.items()
    }
    return [*drawn, plots.lengths(tokens, FREE_TOKENS)]


def _shown(kind: Kind, phrases: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": kind.title,
        "note": kind.note,
        "found": kind.found,
        "rows": [_reading(one, phrases) for one in kind.shown],
    }


def _reading(one: Reading, phrases: Mapping[str, str]) -> dict[str, Any]:
    """A reply as the page shows it: path words marked, facts with whether they were stated."""
    words = path_words(one.item["path"], phrases)
    facts = [
        (f"{hop['head']} {phrases.get(hop['predicate'], hop['predicate'])} {hop['tail']}", stated > 0)
        for hop, stated in zip(one.item["path"], one.read.stated.facts, strict=True)
    ]
    replies = [(one.model, one.read), *([one.before] if one.before else [])]
    return {
        "item": one.item,
        "facts": facts,
        "replies": [(name, read.chosen or "none", marked(read.row["reply"], words)) for name, read in replies],
    }
