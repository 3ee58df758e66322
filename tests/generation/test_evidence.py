"""How a distractor is known to be false, in words: one golden sentence a proof."""

from __future__ import annotations

import re

import pytest

from generation.distractors import Distractor
from generation.evidence import in_words, negative
from generation.make import Made
from kg.closure import Closure
from kg.paths import Hop, Path
from kg.schema import Schema
from tests.hand_made import graph_of

KINDS = {"vagus": "nerve", "facial": "nerve", "pons": "site", "medulla": "site", "cord": "site", "m": "muscle"}


def told(schema: Schema, asked: str, option: str, *facts: str, complete: tuple[str, ...] = (), **kinds: str) -> str:
    """The evidence against an option, where the question asks for the other end of the fact `asked`."""
    inverse = asked.startswith("^")
    graph = graph_of(asked.removeprefix("^"), *facts, categories={**KINDS, **kinds}, complete=complete)
    closure = Closure(graph, schema)
    head, predicate, tail = asked.removeprefix("^").split(" ")
    (one,) = (
        f
        for f in graph.facts.values()
        if (f.head_id, f.predicate, f.tail_id) == (f"t:{head}", predicate, f"t:{tail}") and not f.negated
    )
    path = Path((Hop(one, inverse),))
    verdict = closure.judge(path.source, path.steps[0], f"t:{option}")
    assert verdict.false
    return in_words(closure, path, Distractor(f"t:{option}", verdict))


def test_a_denial(small_schema: Schema) -> None:
    text = told(small_schema, "vagus exits_from medulla", "pons", "NOT vagus exits_from pons")
    assert text == "The vagus does not leave the brainstem at the pons."


def test_a_denial_of_a_plural(small_schema: Schema) -> None:
    text = told(small_schema, "ganglia excites cord", "nuclei", "NOT ganglia excites nuclei", cord="region")
    assert text == "The ganglia do not excite the nuclei."


def test_a_disjoint_predicate(small_schema: Schema) -> None:
    assert told(small_schema, "a excites b", "c", "a inhibits c") == "On the contrary, the a inhibits the c."


def test_another_value_of_a_functional_predicate(small_schema: Schema) -> None:
    text = told(small_schema, "^vagus exits_from medulla", "facial", "facial exits_from pons")
    assert text == "The facial leaves the brainstem at the pons, not the medulla."


def test_the_path_s_own_fact_is_no_evidence_so_what_is_known_of_the_option_is_told(small_schema: Schema) -> None:
    text = told(small_schema, "vagus exits_from medulla", "pons", "facial exits_from pons")
    assert text == "The pons is the exit site of the facial, not the vagus."


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (1, "The vagus innervates the m0, not the m."),
        (3, "The vagus innervates the m0, the m1 and the m2, not the m."),
        (6, "The vagus innervates the m0, the m1, the m2, the m3 and others, not the m."),
    ],
)
def test_a_complete_list(small_schema: Schema, numbers: int, expected: str) -> None:
    muscles = [f"vagus innervates m{n}" for n in range(1, numbers)]
    kinds = {f"m{n}": "muscle" for n in range(numbers)}
    text = told(small_schema, "vagus innervates m0", "m", *muscles, complete=("vagus innervates forward",), **kinds)
    assert text == expected


def test_a_complete_list_tells_the_finest_names_once_and_of_namesakes_the_same_one_always(small_schema: Schema) -> None:
    """Not in the order of a set, which changes with PYTHONHASHSEED."""
    others = (
        "vagus innervates Mm",
        "vagus innervates mM",
        "vagus innervates MM",
        "vagus innervates whole",
        "m0 part_of whole",
    )
    kinds = dict.fromkeys(("Mm", "mM", "MM", "whole", "m0"), "muscle")
    complete = ("vagus innervates forward",)
    text = told(small_schema, "vagus innervates m0", "m", *others, complete=complete, **kinds)
    assert text == "The vagus innervates the MM and the m0, not the m."


def test_a_complete_list_of_the_option(small_schema: Schema) -> None:
    text = told(
        small_schema,
        "vagus innervates m0",
        "m",
        "facial innervates m",
        complete=("m innervates backward",),
        m0="muscle",
    )
    assert text == "The m is innervated by the facial, not the vagus."


def test_a_nerve_is_set_against_a_nerve(small_schema: Schema) -> None:
    """Of all that innervates the option, something of the bridge's own kind is told, whatever the draw."""
    others = [f"segment{n} innervates m" for n in range(6)]
    kinds = {f"segment{n}": "site" for n in range(6)}
    text = told(small_schema, "vagus innervates m0", "m", *others, "facial innervates m", m0="muscle", **kinds)
    assert text == "The m is innervated by the facial."


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("vagus innervates m0", "The vagus is not known to innervate the m."),
     ("m0 part_of cord", "The m is not known to be part of the cord.")],
)  # fmt: skip
def test_what_is_absent_is_not_denied(small_schema: Schema, asked: str, expected: str) -> None:
    inverse = "^" if asked.startswith("m0") else ""
    assert told(small_schema, inverse + asked, "m", m0="muscle") == expected


def test_a_denial_of_an_option_with_a_value_of_its_own(small_schema: Schema) -> None:
    """Either what is denied is said, or what is true instead; both name the option."""
    facts = ("NOT vagus exits_from pons", "facial exits_from pons")
    assert told(small_schema, "vagus exits_from medulla", "pons", *facts) in (
        "The vagus does not leave the brainstem at the pons.",
        "The pons is the exit site of the facial, not the vagus.",
    )


@pytest.mark.parametrize(
    ("verb", "plural", "expected"),
    [
        (("is innervated by", "are innervated by"), False, "is not innervated by"),
        (("is innervated by", "are innervated by"), True, "are not innervated by"),
        (("projects to", "project to"), False, "does not project to"),
        (("projects to", "project to"), True, "do not project to"),
    ],
)
def test_negative(verb: tuple[str, str], plural: bool, expected: str) -> None:
    assert negative(verb, plural) == expected


def test_all_evidence_of_the_core_is_one_sentence_that_speaks_of_the_field(core_made: Made) -> None:
    for part in core_made.items.values():
        for item in part:
            for text in item["option_evidence"]:
                assert re.fullmatch(r"\S.*\.", text), text
                assert "\n" not in text
                assert "  " not in text
                assert ".." not in text
                assert not re.search(r"\bthe (graph|path|context|database)\b|\bNone\b", text), text
