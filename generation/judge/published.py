"""What the data's own pages say of the judge: report.json, report.html and the dataset card, told anew after a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generation import card, files, report
from generation.judge.card import card_from, read_cards
from generation.judge.outcome import SUMMARY, label


def publish(questions: Path) -> None:
    """Tell the pages of a data set of verdicts, report cards and label, and of the grpo split as it stands now.

    A folder without report.json holds splits alone (`make judge-demo`): there is no page to tell.
    """
    if not (questions / "report.json").exists():
        return
    items = {name: files.read_items(questions / f"{name}.parquet") for name in files.SPLITS}
    data = report.with_split(json.loads((questions / "report.json").read_text(encoding="utf-8")), "grpo", items)
    data |= {"judged": label(questions), "judge": told(questions)}
    files.write_text(questions / "report.json", report.as_json(data))
    files.write_text(questions / "report.html", report.html(data, items))
    files.write_text(questions / "README.md", card.card(data))


def told(questions: Path) -> dict[str, Any]:
    """Verdicts a split, sentences about the judges, and their report cards, as plain data."""
    summary = json.loads((questions / SUMMARY).read_text(encoding="utf-8")) if (questions / SUMMARY).exists() else {}
    cards = [card_from(plain) for plain in read_cards(questions).values()]
    return {
        "verdicts": [
            {"split": name, **counts, "closed_book": summary["difficulty"][name]}
            for name, counts in summary.get("splits", {}).items()
        ],
        "sentences": summary.get("sentences", []),
        "cards": [{"title": one.title, "rows": one.rows(), "sentences": one.sentences()} for one in cards],
    }
