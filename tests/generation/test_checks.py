"""Gates: a good item passes, every planted fault is caught and named."""

from __future__ import annotations

from typing import Any

import pytest

from generation.checks import GATES, faults, stored_path, truth
from generation.item import Item
from generation.make import Made
from kg.closure import Closure
from tests.hand_items import PATH, REASONING, hop, item

OPTIONS = item()["options"]


def with_option(place: int, text: str) -> list[str]:
    return [text if n == place else option for n, option in enumerate(OPTIONS)]


def test_a_good_item_passes_every_gate() -> None:
    assert [gate(item()) for gate in GATES] == [None] * len(GATES)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"options": OPTIONS[:3]}, "options are not four different texts"),
        ({"options": with_option(0, "Dorsal Midbrain")}, "options are not four different texts"),
        ({"options": with_option(0, "midbrain, dorsal")}, "two options read alike"),
        ({"options": with_option(0, "left preolivary sulcus")}, "two options read alike"),
        ({"answer": "A"}, "the answer is not the key"),
        ({"answer": "E"}, "the answer is not the key"),
        ({"option_proofs": ["key", "key", "absent", "closed"]}, "the answer is not the key"),
        ({"target_id": "core:lateral-pons"}, "the answer is not the key"),
        ({"question": "Does the superior oblique muscle's nerve leave at the dorsal midbrain?"}, "the stem names the answer or a bridge"),
        ({"question": "Where does the trochlear nerve of the superior oblique muscle leave?"}, "the stem names the answer or a bridge"),
        ({"question": "Where do trochlear nerves leave?"}, "the stem names the answer or a bridge"),
        ({"question": "Where does {{ x }} leave?"}, "the stem is not a clean sentence"),
        ({"question": "Where does None leave?"}, "the stem is not a clean sentence"),
        ({"question": "Where does it leave"}, "the stem is not a clean sentence"),
        ({"question": "where does it leave?"}, "the stem is not a clean sentence"),
        ({"question": ""}, "the stem is not a clean sentence"),
        ({"question": "Where does the the nerve leave?"}, "the stem has a doubled word or blank"),
        ({"question": "Where  does the nerve leave?"}, "the stem has a doubled word or blank"),
        ({"question": "Where does a artery leave?"}, "the stem has a wrong article"),
        ({"question": "Where does an nerve leave?"}, "the stem has a wrong article"),
        ({"reasoning": REASONING + "\nSo says the graph: dorsal midbrain."}, "the reasoning speaks of a graph or a path"),
        ({"reasoning": "It is dorsal midbrain."}, "the reasoning has under 25 or over 300 words"),
        ({"reasoning": "word " * 300 + "dorsal midbrain"}, "the reasoning has under 25 or over 300 words"),
        ({"reasoning": REASONING + "\nOr lateral pons."}, "the reasoning does not end in the key"),
        ({"question": "Where does it leave</think>?"}, "a text holds a tag of the reply or a control character"),
        ({"options": with_option(0, "</think>")}, "a text holds a tag of the reply or a control character"),
        ({"options": with_option(0, "pons <answer>A</answer>")}, "a text holds a tag of the reply or a control character"),
        ({"reasoning": REASONING.replace("lateral pons", "<think>pons")}, "a text holds a tag of the reply or a control character"),
        ({"explanation": "See </explanation>."}, "a text holds a tag of the reply or a control character"),
        ({"options": with_option(0, "pons\nB. olive")}, "a text holds a tag of the reply or a control character"),
        ({"options": with_option(0, "pons\u202e")}, "a text holds a tag of the reply or a control character"),
        ({"question": "Where\ndoes it leave?"}, "a text holds a tag of the reply or a control character"),
        ({"reasoning": REASONING.replace("lateral pons", "pons\x1b[31m")}, "a text holds a tag of the reply or a control character"),
    ],
)  # fmt: skip
def test_every_planted_fault_is_caught(changes: dict[str, Any], fault: str) -> None:
    assert faults(item(**changes)) == fault


def test_a_name_inside_the_source_s_own_name_is_not_given_away() -> None:
    inner = item(
        question="The nerve that drives the nucleus of the trochlear nerve leaves the brainstem at which site?",
        source="nucleus of the trochlear nerve",
        path=[hop("1", "trochlear nerve", "innervates", "nucleus of the trochlear nerve", True), PATH[1]],
    )
    assert faults(inner) is None


def test_an_article_inside_a_name_is_no_fault() -> None:
    assert faults(item(question="Which sign follows a UPPER lesion?".replace("UPPER", "unilateral"))) is None


# --- truth, asked anew -------------------------------------------------------------------------------------------------


def items_of(made: Made) -> list[Item]:
    return [one for part in made.items.values() for one in part]


def test_every_item_of_the_core_passes_its_gates_and_is_true(core_made: Made, core_closure: Closure) -> None:
    for one in items_of(core_made):
        assert faults(one) is None
        assert truth(core_closure, one) is None


def test_a_stored_path_is_the_path(core_made: Made, core_closure: Closure) -> None:
    for one in items_of(core_made)[:200]:
        path = stored_path(core_closure, one)
        assert (path.path_id, path.source, path.target, path.metapath) == (
            one["path_id"],
            one["source_id"],
            one["target_id"],
            one["metapath"],
        )


def test_a_path_of_another_graph_is_an_error(small_closure: Closure) -> None:
    with pytest.raises(KeyError):
        stored_path(small_closure, item())


def test_a_wrong_key_is_caught(core_made: Made, core_closure: Closure) -> None:
    """The proof `key` put on a distractor: the graph does not entail it."""
    for one in items_of(core_made)[:300]:
        place = one["option_proofs"].index("key")
        wrong = list(one["option_proofs"])
        wrong[place], wrong[place - 1] = wrong[place - 1], "key"
        assert truth(core_closure, {**one, "option_proofs": wrong}) in {
            "the key does not follow",
            "a distractor is true or unsettled",
        }


def test_a_second_right_option_is_caught(core_made: Made, core_closure: Closure) -> None:
    """Another true answer, where the graph has one, put in a distractor's place."""
    planted = 0
    for one in items_of(core_made):
        path = stored_path(core_closure, one)
        others = sorted(core_closure.linked(path.nodes[-2], path.steps[-1]) - {path.target})
        if others:
            place = next(n for n, proof in enumerate(one["option_proofs"]) if proof != "key")
            ids = [others[0] if n == place else node for n, node in enumerate(one["option_ids"])]
            assert truth(core_closure, {**one, "option_ids": ids}) == "a distractor is true or unsettled"
            planted += 1
    assert planted > 50
