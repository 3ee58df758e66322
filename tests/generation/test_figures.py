"""Set-level figures, by hand on a few items, and the leaks that must be 0."""

from __future__ import annotations

from typing import Any

import pytest

from generation import figures as fig
from generation.item import Item
from generation.make import Made
from tests.hand_items import hop, item


def with_options(options: list[str], **changes: Any) -> Item:
    return item(options=options, target=options[1], **changes)


def test_no_items_have_no_figures() -> None:
    assert fig.figures([]) == {}


def test_figures_of_four_items() -> None:
    items = [
        with_options(["aa", "bbbb", "cc", "dd"], answer="A"),
        with_options(["aa", "bb", "cccc", "dd"], answer="B", skeleton="x"),
        with_options(["aaaa", "bbbb", "cc", "dd"], answer="B", target_id="y", metapath="m", bridge_ids=["b2"]),
        with_options(
            ["aaaa", "bbbb", "cccc", "dddd"],
            answer="C",
            skeleton="y",
            option_proofs=["closed", "key", "closed", "closed"],
        ),
    ]
    found = fig.figures(items)
    assert found["items"] == 4
    assert (found["letter_most"], found["letter_least"]) == (0.5, 0.0)
    assert found["key_longest"] == pytest.approx((1 + 0 + 1 / 2 + 1 / 4) / 4)
    assert found["key_to_distractor_length"] == pytest.approx((4 / 2 + 2 / (8 / 3) + 4 / (8 / 3) + 1) / 4)
    assert found["absent_share"] == 3 / 12
    assert (found["skeleton_most"], found["answer_most"], found["bridge_most"], found["metapath_most"]) == (
        0.5,
        0.75,
        0.75,
        0.75,
    )
    assert found["reasoning_words_least"] == found["reasoning_words_most"] == len(item()["reasoning"].split())


def test_layers_of_two_hop_questions() -> None:
    hpo, go = hop("1", "a", "has_phenotype", "b", layer="hpo"), hop("2", "b", "is_a", "c", layer="go")
    uniprot = hop("3", "c", "mutation_causes", "a", layer="uniprot")
    found = fig.figures(
        [item(), item(path=[hpo, go]), item(path=[hpo, uniprot]), item(hops=1, path=[hpo], bridge_ids=[])]
    )
    assert (found["core"], found["catalogue"]) == (1 / 3, 1 / 3)
    assert "core" not in fig.figures([item(hops=1)])


def test_single_hops_have_no_bridge() -> None:
    assert fig.figures([item(bridge_ids=[])])["bridge_most"] == 0


def test_key_rates_count_entities_shown_twenty_times() -> None:
    items = [item(target_id="core:dorsal-midbrain" if n < 5 else "core:lateral-pons") for n in range(20)]
    found = fig.figures(items)
    assert found["key_rate_entities"] == 4
    assert found["key_rate_outside"] == 0.75
    assert fig.figures(items[:19])["key_rate_entities"] == 0


def test_targets_are_met_at_their_bounds() -> None:
    target = fig.TARGETS["key_longest"]
    assert [target.met(value) for value in (0.219, 0.22, 0.27, 0.271)] == [False, True, True, False]
    rows = fig.as_rows({"key_longest": 0.3, "items": 5})
    assert [(row["figure"], row["value"], row["verdict"]) for row in rows] == [
        (fig.as_rows({"key_longest": 0.25})[0]["figure"], 0.3, "MISSED")
    ]


def test_leaks_are_found_by_path_and_by_pair() -> None:
    none = {"sft": [item(path_id="1", source_id="a")], "test": [item(path_id="2", source_id="b")]}
    path = {"sft": [item(path_id="1", source_id="a")], "test": [item(path_id="1", source_id="b")]}
    pair = {
        "sft": [item(path_id="1", source_id="a", target_id="b")],
        "test": [item(path_id="2", source_id="b", target_id="a")],
    }
    within = {"grpo": [item(path_id="1"), item(path_id="1")], "grpo_reserve": [item(path_id="1")]}
    assert list(fig.leaks(none).values()) == [0, 0]
    assert list(fig.leaks(path).values()) == [1, 0]
    assert list(fig.leaks(pair).values()) == [0, 1]
    assert list(fig.leaks(within).values()) == [0, 0]


def test_fact_overlap_counts_facts_seen_in_training() -> None:
    first, second = item()["path"]
    train = [item(hops=1, path=[first])]
    assert fig.fact_overlap(train, [item()]) == {"0": 0, "1": 1, "2": 0}
    assert fig.fact_overlap([], [item()]) == {"0": 1, "1": 0, "2": 0}
    assert fig.fact_overlap([*train, item(hops=1, path=[second])], [item()]) == {"0": 0, "1": 0, "2": 1}


def test_proofs_and_counts() -> None:
    assert fig.proofs_by([item(), item()], "predicate") == {"exits_from": {"absent": 2, "closed": 2, "contradicted": 2}}
    assert fig.proofs_by([item()], "topic") == {"nerves": {"absent": 1, "closed": 1, "contradicted": 1}}
    counts = fig.counts([item(), item(hops=1)])
    assert (counts["hops"], counts["license"]) == ({"1": 1, "2": 1}, {"Apache-2.0": 2})
    assert list(counts["predicate"].items()) == [("exits_from", 2), ("innervates", 2)]


def test_counts_are_ranked_with_ties_by_name() -> None:
    assert list(fig.ranked({"b": 1, "c": 2, "a": 1})) == ["c", "a", "b"]


def test_the_core_has_balanced_letters_and_no_leaks(core_made: Made) -> None:
    items = [one for name in ("sft", "grpo", "test") for one in core_made.items[name]]
    found = fig.figures(items)
    assert 0.18 < found["letter_least"] <= found["letter_most"] < 0.32
    assert 0.85 < found["key_to_distractor_length"] < 1.15
    assert set(fig.leaks(core_made.items).values()) == {0}
