"""Plots of the report as SVG text, without any file or network."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evaluation.statistics import Interval

COLOURS = ("#8c8c8c", "#3b6ea5", "#c8553d", "#2a7f4f", "#8a5fb0", "#b8860b", "#4aa3a2", "#704214")


def accuracies(rows: Sequence[tuple[str, Interval, bool]]) -> str:
    """Accuracy of models and baselines with intervals, best on top.

    Args:
        rows: name, interval, and whether it is a model (else a baseline).
    """
    figure, axes = _axes(0.32 * len(rows) + 1.1)
    rows = sorted(rows, key=lambda row: row[1].mean)
    for place, (_, interval, model) in enumerate(rows):
        colour = COLOURS[1] if model else COLOURS[0]
        axes.errorbar(interval.mean, place, xerr=[[_reach(interval.mean - interval.low)], [_reach(interval.high - interval.mean)]],
                      fmt="o" if model else "s", color=colour, capsize=3, markersize=5)  # fmt: skip
    axes.set_yticks(range(len(rows)), [_plain(name) for name, _, _ in rows], fontsize=8)
    axes.axvline(0.25, color="#bbb", linewidth=1, linestyle=":")
    axes.set_xlim(0, 1.02)
    axes.set_title("Accuracy with 95 % interval (dotted: chance)", fontsize=10)
    return _svg(figure)


def by_facet(title: str, values: Sequence[str], models: Mapping[str, Sequence[Interval | None]]) -> str:
    """Accuracy of each model for each value of a facet."""
    figure, axes = _axes(0.28 * len(values) * max(1, len(models)) ** 0.5 + 1.1)
    step = 0.7 / max(1, len(models))
    for number, (name, intervals) in enumerate(models.items()):
        for place, interval in enumerate(intervals):
            if interval is not None:
                y = len(values) - 1 - place + step * ((len(models) - 1) / 2 - number)
                reach = [[_reach(interval.mean - interval.low)], [_reach(interval.high - interval.mean)]]
                axes.errorbar(interval.mean, y, xerr=reach, fmt="o", color=COLOURS[(number + 1) % len(COLOURS)], markersize=4,
                              capsize=2, label=_plain(name) if place == 0 else None)  # fmt: skip
    axes.set_yticks(range(len(values)), [_plain(value) for value in reversed(values)], fontsize=7)
    axes.axvline(0.25, color="#bbb", linewidth=1, linestyle=":")
    axes.set_xlim(0, 1.02)
    axes.set_title(title, fontsize=10)
    figure.legend(fontsize=7, loc="outside lower center", ncols=4, frameon=False)
    return _svg(figure)


def lengths(models: Mapping[str, Sequence[int]], free: int) -> str:
    """Histogram of tokens a reply; a line where the length penalty begins."""
    figure, axes = _axes(2.6)
    most = max((max(tokens) for tokens in models.values() if tokens), default=1)
    for number, (name, tokens) in enumerate(models.items()):
        axes.hist(
            tokens,
            bins=40,
            range=(0, most),
            histtype="step",
            color=COLOURS[(number + 1) % len(COLOURS)],
            label=_plain(name),
        )
    if most > free:
        axes.axvline(free, color="#bbb", linewidth=1, linestyle=":")
    axes.set_title("Tokens a reply", fontsize=10)
    axes.legend(fontsize=7)
    return _svg(figure)


def bars(title: str, values: Mapping[str, float], limits: Mapping[str, float], missed: Collection[str]) -> str:
    """Shares of the audit beside their limits (a line each); those that missed their gate stand out."""
    figure, axes = _axes(0.3 * len(values) + 1.0)
    names = list(values)[::-1]
    for place, name in enumerate(names):
        axes.barh(place, values[name], color=COLOURS[2] if name in missed else COLOURS[1], height=0.6)
        if name in limits:
            axes.plot([limits[name]] * 2, [place - 0.4, place + 0.4], color="#222", linewidth=1.5)
    axes.set_yticks(range(len(names)), [_plain(name) for name in names], fontsize=8)
    axes.axvline(0.25, color="#bbb", linewidth=1, linestyle=":")
    axes.set_title(title, fontsize=10)
    return _svg(figure)


def _reach(value: float) -> float:
    return max(0.0, value) if value == value else 0.0


def _axes(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.4, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _plain(text: str) -> str:
    """Text that matplotlib does not read as mathematics."""
    return text.replace("$", r"\$").replace("_", " ")


def _svg(figure: Any) -> str:
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "neuro-si"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return "<svg" + text.getvalue().partition("<svg")[2]
