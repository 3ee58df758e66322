"""A model's reply beside the reference, for a notebook: words of the path marked, facts with whether they are stated.

from evaluation.beside import beside
beside(items.rows()[0], "grpo")
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from evaluation.asking import Item
from evaluation.config import OUT
from evaluation.readings import marked
from evaluation.replies import read
from evaluation.scores import Reader
from kg.errors import InputError
from kg.schema import Schema
from training.rewards import path_words, phrases_of


class Html(str):
    """What a notebook shows as it is."""

    def _repr_html_(self) -> str:
        return str(self)


def beside(item: Item, model: str, out: Path = OUT, split: str = "test", schema: Schema | None = None) -> Html:
    """The first reply of a model to an item, beside the item's own reasoning.

    Args:
        out: folder of the replies. schema: the graph's vocabulary (the packaged one by default).

    Raises:
        InputError: the model has no reply to this item.
    """
    rows = [row for row in read(out / model / split) if row["item_id"] == item["item_id"] and not row["rotation"]]
    if not rows:
        raise InputError(f"{out / model / split}: no reply to item {item['item_id']}; ask more with --asking.limit")
    schema = schema or Schema.load()
    phrases = phrases_of(schema)
    (answered,) = Reader(schema).answered([item], rows[:1])
    reply = answered.replies[0]
    words = path_words(item["path"], phrases)
    facts = "".join(
        f"<p style='margin:.2rem 0'>{'✓' if stated > 0 else '✗'} "
        f"{escape(' '.join((hop['head'], phrases.get(hop['predicate'], hop['predicate']), hop['tail'])))}</p>"
        for hop, stated in zip(item["path"], reply.stated.facts, strict=True)
    )
    chosen = f"{model} chose {reply.chosen or 'none'}, {'right' if reply.row['correct'] else 'wrong'}"
    columns = ((chosen, str(reply.row["reply"])), (f"reference: {item['answer']}", str(item["reasoning"])))
    cells = "".join(
        f"<div style='flex:1 1 20rem;min-width:0'><b>{escape(title)}</b>{_marked(text, words)}</div>"
        for title, text in columns
    )
    return Html(
        f"<p><b>{escape(item['question'])}</b></p>{facts}<div style='display:flex;flex-wrap:wrap;gap:1rem'>{cells}</div>"
    )


def _marked(text: str, words: frozenset[str]) -> str:
    style = "background:#e8b93155;color:inherit;border-radius:.15rem"
    pieces = [f"<mark style='{style}'>{escape(t)}</mark>" if hit else escape(t) for t, hit in marked(text, words)]
    return f"<pre style='white-space:pre-wrap;overflow-wrap:anywhere'>{''.join(pieces)}</pre>"
