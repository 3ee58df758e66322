"""Rows with the contract's columns, made for a test."""

from __future__ import annotations

from typing import Any

import numpy as np

from generation.prompt import LETTERS


def row(number: int, ids: list[str], key: int, **other: Any) -> dict[str, Any]:
    """An item whose options are the labels of its ids."""
    values = {
        "item_id": f"item{number}",
        "path_id": f"path{number}",
        "question": f"Which one goes with source {number}?",
        "options": [node.partition(":")[2] for node in ids],
        "option_ids": ids,
        "answer": LETTERS[key],
        "target_id": ids[key],
        "target": ids[key].partition(":")[2],
        "source_id": f"s:source {number}",
        "source": f"source {number}",
        "metapath": "r1 > r2",
        "hops": 2,
        "path": [],
    }
    return values | other


def fair(count: int, seed: int, entities: int = 60) -> list[dict[str, Any]]:
    """Items whose key is drawn evenly among four entities that are drawn evenly: nothing gives the key away."""
    rng = np.random.default_rng(seed)
    names = [f"e:{''.join(rng.choice(list('abcdefghijklmnop'), size=rng.integers(4, 20)))}{n}" for n in range(entities)]
    rows = []
    for number in range(count):
        ids = [names[place] for place in rng.choice(entities, size=4, replace=False)]
        rows.append(row(number, ids, int(rng.integers(4))))
    return rows
