"""Stems: golden questions, agreement, and facts never told the wrong way round."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from jinja2.exceptions import SecurityError, UndefinedError

from generation.phrases import definite
from generation.stems import Asked, Stems, compiled, environment, pick, several_answers, statement
from kg.closure import Closure
from kg.graph import Fact, Graph
from kg.paths import Hop, Limits, Path, walks
from kg.schema import Schema, Step
from tests.hand_made import fact, graph_of


def hop(graph: Graph, head: str, predicate: str, tail: str, inverse: bool = False) -> Hop:
    (found,) = (
        f
        for f in graph.facts.values()
        if (graph.label(f.head_id), f.predicate, graph.label(f.tail_id)) == (head, predicate, tail)
    )
    return Hop(found, inverse)


def written(closure: Closure, path: Path, asked: Asked, seeds: int = 80) -> dict[str, str]:
    """Every stem that some seed gives, with its skeleton."""
    stems = [Stems(closure).write(path, asked, seed) for seed in range(seeds)]
    return {stem.text: stem.skeleton for stem in stems}


# --- golden stems -------------------------------------------------------------------------------------------------


def test_one_hop_one_answer(small_closure: Closure) -> None:
    path = Path((hop(small_closure.graph, "trochlear nerve", "exits_from", "dorsal midbrain"),))
    assert set(written(small_closure, path, Asked("site", several=False))) == {
        "Where does the trochlear nerve leave the brainstem?",
        "Which site on the brainstem is the exit site of the trochlear nerve?",
        "Which of these sites on the brainstem is the exit site of the trochlear nerve?",
    }


def test_one_hop_several_answers(small_closure: Closure) -> None:
    path = Path((hop(small_closure.graph, "facial nerve", "innervates", "stapedius muscle"),))
    assert set(written(small_closure, path, Asked("muscle", several=True))) == {
        "Which of these muscles does the facial nerve innervate?",
        "Which of these muscles is innervated by the facial nerve?",
    }


def test_one_hop_backwards(small_closure: Closure) -> None:
    path = Path((hop(small_closure.graph, "trochlear nerve", "innervates", "superior oblique muscle", inverse=True),))
    assert set(written(small_closure, path, Asked("nerve", several=False))) == {
        "Which nerve innervates the superior oblique muscle?",
        "Which nerve drives the superior oblique muscle?",
        "Which of these nerves innervates the superior oblique muscle?",
        "Which of these nerves drives the superior oblique muscle?",
    }


def test_a_qualifier_ends_the_question(small_closure: Closure) -> None:
    path = Path((hop(small_closure.graph, "botulinum toxin E", "cleaves", "SNAP-25"),))
    stems = written(small_closure, path, Asked("vesicle_protein", several=False))
    assert "Which vesicle protein is cleaved by botulinum toxin E in motor nerve endings?" in stems
    assert all(text.endswith(" in motor nerve endings?") for text in stems)


def test_two_hops(small_closure: Closure) -> None:
    graph = small_closure.graph
    path = Path(
        (
            hop(graph, "tetanus toxin", "cleaves", "synaptobrevin"),
            hop(graph, "synaptobrevin", "required_for", "membrane fusion"),
        )
    )
    stems = written(small_closure, path, Asked("step", several=False), 200)
    openers = {text.split(" ")[0] for text in stems}
    assert openers <= {"Tetanus", "Consider", "Think", "Take", "For", "Which"}
    for text in (
        "Tetanus toxin cleaves a vesicle protein. Which step of transmission needs this vesicle protein?",
        "Which step of transmission needs the vesicle protein that is cleaved by tetanus toxin?",
    ):
        assert text in stems
    assert not any("synaptobrevin" in text for text in stems)


def test_hand_written_stems_of_a_metapath_are_used(small_closure: Closure) -> None:
    graph = small_closure.graph
    path = Path(
        (
            hop(graph, "trochlear nerve", "innervates", "superior oblique muscle", inverse=True),
            hop(graph, "trochlear nerve", "exits_from", "dorsal midbrain"),
        )
    )
    stems = written(small_closure, path, Asked("site", several=False), 200)
    hand = "The nerve that drives the superior oblique muscle leaves the brainstem at which site?"
    assert stems[hand] == "^innervates > exits_from | hand 0"
    assert any("the nerve that innervates the superior oblique muscle" in text for text in stems)
    assert not any("trochlear" in text for text in stems)


def test_a_bridge_is_the_one_only_if_the_graph_knows_no_other(small_closure: Closure) -> None:
    graph = small_closure.graph
    path = Path(
        (
            hop(graph, "facial nerve", "innervates", "orbicularis oculi muscle"),
            hop(graph, "orbicularis oculi muscle", "acts_to", "blinking"),
        )
    )
    for text in written(small_closure, path, Asked("movement", several=False), 100):
        assert "the muscle that" not in text


def test_plural_entities_take_plural_verbs(small_closure: Closure) -> None:
    path = Path((hop(small_closure.graph, "deep cerebellar nuclei", "projects_to", "thalamus"),))
    stems = written(small_closure, path, Asked("region", several=False))
    assert "To which of these brain regions do the deep cerebellar nuclei project?" in stems
    assert not any("does the deep cerebellar nuclei" in text for text in stems)


# --- what is always so ------------------------------------------------------------------------------------------------


def test_a_stem_depends_on_path_and_seed_alone(small_closure: Closure, small_schema: Schema) -> None:
    path = next(walks(small_closure, 2, Limits(), Counter()))
    other = Closure(small_closure.graph, small_schema)
    asked = Asked("entity", several=False)
    assert [Stems(small_closure).write(path, asked, seed) for seed in range(5)] == [
        Stems(other).write(path, asked, seed) for seed in range(5)
    ]


def test_a_skeleton_names_metapath_and_variant(small_closure: Closure) -> None:
    path = next(walks(small_closure, 2, Limits(), Counter()))
    for skeleton in written(small_closure, path, Asked("entity", several=False)).values():
        assert re.fullmatch(re.escape(path.metapath) + r" \| \w+.*", skeleton)


def test_pick_is_even_and_below_its_bound() -> None:
    drawn = [pick("seed", str(n), of=4) for n in range(4000)]
    assert set(drawn) == {0, 1, 2, 3}
    assert all(900 < drawn.count(n) < 1100 for n in range(4))


def test_every_wording_of_the_embedded_vocabulary_makes_a_clean_question(schema: Schema) -> None:
    """Both directions, one and several answers, singular and plural ends."""
    for predicate in schema.predicates.values():
        kinds = {
            "axon": min(predicate.domain),
            "axons": min(predicate.domain),
            "nuclei": min(predicate.range),
            "nucleus": min(predicate.range),
        }
        graph = graph_of(f"axon {predicate.name} nucleus", f"axons {predicate.name} nuclei", categories=kinds)
        stems = Stems(Closure(graph, schema))
        for one, inverse, several in product(graph.facts.values(), (False, True), (False, True)):
            step = Step(predicate.name, inverse)
            known = one.tail_id if inverse else one.head_id
            asked = Asked(min(predicate.domain if inverse else predicate.range), several)
            for stem in stems.questions(step, definite(graph.nodes[known], schema), asked):
                assert re.fullmatch(r"[A-Z0-9].*[?]", stem.text), (predicate.name, stem)
                assert not re.search(r"\{|\}|  |None|undefined| ,|\b(\w+) \1\b", stem.text), (predicate.name, stem)


def test_every_hand_written_stem_of_the_embedded_vocabulary_renders(schema: Schema) -> None:
    for metapath in schema.metapaths:
        for text, do in product(metapath.stems, ("do", "does")):
            told = compiled(text).render(s="the X", b="nerve", a_b="a nerve", do=do, be="is")
            assert re.fullmatch(r"[A-Z].*[?.]", told), (metapath, told)
            assert "{" not in told, (metapath, told)
            assert "  " not in told, (metapath, told)


# --- facts are told as they are true ------------------------------------------------------------------------------------


def told_as_true(closure: Closure, one: Fact) -> bool:
    """Whether every wording of a fact is its head, a forward verb, its tail, or a whole sentence of head and tail."""
    head, tail = (definite(closure.graph.nodes[end], closure.schema) for end in (one.head_id, one.tail_id))
    wording = closure.schema.predicates[one.predicate].forward
    end = f" {one.qualifier}" if one.qualifier else ""
    expected = {f"{head} {verb[int(head.plural)]} {tail}{end}" for verb in wording.verb}
    if wording.say:
        parts = {"{{ x }}": str(head), "{{ y }}": str(tail), "{{ y.many }}": tail.many}
        parts["{{ 'are' if x.plural else 'is' }}"] = "are" if head.plural else "is"
        expected = set()
        for text in wording.say:
            for part, words in parts.items():
                text = text.replace(part, words)
            expected.add(f"{text}{end}")
    return {statement(closure, one, draw) for draw in range(7)} <= expected


def test_every_hop_of_every_path_is_told_head_verb_tail_whichever_way_it_is_walked(
    core_closure: Closure, core_paths: dict[int, list[Path]]
) -> None:
    walked = {(hop.fact.edge_id, hop.inverse) for paths in core_paths.values() for path in paths for hop in path.hops}
    assert {inverse for _, inverse in walked} == {False, True}
    for edge in {edge for edge, _ in walked}:
        assert told_as_true(core_closure, core_closure.graph.facts[edge]), edge


def test_a_fact_with_a_qualifier_is_told_with_it(small_schema: Schema) -> None:
    graph = graph_of(fact("ganglia excites b", "at night"))
    (one,) = graph.facts.values()
    assert statement(Closure(graph, small_schema), one) == "the ganglia excite the b at night"


def test_several_answers_counts_those_of_the_asked_category(small_closure: Closure) -> None:
    graph = small_closure.graph
    facial = Path((hop(graph, "facial nerve", "innervates", "stapedius muscle"),))
    assert several_answers(small_closure, facial, "muscle")
    assert not several_answers(small_closure, facial, "site")
    trochlear = Path((hop(graph, "trochlear nerve", "innervates", "superior oblique muscle"),))
    assert not several_answers(small_closure, trochlear, "muscle")


# --- labels are data ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "label", ["{{ 7*7 }}", "{% import os %}", "<script>alert(1)</script>", "</think>", "$x^2$", "%s {0}"]
)
def test_a_label_is_told_as_it_is(small_schema: Schema, label: str) -> None:
    graph = graph_of("n innervates m", categories={"n": "nerve", "m": "muscle"})
    nodes = {**graph.nodes, "t:n": replace(graph.nodes["t:n"], label=label)}
    closure = Closure(Graph(nodes, graph.facts), small_schema)
    (one,) = graph.facts.values()
    assert f"the {label}" in Stems(closure).write(Path((Hop(one, False),)), Asked("muscle", several=False), 0).text
    assert statement(closure, one) == f"the {label} innervates the m"


def test_templates_run_in_a_sandbox_and_miss_nothing_silently() -> None:
    with pytest.raises(SecurityError):
        environment().from_string("{{ ''.__class__.__mro__ }}").render()
    with pytest.raises(UndefinedError):
        compiled("{{ x }} {{ y }}").render(x=1)
