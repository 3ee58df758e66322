"""The main job: what it gives, what it counts, and that a fact elsewhere moves little."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import ceil

import pyarrow as pa
import pytest

from generation.candidates import find_paths
from generation.item import ITEM, Item
from generation.make import MOST, SURPLUS, Config, Made, check, check_sizes, make, shortfalls
from generation.prompt import parse_reply, reply
from generation.splits import MISSION, Caps, Sizes
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.paths import Limits
from kg.schema import Schema
from tests.conftest import CORE_CONFIG, OPEN_CAPS, SMALL_CONFIG
from tests.hand_made import fact, graph_of


def items_of(made: Made) -> list[Item]:
    return [one for part in made.items.values() for one in part]


def sized(sft_single: int | None = 0, sft: int | None = 0, grpo: int | None = 0, test: int | None = 0) -> Config:
    return Config(sizes=Sizes(sft_single, sft, grpo, test), caps=OPEN_CAPS)


# --- what it gives ----------------------------------------------------------------------------------------------------


def test_rows_are_of_the_contract_s_schema(small_made: Made) -> None:
    for part in small_made.items.values():
        assert pa.Table.from_pylist(part, schema=ITEM).to_pylist() == part


def test_every_item_is_one_question_of_its_split(small_made: Made) -> None:
    rows = items_of(small_made)
    assert len({one["item_id"] for one in rows}) == len(rows)
    for name, part in small_made.items.items():
        assert {one["split"] for one in part} <= {name.partition("_")[0]}
        assert all(one["hops"] == len(one["path"]) for one in part)
    assert {one["hops"] for one in small_made.items["sft"]} == {1, 2}
    assert {one["hops"] for name in ("grpo", "test", "grpo_reserve") for one in small_made.items[name]} == {2}


def test_a_row_names_the_ends_of_its_walk(core_made: Made) -> None:
    for one in items_of(core_made):
        at, walked = one["source_id"], []
        for hop in one["path"]:
            start, end = (hop["tail_id"], hop["head_id"]) if hop["inverse"] else (hop["head_id"], hop["tail_id"])
            assert start == at
            at = end
            walked.append(f"{'^' if hop['inverse'] else ''}{hop['predicate']}")
        assert at == one["target_id"]
        assert one["metapath"] == " > ".join(walked)
        assert one["options"][one["option_ids"].index(at)] == one["target"]
        assert one["skeleton"].startswith(one["metapath"])


def test_no_stem_names_its_answer_or_a_bridge(core_made: Made) -> None:
    for one in items_of(core_made):
        hidden = {one["target"], *(hop[end] for hop in one["path"] for end in ("head", "tail"))} - {one["source"]}
        for label in hidden:
            found = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", one["question"], re.IGNORECASE)
            assert not found or label.lower() in one["source"].lower(), one["question"]


def test_every_item_makes_a_reply_of_valid_format(core_made: Made) -> None:
    for one in items_of(core_made):
        read = parse_reply(reply(one["reasoning"], one["explanation"], one["answer"]))
        assert read.format.valid
        assert read.answer == one["answer"]


# --- what it counts ---------------------------------------------------------------------------------------------------


def test_answers_and_bridges_keep_their_caps_over_all_questions_of_two_hops(core_made: Made) -> None:
    """Over what was made in the end, not over what was wanted or what splits had no room for."""
    rows = [one for one in items_of(core_made) if one["hops"] == 2]
    answers = Counter(one["target_id"] for one in rows)
    bridges = Counter(bridge for one in rows for bridge in one["bridge_ids"])
    assert max(answers.values()) <= ceil(CORE_CONFIG.caps.answer * SURPLUS * len(rows))
    assert max(bridges.values()) <= ceil(CORE_CONFIG.caps.bridge * SURPLUS * len(rows))


def test_every_path_becomes_an_item_or_is_counted(small_graph: Graph, small_schema: Schema, small_made: Made) -> None:
    dropped = Counter[str]()
    paths = find_paths(Closure(small_graph, small_schema), (1, 2), Limits(), dropped)
    supply = sum(map(len, paths.values()))
    assert sum(small_made.supply.values()) == supply
    later = sum((small_made.dropped - dropped).values())
    assert len(items_of(small_made)) + later >= supply
    assert all(count >= 0 for count in small_made.dropped.values())


def test_explicit_counts_are_met_exactly(small_graph: Graph, small_schema: Schema) -> None:
    made = make(small_graph, small_schema, sized(10, 6, 4, 2))
    assert {name: (want, got) for name, (want, got, _) in made.asked.items()} == {
        "sft_single": (10, 10),
        "sft": (6, 6),
        "grpo": (4, 4),
        "test": (2, 2),
    }
    assert shortfalls(made) == []


def test_without_counts_all_that_is_sound_is_made_and_nothing_is_short(
    small_graph: Graph, small_schema: Schema
) -> None:
    made = make(small_graph, small_schema, Config())
    assert {name: want for name, (want, _, _) in made.asked.items()} == MISSION
    assert items_of(made)
    assert shortfalls(made) == []


def test_a_count_that_cannot_be_reached_is_told_and_nothing_is_padded(small_graph: Graph, small_schema: Schema) -> None:
    made = make(small_graph, small_schema, sized(5, 0, 0, 5000))
    want, got, explicit = made.asked["test"]
    assert (want, explicit) == (5000, True)
    assert 0 < got < 100
    assert shortfalls(made) == [f"test: asked for 5,000, {got:,} sound questions were found"]
    assert len({one["item_id"] for one in items_of(made)}) == len(items_of(made))


def test_counts_of_zero(small_graph: Graph, small_schema: Schema) -> None:
    made = make(small_graph, small_schema, sized())
    assert items_of(made) == []
    assert shortfalls(made) == []


@pytest.mark.parametrize("count", [-1, 10**9, MOST + 1])
@pytest.mark.parametrize("name", ["sft_single", "sft", "grpo", "test"])
def test_counts_out_of_range(name: str, count: int) -> None:
    with pytest.raises(InputError, match=rf"sizes\.{name}: {count} is out of range; give 0 to 1,000,000"):
        check_sizes(Sizes(**{name: count}))


def test_an_empty_graph(small_schema: Schema) -> None:
    with pytest.raises(InputError, match="the graph has no facts; build one with"):
        make(Graph({}, {}), small_schema, Config())


def test_a_graph_of_one_predicate(small_schema: Schema) -> None:
    names = "apple beach candy dream eagle frost".split()
    nerves = "kilo lima mike november oscar papa".split()
    kinds = dict.fromkeys(names, "muscle") | dict.fromkeys(nerves, "nerve")
    graph = graph_of(
        *(f"{nerve} innervates {muscle}" for nerve, muscle in zip(nerves, names, strict=True)), categories=kinds
    )
    made = make(graph, small_schema, SMALL_CONFIG)
    assert {one["metapath"] for one in items_of(made)} == {"innervates", "^innervates"}
    assert {one["hops"] for one in items_of(made)} == {1}


def test_a_graph_of_one_fact(small_schema: Schema) -> None:
    made = make(graph_of("a cleaves b", categories={"a": "toxin", "b": "vesicle_protein"}), small_schema, SMALL_CONFIG)
    assert items_of(made) == []
    assert made.dropped["1 hop: fewer than 3 sound distractors"] == 2


# --- what moves it ------------------------------------------------------------------------------------------------------


def test_another_seed_draws_other_items(small_graph: Graph, small_schema: Schema, small_made: Made) -> None:
    other = make(small_graph, small_schema, replace(SMALL_CONFIG, seed=1))
    assert other.items != small_made.items
    assert {one["path_id"] for one in items_of(other)} & {one["path_id"] for one in items_of(small_made)}


def test_workers_do_not_matter(
    small_graph: Graph, small_schema: Schema, small_made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.workers.CHUNK", 7)  # so that three workers have something to share
    made = make(small_graph, small_schema, SMALL_CONFIG, workers=3)
    assert (made.items, made.dropped, made.supply, made.asked) == (
        small_made.items,
        small_made.dropped,
        small_made.supply,
        small_made.asked,
    )


def unchanged(before: Made, after: Made) -> float:
    """Share of items that are the same in every column."""
    known = {one["item_id"]: one for one in items_of(after)}
    return sum(known.get(one["item_id"]) == one for one in items_of(before)) / len(items_of(before))


def test_a_fact_added_elsewhere_leaves_95_percent_of_items_unchanged(
    core_graph: Graph, schema: Schema, core_made: Made
) -> None:
    """Not only new entities: the fact joins two entities that the graph knows, and so makes new paths."""
    one = replace(
        fact("x projects_to y", layer="core"),
        head_id="core:subthalamic-nucleus",
        tail_id="core:superior-olivary-complex",
        edge_id="core:0000000000000000",
    )
    assert {one.head_id, one.tail_id} <= core_graph.nodes.keys()
    larger = replace(core_graph, facts={**core_graph.facts, one.edge_id: one})
    assert unchanged(core_made, make(larger, schema, CORE_CONFIG)) >= 0.95


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (Config(seed=10**23), "--seed: 100000000000000000000000 is out of range"),
        (Config(caps=Caps(answer=0)), "--caps.answer: 0 is out of range"),
        (Config(caps=Caps(metapath=7)), "--caps.metapath: 7 is out of range"),
        (Config(limits=Limits(fan_out=0)), "--limits.fan_out: 0 is out of range"),
    ],
)
def test_settings_out_of_range_are_named(config: Config, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check(config)
