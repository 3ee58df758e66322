"""The core as a picture: facts by topic and by predicate, and which cells of the blueprint they reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg.coverage import Coverage
from kg.errors import InputError
from kg.store import replacing

FORMATS = (".svg", ".png")
BLUE, PALE = "#3b6ea5", "#c3d3e5"


def draw(core: Coverage, path: Path) -> None:
    """Draw to a file whose name ends in one of FORMATS.

    Raises:
        InputError: another ending, a graph without a core, or a file that cannot be written.
    """
    if path.suffix not in FORMATS:
        raise InputError(f"--plot: {path} ends in {path.suffix!r}; draw to a file that ends in {' or '.join(FORMATS)}")
    if not core.facts:
        raise InputError("--plot: the graph holds no facts of the core; nothing to draw")
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 17), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.1, 1))
    _bars(figure.add_subplot(grid[0, 0]), "Facts by topic (dark: with a reference)", core.topics, core.referenced)
    _bars(figure.add_subplot(grid[0, 1]), "Facts by predicate", core.predicates, core.predicates)
    _cells(figure, figure.add_subplot(grid[1, :]), core)
    with replacing(path) as temporary, matplotlib.rc_context({"svg.hashsalt": "neuro-si"}):
        figure.savefig(temporary, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)


def _bars(axes: Any, title: str, whole: Mapping[str, int], part: Mapping[str, int]) -> None:
    names = sorted(whole, key=lambda name: whole[name])
    labels = [name.replace("_", " ") for name in names]
    axes.barh(labels, [whole[name] for name in names], color=PALE)
    axes.barh(labels, [part[name] for name in names], color=BLUE)
    axes.tick_params(axis="y", labelsize=7)
    axes.margins(y=0.01)
    axes.set_title(title, fontsize=10)


def _cells(figure: Any, axes: Any, core: Coverage) -> None:
    """The blueprint: a square a cell, dark where it is reached, with the number of facts that are short."""
    topics = sorted({cell.topic for cell in core.cells})
    predicates = sorted({cell.predicate for cell in core.cells}, key=lambda name: (-core.predicates[name], name))
    shares = [[float("nan")] * len(predicates) for _ in topics]
    for cell in core.cells:
        row, column = topics.index(cell.topic), predicates.index(cell.predicate)
        shares[row][column] = min(1.0, cell.have / cell.wanted)
        if cell.short:
            axes.text(column, row, f"−{cell.short}", ha="center", va="center", fontsize=7)
    axes.set_title("Blueprint: share of the wanted facts that are there", fontsize=10)
    if shares:
        figure.colorbar(axes.imshow(shares, cmap="YlGnBu", vmin=0, vmax=1, aspect="auto"), ax=axes, shrink=0.6)
    axes.set_xticks(range(len(predicates)), [name.replace("_", " ") for name in predicates], rotation=90, fontsize=7)
    axes.set_yticks(range(len(topics)), [name.replace("_", " ") for name in topics], fontsize=7)
