"""Items as people like to read them: as text in a terminal, as a card in a notebook.

    from generation.view import load
    items = load("build/questions/test.parquet")   # a table; filter it like any pandas frame
    items.show(0)                                   # a card: stem, options with proofs, path, reasoning, provenance

Labels are data: cards escape them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from textwrap import fill

import pandas as pd
import pyarrow.parquet as pq

from generation.files import read_items
from generation.item import Item
from generation.judge import reviews
from generation.prompt import LETTERS
from kg.paths import digest

WIDTH = 100


def drawn(items: Sequence[Item], number: int, seed: int = 0) -> list[Item]:
    """Some items, drawn by hash; those with a bridge that an earlier one has come last."""
    seen: set[str] = set()
    first: list[Item] = []
    rest: list[Item] = []
    for item in sorted(items, key=lambda item: digest(str(seed), item["item_id"])):
        (first if seen.isdisjoint(item["bridge_ids"]) else rest).append(item)
        seen.update(item["bridge_ids"])
    return [*first, *rest][:number]


def arrow(hop: dict[str, object]) -> str:
    """A fact in the direction in which it is true: `head --predicate--> tail`."""
    qualifier = f" ({hop['qualifier']})" if hop["qualifier"] else ""
    return f"{hop['head']} --{hop['predicate']}--> {hop['tail']}{qualifier}"


def text(item: Item) -> str:
    """An item as plain text."""
    lines = [fill(item["question"], WIDTH), ""]
    for letter, option, proof, why in zip(
        LETTERS, item["options"], item["option_proofs"], item["option_evidence"], strict=True
    ):
        mark = "*" if proof == "key" else " "
        lines.append(f" {mark} {letter}. {option}")
        lines.append(fill(f"{proof}: {why}", WIDTH, initial_indent="        ", subsequent_indent="        "))
    lines += ["", "path"]
    for hop in item["path"]:
        lines.append(
            f"    {arrow(hop)}   [{hop['source']}; {hop['license']}{'; ' + hop['reference'] if hop['reference'] else ''}]"
        )
    lines += [
        "",
        "reasoning",
        *(
            fill(line, WIDTH, initial_indent="    ", subsequent_indent="    ")
            for line in item["reasoning"].splitlines()
        ),
    ]
    lines += ["", f"{item['item_id']}  {item['split']}  {item['metapath']}  {item['topic']}  {item['skeleton']}"]
    return "\n".join(lines)


class Items(pd.DataFrame):
    """A table of items whose rows show themselves as cards."""

    @property
    def _constructor(self) -> type[Items]:
        return Items

    def find(
        self,
        hops: int | None = None,
        predicate: str | None = None,
        proof: str | None = None,
        text: str | None = None,
        verdict: str | None = None,
    ) -> Items:
        """The items that fit: number of hops, a predicate in the path, a proof of some distractor, text in the stem, the
        verdict of a person or a judge ("" for those that nobody has read)."""
        keep = pd.Series(True, index=self.index)
        if hops is not None:
            keep &= self["hops"] == hops
        if predicate is not None:
            keep &= self["path"].map(lambda path: any(hop["predicate"] == predicate for hop in path))
        if proof is not None:
            keep &= self["option_proofs"].map(lambda proofs: proof in list(proofs))
        if text is not None:
            keep &= self["question"].str.contains(text, case=False, regex=False)
        if verdict is not None:
            keep &= self["verdict"] == verdict
        return Items(self[keep])

    def rows(self) -> list[Item]:
        """The items as rows."""
        return [{str(name): value for name, value in row.items()} for row in self.to_dict("records")]

    def show(self, row: int = 0) -> Card:
        """The card of a row, by its place."""
        return Card(self.rows()[row])


class Card:
    """An item that a notebook draws."""

    def __init__(self, item: Item) -> None:
        self.item = item

    def __repr__(self) -> str:
        return text(self.item)

    def _repr_html_(self) -> str:
        return card(self.item)


def load(path: str | Path) -> Items:
    """The items of a Parquet file as a table, with the verdicts that lie beside it (`verdict` and `said`, else "").

    Raises:
        InputError: not a table of questions.
    """
    items, said = Items(read_items(Path(path))), verdicts(Path(path).parent)
    items["verdict"], items["said"] = (
        [said.get(item, ("", ""))[place] for item in items.get("item_id", [])] for place in (0, 1)
    )
    return items


def verdicts(folder: Path) -> dict[str, tuple[str, str]]:
    """Verdict by item, and who said so and why; people's stand over a judge's."""
    judged = folder / "verdicts.parquet"
    rows = pq.read_table(judged, columns=["item_id", "verdict", "model", "why"]).to_pylist() if judged.exists() else []
    found = {row["item_id"]: (row["verdict"], f"{row['model']}: {row['why']}") for row in rows}
    told: dict[str, list[str]] = {}
    for row in reviews.read_reviews(folder):
        told.setdefault(row["item_id"], []).append(": ".join(filter(None, (row["reviewer"], row["comment"]))))
    return found | {item: (verdict, "; ".join(told[item])) for item, verdict in reviews.people(folder).items()}


def card(item: Item) -> str:
    """An item as self-contained HTML."""
    options = "".join(
        f'<li style="margin:.2rem 0;{"font-weight:600" if proof == "key" else ""}">{escape(option)}'
        f' <span style="opacity:.65;font-weight:400;font-size:.9em">{escape(proof)}: {escape(why)}</span></li>'
        for option, proof, why in zip(item["options"], item["option_proofs"], item["option_evidence"], strict=True)
    )
    return (
        '<div style="border:1px solid #8886;border-radius:.6rem;padding:.8rem 1.2rem;max-width:60rem">'
        f'<p style="font-size:1.1em"><b>{escape(item["question"])}</b></p><ol type="A">{options}</ol>{_drawing(item)}'
        f"<p>{_verdict(item)}</p>"
        f'<details><summary>Reasoning</summary><pre style="white-space:pre-wrap">{escape(item["reasoning"])}</pre></details>'
        f"<details><summary>Where the facts come from</summary>{_provenance(item)}</details></div>"
    )


def _verdict(item: Item) -> str:
    if not item.get("verdict"):
        return '<span style="opacity:.65">proved, not judged</span>'
    return f"<b>{escape(item['verdict'])}</b> ({escape(item['said'])})"


def _drawing(item: Item) -> str:
    """The path as boxes with predicates on the arrows, in walking order; an arrow points the way the fact is true."""
    box = "border:1px solid #8888;border-radius:.4rem;padding:.15rem .6rem;white-space:nowrap"
    parts = []
    for place, hop in enumerate(item["path"]):
        start, end = (hop["tail"], hop["head"]) if hop["inverse"] else (hop["head"], hop["tail"])
        if not place:
            parts.append(f'<span style="{box}">{escape(start)}</span>')
        name = escape(str(hop["predicate"]).replace("_", " "))
        arrow_ = f"⟵ {name} ⟵" if hop["inverse"] else f"⟶ {name} ⟶"
        parts.append(
            f'<span style="font-size:.85em;opacity:.8">{arrow_}</span><span style="{box}">{escape(end)}</span>'
        )
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.6rem 0">{"".join(parts)}</div>'
    )


def _provenance(item: Item) -> str:
    rows = "".join(
        f"<tr><td>{escape(arrow(hop))}</td><td>{escape(hop['source'])}</td><td>{escape(hop['license'])}</td><td>{escape(hop['reference'] or '')}</td></tr>"
        for hop in item["path"]
    )
    return f"<table><tr><th>fact</th><th>source</th><th>licence</th><th>reference</th></tr>{rows}</table>"
