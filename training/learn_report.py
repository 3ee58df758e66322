"""Figures of the learning experiment with intervals, as Markdown, JSON and a picture.

Intervals are 95 % percentile bootstraps over chains (path_id), so that prompts of one chain count as one cluster;
differences are paired by prompt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from training.folders import write_json, write_text

DRAWS = 4_000
ORDER = ("base", "sft", "grpo", "control-sft", "control-none", "control-statements", "control-shuffled")
SAID = {
    "base": "base (forced choice)", "sft": "after SFT", "grpo": "after GRPO, word F1", "control-sft": "SFT for as long instead",
    "control-none": "GRPO, path reward off", "control-statements": "GRPO, statement reward", "control-shuffled": "GRPO, shuffled paths",
}  # fmt: skip


class Interval(NamedTuple):
    """An estimate with a 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%})"


def clustered(values: Sequence[float], clusters: Sequence[str], seed: int = 0) -> Interval:
    """Mean of values with an interval by resampling clusters.

    >>> clustered([1.0, 1.0, 1.0], ["a", "a", "b"])
    Interval(mean=1.0, low=1.0, high=1.0)
    """
    names = sorted(set(clusters))
    place = {name: n for n, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, cluster in zip(values, clusters, strict=True):
        sums[place[cluster]] += value
        counts[place[cluster]] += 1
    drawn = np.random.default_rng(seed).integers(0, len(names), (DRAWS, len(names)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(sums.sum() / counts.sum()), float(low), float(high))


def paired(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> Interval:
    """How much better `second` is than `first` on the same prompts."""
    before = {row["item_id"]: row["right"] for row in first}
    rows = [row for row in second if row["item_id"] in before]
    return clustered(
        [float(row["right"]) - float(before[row["item_id"]]) for row in rows], [row["path_id"] for row in rows]
    )


def write(out: Path, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Report whatever has been measured under `out`."""
    seeds = {folder.name: _replies(folder) for folder in sorted(out.glob("seed*"))}
    report: dict[str, Any] = {"seeds": {name: _figures(out / name, arms) for name, arms in seeds.items()}}
    text = _markdown(report)
    write_json(out / "learn.json", report)
    write_text(out / "learn.md", text)
    say(text)
    picture(out, report)
    say(f"report: {out / 'learn.md'}, curves: {out / 'learn.png'}")
    return report


def _replies(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {file.stem: pq.read_table(file).to_pylist() for file in sorted((folder / "replies").glob("*.parquet"))}


def _figures(folder: Path, arms: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in (name for name in ORDER if name in arms):
        rows = arms[name]
        chains = [row["path_id"] for row in rows]
        times = folder / "times" / f"{name}.json"
        found[name] = {
            "prompts": len(rows),
            "chains": len(set(chains)),
            "accuracy": clustered([float(row["right"]) for row in rows], chains),
            "valid": sum(row["valid"] for row in rows) / len(rows),
            "facts": sum(row["facts"] for row in rows) / len(rows),
            "over_sft": paired(arms["sft"], rows) if "sft" in arms and name not in ("base", "sft") else None,
            "letters": {letter: sum(row["parsed"] == letter for row in rows) / len(rows) for letter in "ABCD"},
            "minutes": json.loads(times.read_text(encoding="utf-8")) if times.exists() else None,
        }
    return found


def _markdown(report: Mapping[str, Any]) -> str:
    lines = [
        "| seed | model | held-out accuracy (95 % by chain) | over SFT, paired | format valid | facts of the path stated | minutes (CPU) |",
        "|---|---|---|---|---|---|---|",
    ]
    for seed, arms in report["seeds"].items():
        for name, figures in arms.items():
            over = (
                f"{figures['over_sft'].mean:+.1%} ({figures['over_sft'].low:+.1%} to {figures['over_sft'].high:+.1%})"
                if figures["over_sft"]
                else ""
            )
            minutes = (
                f"{figures['minutes']['wall'] / 60:.1f} ({figures['minutes']['cpu'] / 60:.1f})"
                if figures["minutes"]
                else ""
            )
            plain = name == "base"
            lines.append(
                f"| {seed} | {SAID[name]} | {figures['accuracy']} | {over} | {'' if plain else format(figures['valid'], '.1%')} | {'' if plain else format(figures['facts'], '.1%')} | {minutes} |"
            )
    first = next((figures for arms in report["seeds"].values() for figures in arms.values()), None)
    if first:
        lines.append(f"\n{first['prompts']} prompts of {first['chains']} held-out chains.")
    return "\n".join(lines) + "\n"


def history(folder: Path) -> list[dict[str, Any]]:
    """The log of a run from its last checkpoint."""
    states = sorted(
        folder.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name.split("-")[1])
    )
    return json.loads(states[-1].read_text(encoding="utf-8"))["log_history"] if states else []


def picture(out: Path, report: Mapping[str, Any]) -> None:
    """Curves: SFT loss, GRPO reward and share right, held-out accuracy with intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(15, 4.2))
    for seed in report["seeds"]:
        losses = [
            (entry["step"], entry["loss"]) for entry in history(out / seed / "sft" / "checkpoints") if "loss" in entry
        ]
        left.plot([step for step, _ in losses], [loss for _, loss in losses], label=seed)
        for arm in ("grpo", "control-none", "control-statements", "control-shuffled"):
            log = [
                entry
                for entry in history(out / seed / "arms" / arm / "grpo" / "checkpoints")
                if "answers/right" in entry
            ]
            if len(log) >= 5:
                smooth = np.convolve([entry["answers/right"] for entry in log], np.ones(5) / 5, mode="valid")
                middle.plot(range(5, len(log) + 1), smooth, label=f"{seed} {SAID[arm]}")
    left.set(title="SFT", xlabel="step", ylabel="loss on replies", yscale="log")
    middle.set(title="GRPO: right among rollouts (mean of 5 updates)", xlabel="update", ylabel="share right")
    _bars(right, report)
    for axis in (left, middle):
        if axis.lines:
            axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(out / "learn.png", dpi=110)
    pyplot.close(figure)


def _bars(axis: Any, report: Mapping[str, Any]) -> None:
    places, labels = 0, []
    for seed, arms in report["seeds"].items():
        for name, figures in arms.items():
            value = figures["accuracy"]
            axis.errorbar([value.mean], [places], xerr=[[value.mean - value.low], [value.high - value.mean]], fmt="o")
            labels.append(f"{seed} {SAID[name]}")
            places += 1
    axis.axvline(0.25, linestyle=":", color="grey")
    axis.set(
        title="held-out two-hop chains (95 % by chain)",
        xlabel="accuracy",
        yticks=range(places),
        yticklabels=labels,
        xlim=(0, 1),
    )
    axis.invert_yaxis()
