"""Blocks of held-out questions: four options, each the key once, each sound for the other three questions."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from generation import blocks
from generation.blocks import SIZE, balanced
from generation.candidates import Draw, find_paths
from generation.court import Hearing
from generation.distractors import Distractors
from generation.item import Candidate
from generation.make import Made
from kg.closure import Closure
from kg.paths import Limits


@pytest.fixture(scope="module")
def draw(core_closure: Closure) -> Draw:
    paths = find_paths(core_closure, (2,), Limits(), Counter())[2]
    return Draw(core_closure, paths[:1500], 0, 1)


@pytest.fixture(scope="module")
def candidates(draw: Draw) -> list[Candidate]:
    return [Candidate(path) for path in draw.paths]


@pytest.fixture(scope="module")
def found(draw: Draw, candidates: list[Candidate]) -> list[list[Candidate]]:
    return blocks.find(draw.distractors, candidates, 200)


def test_a_block_is_four_questions_for_one_category_with_one_set_of_options(
    found: list[list[Candidate]], core_closure: Closure
) -> None:
    assert len(found) >= 20
    for block in found:
        keys = {one.path.target for one in block}
        assert {one.place for one in block} == {0, 1, 2, 3}
        assert len(block) == len(keys) == SIZE
        assert len({core_closure.graph.nodes[key].category for key in keys}) == 1
        for one in block:
            assert {one.path.target, *(wrong.node for wrong in one.distractors)} == keys
            assert one.item is None


def test_every_distractor_of_a_block_is_sound(found: list[list[Candidate]], draw: Draw) -> None:
    for block in found:
        for one in block:
            hearing = Hearing(draw.distractors, one.path)
            assert [hearing.sound(wrong.node) for wrong in one.distractors] == [
                wrong.verdict for wrong in one.distractors
            ]


def test_no_question_is_in_two_blocks(found: list[list[Candidate]]) -> None:
    names = Counter((one.path.path_id, one.path.source) for block in found for one in block)
    assert set(names.values()) == {1}


def test_blocks_do_not_depend_on_workers_or_order(
    found: list[list[Candidate]], draw: Draw, candidates: list[Candidate]
) -> None:
    assert blocks.find(draw.distractors, candidates[::-1], 200, workers=2) == found


def test_a_candidate_less_leaves_most_blocks_alone(
    found: list[list[Candidate]], draw: Draw, candidates: list[Candidate]
) -> None:
    fewer = blocks.find(draw.distractors, candidates[1:], 200)
    names = [{tuple(one.path.path_id for one in block) for block in each} for each in (found, fewer)]
    assert len(names[0] & names[1]) >= 0.9 * len(found)


def test_no_candidates_make_no_blocks(core_closure: Closure) -> None:
    assert blocks.find(Distractors(core_closure, [], 0), [], 100) == []


def test_held_out_questions_come_in_blocks(core_made: Made) -> None:
    """As far as a small run has any: test is filled first, with referenced questions before blocks of others."""
    assert all(hop["reference"] for item in core_made.items["test"] for hop in item["path"])
    for name, least in (("test", 0.5), ("grpo", 0.6)):
        keys: dict[frozenset[str], set[str]] = defaultdict(set)
        items = core_made.items[name]
        for item in items:
            keys[frozenset(item["option_ids"])].add(item["target_id"])
        whole = sum(len(found) == SIZE for found in keys.values()) * SIZE
        assert whole >= least * len(items)


@pytest.mark.parametrize(
    ("questions", "share"),
    [
        ([], 0.0),
        ([("abcd", key) for key in "abcd"], 1.0),
        ([("abcd", key) for key in "abcdabcd"], 1.0),
        ([("abcd", key) for key in "abc"], 0.0),
        ([("abcd", key) for key in "aabcd"], 0.0),
        ([*(("abcd", key) for key in "abcd"), ("efgh", "e")], 0.8),
    ],
)
def test_balanced_is_the_share_of_questions_in_whole_blocks(questions: list[tuple[str, str]], share: float) -> None:
    assert balanced((tuple(options), key) for options, key in questions) == share
