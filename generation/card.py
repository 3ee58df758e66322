"""The dataset card (README.md of build/questions/)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generation.stems import environment


def card(data: Mapping[str, Any]) -> str:
    """The card of a report (generation/report.py)."""
    counts = data["counts"]
    splits = [
        {
            "name": name,
            "number": sum(row["hops"].values()),
            "one": row["hops"].get("1", 0),
            "two": row["hops"].get("2", 0),
        }
        for name, row in counts.items()
    ]
    licenses = [
        {"split": name, "license": licence, "number": number}
        for name, row in counts.items()
        for licence, number in row["license"].items()
    ]
    text = (
        environment()
        .get_template("card.md.j2")
        .render(
            code=data["code_version"],
            seed=data["seed"],
            graph=data["graph_sha256"],
            judged=data["judged"],
            splits=splits,
            licenses=licenses,
        )
    )
    return text.rstrip() + "\n"
