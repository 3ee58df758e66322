"""Test sets over three and more facts: the same rules as two-hop questions, apart from the splits, the same for any workers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluation.baselines import graph_itself
from generation import files
from generation.__main__ import COMMANDS
from generation.checks import faults, stored_path, truth
from generation.item import Item
from generation.longer import Config, Longer, longer
from generation.stems import Asked, Stems
from kg import store
from kg.closure import Closure
from kg.command import run
from kg.graph import Graph
from kg.paths import Hop, Limits, answers, walks
from kg.paths import Path as Walk
from kg.schema import Schema
from tests.command_line import Caller
from tests.hand_made import on_topics

TOPICS = ("brainstem_cranial_nerves",)


@pytest.fixture(scope="module")
def nerves(core_graph: Graph) -> Graph:
    return on_topics(core_graph, TOPICS)


@pytest.fixture(scope="module")
def closure(nerves: Graph, schema: Schema) -> Closure:
    return Closure(nerves, schema)


@pytest.fixture(scope="module")
def made(nerves: Graph, schema: Schema) -> Longer:
    return longer(nerves, schema, {}, Config(number=40))


def items_of(made: Longer) -> list[Item]:
    return [item for part in made.items.values() for item in part]


def pair(item: Item) -> tuple[str, ...]:
    return tuple(sorted((item["source_id"], item["target_id"])))


def test_every_question_follows_and_keeps_the_strict_rule(made: Longer, closure: Closure) -> None:
    items = items_of(made)
    assert len(made.items["neurobench_3hop"]) == 40
    assert made.items["neurobench_4hop"]
    for item in items:
        assert faults(item) is None
        assert truth(closure, item) is None
        assert item["hops"] == len(item["path"]) == len(item["bridge_ids"]) + 1
        assert item["option_proofs"].count("absent") <= 2
        path = stored_path(closure, item)
        assert len(set(path.nodes)) == len(path.nodes)
        assert path in set(walks(closure, item["hops"], Limits(), Counter(), [path.source]))


def test_the_graph_itself_answers_every_question(made: Longer, closure: Closure) -> None:
    assert graph_itself(closure, items_of(made)).accuracy == 1.0


def test_a_set_holds_walks_of_its_length_alone(made: Longer) -> None:
    for name, items in made.items.items():
        assert {item["hops"] for item in items} <= {int(name.removeprefix("neurobench_")[0])}
        assert {item["split"] for item in items} <= {"test"}


def test_no_pair_of_ends_is_asked_in_two_sets_or_in_a_split(made: Longer, nerves: Graph, schema: Schema) -> None:
    pairs = Counter(pair(item) for items in made.items.values() for item in {pair(i): i for i in items}.values())
    assert set(pairs.values()) == {1}
    taken = made.items["neurobench_3hop"][:20]
    again = longer(nerves, schema, {"sft": taken}, Config(number=40))
    assert not {pair(item) for item in items_of(again)} & {pair(item) for item in taken}
    assert again.dropped["3 hops: its ends are asked in another split"] >= len({pair(item) for item in taken})


def test_workers_make_no_difference(made: Longer, nerves: Graph, schema: Schema) -> None:
    assert longer(nerves, schema, {}, Config(number=40), workers=2) == made


def test_walks_cut_short_lose_none_that_the_rule_allows(closure: Closure) -> None:
    """Two-hop walks that overlap in a hop make a three-hop walk, if its ends keep the rule too."""
    two: dict[Hop, list[Walk]] = {}
    for walk in walks(closure, 2, Limits(), Counter()):
        two.setdefault(walk.hops[0], []).append(walk)
    joined = [Walk((*one.hops, other.hops[1])) for part in two.values() for one in part for other in two.get(one.hops[1], ())]  # fmt: skip
    beside = {frozenset((fact.head_id, fact.tail_id)) for fact in closure.graph.facts.values() if fact.askable}
    sound = {
        walk
        for walk in joined
        if len(set(walk.nodes)) == 4
        and len(answers(closure, walk.source, walk.steps)) <= Limits().answers
        and frozenset(walk.pair) not in beside
    }
    assert len(sound) > 50
    assert sound <= set(walks(closure, 3, Limits(), Counter()))


# --- stems ------------------------------------------------------------------------------------------------------------


def stems(closure: Closure, labels: list[tuple[str, str, str, bool]], category: str, several: bool) -> set[str]:
    facts = closure.graph.facts.values()
    hops = []
    for head, predicate, tail, inverse in labels:
        wanted = (head, predicate, tail)
        (fact,) = (
            f for f in facts if (closure.graph.label(f.head_id), f.predicate, closure.graph.label(f.tail_id)) == wanted
        )
        hops.append(Hop(fact, inverse))
    return {Stems(closure).write(Walk(tuple(hops)), Asked(category, several), seed).text for seed in range(80)}


def test_a_stem_of_three_hops_is_told_step_by_step(closure: Closure) -> None:
    walk = [
        ("anterior ethmoidal nerve", "branch_of", "nasociliary nerve", False),
        ("nasociliary nerve", "branch_of", "ophthalmic nerve", False),
        ("ophthalmic nerve", "passes_through", "superior orbital fissure", False),
    ]
    found = stems(closure, walk, "opening", several=False)
    assert "The anterior ethmoidal nerve arises from a nerve. This nerve is a branch of another nerve. Which opening or canal gives passage to this second nerve?" in found  # fmt: skip
    assert {text.count(". ") for text in found} == {1, 2}  # the first bridge is described, or told of
    assert all(text.endswith("?") and "nasociliary" not in text for text in found)


def test_a_cranial_nerve_after_a_nerve_is_not_another_one(closure: Closure) -> None:
    walk = [
        ("recurrent laryngeal nerve", "innervates", "thyroarytenoid muscle", True),
        ("recurrent laryngeal nerve", "branch_of", "vagus nerve", False),
        ("vagus nerve", "exits_from", "postolivary sulcus", False),
    ]
    found = stems(closure, walk, "brainstem_surface", several=False)
    assert all("a cranial nerve" in text and "this cranial nerve" in text for text in found)


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def generation(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(lambda words: run(COMMANDS, "python -m generation", words=words), capsys)


@pytest.fixture(scope="module")
def folders(nerves: Graph, schema: Schema, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A graph, and splits of no questions that were made from it."""
    graph, questions = tmp_path_factory.mktemp("graph"), tmp_path_factory.mktemp("questions")
    store.save(nerves, schema, graph, {"graph_sha256": nerves.sha256})
    for name in files.SPLITS:
        files.write_split(questions / f"{name}.parquet", [], {"graph_sha256": nerves.sha256})
    return graph, questions


def test_the_command_writes_what_is_sound_and_says_how_many(generation: Caller, folders: tuple[Path, Path]) -> None:
    graph, questions = folders
    ended = generation("longer", "--graph", graph, "--questions", questions, "--workers=1", "--number=30")
    counts = {name: len(files.read_items(questions / f"{name}.parquet")) for name in files.LONGER}
    assert counts["neurobench_3hop"] == 30
    assert counts["neurobench_5hop"] < 30
    assert ended.out.startswith("set ")
    assert f"{sum(counts.values()):,} questions in" in ended.out
    assert ended.code == 3
    assert f"fewer than 30 sound questions: neurobench_4hop: {counts['neurobench_4hop']}" in ended.err
    assert files.made_from(questions / "neurobench_5hop.parquet") == files.made_from(questions / "test.parquet") != ""
    assert files.remove_longer(questions) == list(files.LONGER)
    assert files.remove_longer(questions) == []


def test_questions_of_another_graph_are_refused(
    generation: Caller, folders: tuple[Path, Path], small_graph: Graph, small_schema: Schema, tmp_path: Path
) -> None:
    store.save(small_graph, small_schema, tmp_path, {"graph_sha256": small_graph.sha256})
    ended = generation("longer", "--graph", tmp_path, "--questions", folders[1])
    assert ended.code == 2
    assert "made from another graph" in ended.err


def test_a_number_out_of_range_is_one_message(generation: Caller) -> None:
    assert generation("longer", "--number=0").err == (
        "python -m generation: --number: 0 is out of range; give 1 to 1,000,000\n"
    )
