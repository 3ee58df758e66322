"""The chain of thought: golden texts in every style, rendered anew for other orders of the options."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from generation.item import Item
from generation.make import Made
from generation.phrases import capital, definite
from generation.prompt import LETTERS
from generation.reasoning import STYLES, Thought, explanation, sentence, style_for
from generation.stems import clause
from kg.closure import Closure
from kg.graph import Graph
from kg.schema import Schema, Step

TOLD = ("Tetanus toxin cleaves synaptobrevin.", "Synaptobrevin is required for membrane fusion.")
OPTIONS = ("vesicle docking", "membrane fusion", "vesicle recycling", "calcium sensing")
WHY = (
    "Rab3 is required for it.",
    "This is where the facts lead.",
    "Dynamin is required for it.",
    "Synaptotagmin is required for it.",
)
GOLDEN = {
    "plain": """\
Tetanus toxin cleaves synaptobrevin. Synaptobrevin is required for membrane fusion.
Now the options, one by one.
A. vesicle docking: no. Rab3 is required for it.
B. membrane fusion: yes. This is where the facts lead.
C. vesicle recycling: no. Dynamin is required for it.
D. calcium sensing: no. Synaptotagmin is required for it.
The answer is B. membrane fusion.""",
    "recall": """\
What I know about this: Tetanus toxin cleaves synaptobrevin. Synaptobrevin is required for membrane fusion.
Let me check each option against it.
A. vesicle docking: does not fit. Rab3 is required for it.
B. membrane fusion: fits. This is where the facts lead.
C. vesicle recycling: does not fit. Dynamin is required for it.
D. calcium sensing: does not fit. Synaptotagmin is required for it.
That leaves B. membrane fusion.""",
    "steps": """\
Step 1: Tetanus toxin cleaves synaptobrevin.
Step 2: Synaptobrevin is required for membrane fusion.
Going through the options:
A. vesicle docking: wrong. Rab3 is required for it.
B. membrane fusion: correct. This is where the facts lead.
C. vesicle recycling: wrong. Dynamin is required for it.
D. calcium sensing: wrong. Synaptotagmin is required for it.
So the right choice is B. membrane fusion.""",
    "question": """\
The question turns on two facts that link up. Tetanus toxin cleaves synaptobrevin. Synaptobrevin is required for membrane fusion.
Which option agrees with this?
A. vesicle docking: no. Rab3 is required for it.
B. membrane fusion: yes. This is where the facts lead.
C. vesicle recycling: no. Dynamin is required for it.
D. calcium sensing: no. Synaptotagmin is required for it.
Only B remains: membrane fusion.""",
}


def thought(style: str = "plain", told: tuple[str, ...] = TOLD) -> Thought:
    return Thought(told, OPTIONS, WHY, 1, style)


def items_of(made: Made) -> list[Item]:
    return [item for part in made.items.values() for item in part]


@pytest.mark.parametrize("style", STYLES)
def test_golden_texts(style: str) -> None:
    assert thought(style).render() == GOLDEN[style]


def test_one_fact_has_no_step_number() -> None:
    assert thought("steps", TOLD[:1]).render().startswith("Tetanus toxin cleaves synaptobrevin.\nGoing through")
    assert thought("question", TOLD[:1]).render().startswith("The question turns on one fact. ")
    assert thought("question", (*TOLD, "A third.")).render().startswith("The question turns on a chain of facts. ")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_another_order_of_the_options(style: str, order: tuple[int, ...]) -> None:
    """Letters follow the order shown, each option keeps its reason, the key is named by its new letter."""
    text = thought(style).render(order)
    lines = [line for line in text.splitlines() if re.match(r"[A-D]\. .*: ", line)]
    assert [line.partition(":")[0] for line in lines] == [
        f"{letter}. {OPTIONS[place]}" for letter, place in zip(LETTERS, order, strict=True)
    ]
    for line, place in zip(lines, order, strict=True):
        assert line.endswith(WHY[place])
    key = LETTERS[order.index(1)]
    assert re.search(rf"\b{key}\b(\.| remains:) membrane fusion\.$", text)
    assert text.startswith(GOLDEN[style].splitlines()[0])


def test_an_order_must_name_four_options() -> None:
    with pytest.raises(ValueError, match="zip"):
        thought().render([0, 1, 2])


def test_styles_are_drawn_evenly() -> None:
    drawn = [style_for(str(n)) for n in range(2000)]
    assert {style: drawn.count(style) // 100 for style in STYLES} == dict.fromkeys(STYLES, 5) or all(
        400 < drawn.count(style) < 600 for style in STYLES
    )


def test_labels_are_not_rendered() -> None:
    text = Thought(("The {{ 7*7 }} is here.",), ("{% x %}", "{{ 1 }}", "<b>", "d"), WHY, 0, "plain").render()
    assert "{{ 7*7 }}" in text
    assert "A. {% x %}: yes" in text
    assert "49" not in text


def test_explanation_and_sentence() -> None:
    assert (
        explanation(TOLD[:1], "synaptobrevin")
        == "Tetanus toxin cleaves synaptobrevin. This makes synaptobrevin the answer."
    )
    assert explanation(TOLD, "membrane fusion") == " ".join(TOLD) + " Together they lead to membrane fusion."
    assert (sentence("the pons is small"), sentence("St. John et al.")) == ("The pons is small.", "St. John et al.")


# --- the finished rows of the core -----------------------------------------------------------------------------------


def test_reasoning_recalls_each_fact_in_order_as_it_is_true(core_made: Made, core_graph: Graph, schema: Schema) -> None:
    closure = Closure(core_graph, schema)
    for item in items_of(core_made):
        recalled, place = item["reasoning"].partition("\nA. ")[0], 0
        for hop in item["path"]:
            head, tail = (definite(core_graph.nodes[hop[f"{end}_id"]], schema) for end in ("head", "tail"))
            told = [capital(clause(closure, Step(hop["predicate"]), head, tail, draw)) for draw in range(6)]
            found = [recalled.find(text, place) for text in told]
            assert max(found) >= 0, (item["item_id"], told)
            place = max(found)


def test_reasoning_goes_through_the_options_in_their_order_and_ends_in_the_key(core_made: Made) -> None:
    for item in items_of(core_made):
        lines = item["reasoning"].splitlines()
        told = [line for line in lines if re.match(r"[A-D]\. ", line)]
        assert len(told) == 4
        for letter, option, why, line in zip(LETTERS, item["options"], item["option_evidence"], told, strict=True):
            assert line.startswith(f"{letter}. {option}: ")
            assert line.endswith(why)
        assert item["target"] in lines[-1]
        assert re.search(rf"\b{item['answer']}\b", lines[-1])


def test_reasoning_is_of_the_length_asked_and_speaks_of_the_field(core_made: Made) -> None:
    for item in items_of(core_made):
        assert 25 <= len(item["reasoning"].split()) <= 300
        assert not re.search(r"\bthe (graph|path|context|knowledge graph|database)\b", item["reasoning"], re.IGNORECASE)
