"""People's verdicts on items, kept in a CSV that the judge stage merges: item_id, verdict, comment, reviewer, time."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from generation.item import Item
from kg.errors import InputError, nearest

COLUMNS = ("item_id", "verdict", "comment", "reviewer", "time")
VERDICTS = ("accept", "reject", "abstain")
REVIEWS = Path("build/questions/reviews.csv")


def record(item_id: str, verdict: str, comment: str = "", reviewer: str = "", path: Path = REVIEWS) -> None:
    """Append one verdict.

    Raises:
        InputError: an unknown verdict, or a file that cannot be written.
    """
    if verdict not in VERDICTS:
        raise InputError(f"review of {item_id}: unknown verdict {verdict!r}; {nearest(verdict, VERDICTS)}")
    row = (item_id, verdict, " ".join(comment.split()), reviewer, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([COLUMNS, row] if new else [row])
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; give another path") from error


def form(items: Sequence[Item], reviewer: str = "", path: Path = REVIEWS) -> Any:
    """A form that shows item after item and records accept or reject with a comment (needs ipywidgets)."""
    import ipywidgets as widgets

    from generation.view import card

    shown = widgets.HTML(card(items[0]))
    place, comment = (
        widgets.BoundedIntText(0, 0, len(items) - 1, description="item"),
        widgets.Text(placeholder="comment"),
    )
    said = widgets.Label()

    def turn(change: Any) -> None:
        shown.value, comment.value, said.value = card(items[change["new"]]), "", ""

    def button(verdict: str, style: str) -> Any:
        made = widgets.Button(description=verdict, button_style=style)

        def press(_: Any) -> None:
            record(items[place.value]["item_id"], verdict, comment.value, reviewer, path)
            said.value = f"{verdict} recorded in {path}"
            place.value = min(place.value + 1, len(items) - 1)

        made.on_click(press)
        return made

    place.observe(turn, names="value")
    buttons = [button("accept", "success"), button("reject", "danger"), button("abstain", "")]
    return widgets.VBox([widgets.HBox([place, *buttons, comment]), said, shown])
