"""Which candidates are used and in which split: caps, turns, cuts that never part a pair."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.distractors import Distractor
from generation.item import Candidate
from generation.make import Made
from generation.splits import Caps, Split, capped, cut, in_turns, referenced
from kg.paths import Hop, Path
from kg.verdict import Verdict
from tests.hand_made import fact

ALL = Caps(1.0, 1.0, 1.0, 1.0)
SHARES = [("test", 5), ("grpo", 5), ("grpo_reserve", 1), ("sft", 20)]


def candidate(
    source: str, bridge: str, target: str, layer: str = "core", proof: str = "closed", read: bool = True
) -> Candidate:
    texts = (f"{source} projects_to {bridge}", f"{bridge} inhibits {target}")
    reference = "doi:10.1/x" if read else None
    hops = tuple(Hop(replace(fact(text, layer=layer), reference=reference), False) for text in texts)
    wrong = tuple(Distractor(f"t:w{n}", Verdict(proof, proof)) for n in range(3))
    return Candidate(Path(hops), "region", wrong)


def many(number: int, targets: int = 50) -> list[Candidate]:
    return [candidate(f"s{n}", f"b{n % 7}", f"t{n % targets}") for n in range(number)]


def both_ends(name: str) -> list[Candidate]:
    """One path asked at either end."""
    there = candidate(f"{name}1", f"{name}2", f"{name}3")
    back = Path(tuple(Hop(hop.fact, not hop.inverse) for hop in reversed(there.path.hops)))
    return [there, there._replace(path=back)]


# --- turns and caps ---------------------------------------------------------------------------------------------------


def test_every_answer_has_its_first_turn_before_any_has_its_second() -> None:
    ordered = in_turns(many(30, targets=10))
    assert len({one.path.target for one in ordered[:10]}) == 10
    assert len({one.path.target for one in ordered[10:20]}) == 10


def test_turns_do_not_depend_on_the_order_given() -> None:
    rows = many(40)
    assert in_turns(rows) == in_turns(random.Random(1).sample(rows, 40))


def test_caps_are_shares_of_what_is_reached() -> None:
    dropped = Counter[str]()
    rows = in_turns([candidate(f"s{n}", f"b{n}", "t0" if n < 30 else f"t{n}") for n in range(60)])
    chosen = capped(rows, 1000, Caps(answer=0.1, bridge=1.0, metapath=1.0, rare_disease=1.0), dropped, "2 hops")
    counts = Counter(one.path.target for one in chosen)
    assert counts["t:t0"] == 3
    assert len(chosen) == 33
    assert sum(dropped.values()) == 27


def test_every_candidate_is_chosen_or_counted() -> None:
    for wanted in (0, 1, 10, 39, 40, 1000):
        dropped = Counter[str]()
        chosen = capped(
            in_turns(many(40)), wanted, Caps(answer=0.05, bridge=0.2, metapath=1.0, rare_disease=1.0), dropped, "x"
        )
        assert len(chosen) <= wanted
        assert len(chosen) + sum(dropped.values()) == 40


def test_rare_diseases_are_bounded() -> None:
    rows = in_turns([candidate(f"s{n}", f"b{n}", f"t{n}", layer="hpo" if n % 2 else "core") for n in range(400)])
    chosen = capped(rows, 400, Caps(1.0, 1.0, 1.0, rare_disease=0.25), Counter(), "x")
    rare = sum(one.path.hops[0].fact.layer == "hpo" for one in chosen)
    assert rare <= 0.25 * len(chosen) + 1


# --- cuts ---------------------------------------------------------------------------------------------------------------


def test_sizes_are_reached_where_there_are_enough() -> None:
    splits = cut(many(60), SHARES, ALL)
    assert [(split.name, len(split.candidates)) for split in splits] == SHARES


def test_too_few_are_shared_out_in_proportion() -> None:
    splits = cut(many(30), [("test", 20), ("grpo", 20), ("sft", 80)], ALL)
    assert [len(split.candidates) for split in splits] == [5, 5, 20]


@pytest.mark.parametrize("shares", [[("test", 0), ("sft", 0)], [("test", 0), ("sft", 3)], [("test", 3), ("sft", 0)]])
def test_a_split_of_zero_is_empty(shares: list[tuple[str, int]]) -> None:
    assert [(split.name, len(split.candidates)) for split in cut(many(10), shares, ALL)] == shares


def test_no_candidates_make_empty_splits() -> None:
    assert cut([], SHARES, ALL) == [Split(name, []) for name, _ in SHARES]


def pairs_of(split: Split) -> set[tuple[str, str]]:
    return {one.path.pair for one in split.candidates}


rows = st.lists(st.tuples(*[st.integers(0, 12)] * 3).filter(lambda t: len(set(t)) == 3), max_size=60, unique=True)
sizes = st.lists(st.integers(0, 25), min_size=4, max_size=4)


@given(rows, sizes, st.booleans())
def test_no_two_splits_share_a_path_or_a_pair(
    chosen: list[tuple[int, int, int]], wanted: list[int], turned: bool
) -> None:
    candidates = [one for a, b, c in chosen for one in [candidate(f"e{a}", f"e{b}", f"e{c}")]]
    if turned:
        candidates += [one for n in range(5) for one in both_ends(f"z{n}")]
    splits = cut(candidates, [(name, number) for (name, _), number in zip(SHARES, wanted, strict=True)], ALL)
    used = [one.path for split in splits for one in split.candidates]
    assert len(used) == len({(path.path_id, path.source) for path in used})
    for place, split in enumerate(splits):
        assert len(split.candidates) <= wanted[place]
        for other in splits[:place]:
            assert not pairs_of(split) & pairs_of(other)
            assert not {one.path.path_id for one in split.candidates} & {one.path.path_id for one in other.candidates}


@given(st.randoms(use_true_random=False))
def test_cuts_do_not_depend_on_the_order_given(draw: random.Random) -> None:
    candidates = many(50)
    assert cut(draw.sample(candidates, 50), SHARES, ALL) == cut(candidates, SHARES, ALL)


def test_both_ends_of_a_path_stay_together() -> None:
    candidates = [one for n in range(40) for one in both_ends(f"x{n}")]
    for split in cut(candidates, [("test", 20), ("sft", 60)], ALL):
        assert all(count == 2 for count in Counter(one.path.path_id for one in split.candidates).values())


def test_a_candidate_more_moves_few_others() -> None:
    shares = [("test", 40), ("grpo", 40), ("sft", 220)]
    before = {one.path.path_id: split.name for split in cut(many(300), shares, ALL) for one in split.candidates}
    after = {
        one.path.path_id: split.name
        for split in cut([*many(300), candidate("new1", "new2", "new3")], shares, ALL)
        for one in split.candidates
    }
    assert sum(after.get(path) == name for path, name in before.items()) >= 0.98 * len(before)


@pytest.mark.parametrize(("wanted", "unread"), [(80, 0), (120, 20)])
def test_the_test_split_takes_referenced_questions_first(wanted: int, unread: int) -> None:
    rows = [candidate(f"s{n}", f"b{n}", f"t{n}", read=n % 4 == 0) for n in range(400)]
    blocks = [rows[n : n + 4] for n in range(0, 40, 4)]  # mixed ones wait
    splits = cut(rows, [("test", wanted), ("grpo", 40), ("sft", 360 - wanted)], ALL, blocks)
    assert sum(not referenced(one) for one in splits[0].candidates) == unread
    assert [len(split.candidates) for split in splits] == [wanted, 40, 360 - wanted]


def test_blocks_that_share_little_come_first_so_that_more_of_them_find_room() -> None:
    """Of ten blocks nine ask through one bridge, which the split may hold seven times: the tenth is taken first."""
    rows = [candidate(f"s{n}", "hub" if n < 36 else f"b{n}", f"t{n}") for n in range(40)]
    blocks = [rows[n : n + 4] for n in range(0, 40, 4)]
    caps = Caps(1.0, bridge=0.66, metapath=1.0, rare_disease=1.0)
    test = cut(rows, [("test", 12), ("sft", 28)], caps, blocks)[0].candidates
    assert test[:4] == rows[36:]


def test_a_layer_that_names_its_database_needs_no_references() -> None:
    assert referenced(candidate("s", "b", "t", layer="go", read=False))


def test_proven_questions_lean_towards_the_held_out_end() -> None:
    rows = [candidate(f"s{n}", f"b{n}", f"t{n}", proof="closed" if n < 100 else "absent") for n in range(400)]
    test = cut(rows, [("test", 80), ("sft", 320)], ALL)[0].candidates
    assert sum(one.distractors[0].verdict.status == "closed" for one in test) > 60


# --- the core -------------------------------------------------------------------------------------------------------------


def test_the_splits_of_the_core_share_nothing(core_made: Made) -> None:
    paths = {name: {item["path_id"] for item in part} for name, part in core_made.items.items()}
    pairs = {
        name: {frozenset((item["source_id"], item["target_id"])) for item in part}
        for name, part in core_made.items.items()
    }
    names = list(paths)
    assert names == ["sft", "grpo", "test", "grpo_reserve"]
    for place, name in enumerate(names):
        for other in names[:place]:
            assert not paths[name] & paths[other], (name, other)
            assert not pairs[name] & pairs[other], (name, other)


def test_what_asks_about_the_ends_of_a_block_goes_into_its_split() -> None:
    """It could stand in no other, and would be lost; the block comes first."""
    rows = [one for n in range(10) for one in both_ends(f"n{n}")]
    block = [rows[2 * n]._replace(place=n) for n in range(4)]
    shares = [("test", 6), ("grpo", 0), ("grpo_reserve", 0), ("sft", 14)]
    test, *_, sft = cut(rows, shares, ALL, [block])
    assert test.candidates[:4] == block
    assert {one.path.pair for one in test.candidates[4:]} <= {one.path.pair for one in block}
    assert (len(test.candidates), len(sft.candidates)) == (6, 12)
