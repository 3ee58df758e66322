"""Items as people read them: golden text, escaped cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from generation import files, view
from generation.drawing import neighbourhood
from generation.item import Item
from generation.judge.reviews import REVIEW
from generation.judge.verdict import VERDICT
from kg.errors import InputError
from kg.graph import Graph
from kg.store import write_table
from tests.hand_items import PATH, item
from tests.hand_made import graph_of

GOLDEN = """\
The nerve that drives the superior oblique muscle leaves the brainstem at which site?

   A. lateral pons
        absent: The trigeminal nerve leaves the brainstem at the lateral pons instead.
 * B. dorsal midbrain
        key: This is where the facts lead.
   C. preolivary sulcus
        contradicted: The trochlear nerve leaves the brainstem at the dorsal midbrain.
   D. cerebellopontine angle
        closed: It belongs elsewhere: the facial nerve leaves the brainstem at the cerebellopontine
        angle.

path
    trochlear nerve --innervates--> superior oblique muscle   [neuro-si core 0.1.0/nerves; Apache-2.0]
    trochlear nerve --exits_from--> dorsal midbrain   [neuro-si core 0.1.0/nerves; Apache-2.0; https://example.org/nerves]

reasoning
    The trochlear nerve innervates the superior oblique muscle. The trochlear nerve leaves the
    brainstem at the dorsal midbrain.
    Now the options, one by one.
    A. lateral pons: no. The trigeminal nerve leaves the brainstem at the lateral pons instead.
    B. dorsal midbrain: yes. This is where the facts lead.
    C. preolivary sulcus: no. The trochlear nerve leaves the brainstem at the dorsal midbrain.
    D. cerebellopontine angle: no. It belongs elsewhere: the facial nerve leaves the brainstem at
    the cerebellopontine angle.
    The answer is B. dorsal midbrain.

0123456789abcdef  test  ^innervates > exits_from  nerves  ^innervates > exits_from | hand 0"""
HOSTILE = "<script>alert(1)</script>"


def hostile() -> Item:
    path = [{**PATH[0], "head": HOSTILE, "source": HOSTILE}, {**PATH[1], "reference": HOSTILE, "license": HOSTILE}]
    return item(
        question=HOSTILE,
        options=[HOSTILE] * 4,
        option_evidence=[HOSTILE] * 4,
        reasoning=HOSTILE,
        path=path,
        option_proofs=["key", HOSTILE, "absent", "absent"],
    )


def test_text() -> None:
    assert view.text(item()) == GOLDEN


def test_a_qualifier_is_shown_with_its_fact() -> None:
    hop = {**PATH[0], "qualifier": "in adults"}
    assert view.arrow(hop) == "trochlear nerve --innervates--> superior oblique muscle (in adults)"


def test_items_are_drawn_by_hash() -> None:
    rows = [item(item_id=str(n)) for n in range(50)]
    assert view.drawn(rows, 5) == view.drawn(list(reversed(rows)), 5)
    assert view.drawn(rows, 5, seed=1) != view.drawn(rows, 5, seed=2)
    assert view.drawn(rows, 0) == []


def test_a_draw_takes_questions_of_one_bridge_last() -> None:
    rows = [item(item_id=str(n), bridge_ids=["x"] if n < 8 else [f"b{n}"]) for n in range(10)]
    assert len({row["bridge_ids"][0] for row in view.drawn(rows, 3)}) == 3
    assert len(view.drawn(rows, 10)) == 10


def test_a_card_escapes_every_label() -> None:
    html = view.card(hostile())
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_a_card_shows_the_way_a_fact_is_true() -> None:
    html = view.card(item())
    assert "⟵ innervates ⟵" in html
    assert "⟶ exits from ⟶" in html
    assert (
        html.index("superior oblique muscle</span>")
        < html.index("trochlear nerve</span>")
        < html.index("dorsal midbrain</span>")
    )


def test_a_table_of_items_shows_cards(tmp_path: Path) -> None:
    files.write_split(tmp_path / "test.parquet", [item(), item(item_id="2", hops=2)], {"seed": "0"})
    items = view.load(tmp_path / "test.parquet")
    assert len(items[items.hops == 2]) == 2
    card = items.show(0)
    assert repr(card) == GOLDEN
    assert card._repr_html_() == view.card(item())


def test_what_is_no_table_of_questions(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        view.load(tmp_path / "nothing.parquet")


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", "$x^{$", "a $\\frac$ b", "plain"])
def test_a_drawing_takes_labels_as_they_are(label: str) -> None:
    from dataclasses import replace

    graph = graph_of("a excites b", "c excites a")
    nodes = {**graph.nodes, "t:b": replace(graph.nodes["t:b"], label=label)}
    svg = neighbourhood(Graph(nodes, graph.facts), "t:a")
    assert svg.startswith("<svg")
    assert "<script" not in svg


def test_a_drawing_of_nothing() -> None:
    assert neighbourhood(graph_of(categories={"a": "region"}), "t:a").startswith("<svg")


def test_verdicts_beside_a_table_are_shown_and_can_be_filtered(tmp_path: Path) -> None:
    items = [item(item_id=name) for name in ("read", "judged", "new")]
    files.write_split(tmp_path / "test.parquet", items, {})
    judged = [dict.fromkeys(VERDICT.names) | {"item_id": one, "verdict": "accept", "model": "M", "why": "fits"} for one in ("read", "judged")]  # fmt: skip
    write_table(tmp_path / "verdicts.parquet", judged, VERDICT, {})
    said = {"item_id": "read", "verdict": "reject", "comment": "<two> keys", "reviewer": "Ada", "time": ""}
    write_table(tmp_path / "reviews.parquet", [said], REVIEW, {})
    found = view.load(tmp_path / "test.parquet")
    assert list(found["verdict"]) == ["reject", "accept", ""]
    assert list(found.find(verdict="reject")["item_id"]) == ["read"]
    assert list(found.find(verdict="")["item_id"]) == ["new"]
    cards = [found.show(place)._repr_html_() for place in range(3)]
    assert "<b>reject</b> (Ada: &lt;two&gt; keys)" in cards[0]
    assert "<b>accept</b> (M: fits)" in cards[1]
    assert "proved, not judged" in cards[2]
