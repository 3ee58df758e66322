"""The vocabulary: reading, every fault named with its nearest known word, and what the embedded one promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kg.errors import InputError
from kg.schema import Schema, Step, parse, pluralise
from tests.hand_made import SCHEMA_FILE

Change = Callable[[dict[str, Any]], object]


def raw() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(SCHEMA_FILE.read_text(encoding="utf-8"))
    return loaded


def message(change: Change) -> str:
    """What is said about the small schema after a change."""
    changed = raw()
    change(changed)
    with pytest.raises(InputError) as caught:
        parse(changed, "my.yaml")
    return str(caught.value)


# --- steps and hierarchy ----------------------------------------------------------------------------------


def test_steps_are_written_and_read_back() -> None:
    for text in ("supplies", "^supplies"):
        assert str(Step.parse(text)) == text
    assert Step("supplies").back == Step("supplies", True)
    assert Step("supplies").back.back == Step("supplies")
    assert (Step("supplies").direction, Step("supplies", True).direction) == ("forward", "backward")


def test_ancestors_are_nearest_first(small_schema: Schema) -> None:
    assert small_schema.ancestors("vesicle_protein") == ("vesicle_protein", "protein", "molecule", "entity")
    assert small_schema.fits("vesicle_protein", frozenset({"molecule"}))
    assert not small_schema.fits("molecule", frozenset({"vesicle_protein"}))


def test_a_subtype_inherits_article_and_noun() -> None:
    schema = parse(
        {
            "categories": {
                "a": {"article": "the", "noun": "thing"},
                "b": {"parent": "a"},
                "c": {"parent": "b", "article": "none"},
            },
            "predicates": {},
        },
        "x",
    )
    assert (schema.categories["b"].noun, schema.categories["b"].article, schema.categories["c"].article) == (
        "thing",
        "the",
        "",
    )


def test_stronger_and_weaker_predicates_are_closed(small_schema: Schema) -> None:
    assert small_schema.weaker["excites"] == {"excites", "projects_to", "connected_to"}
    assert small_schema.stronger["connected_to"] == {"connected_to", "projects_to", "excites", "inhibits"}


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("nucleus", "nuclei"),
        ("ganglion", "ganglia"),
        ("artery", "arteries"),
        ("part of the cord", "parts of the cord"),
        ("division of the brain", "divisions of the brain"),
        ("organ or tissue", "organs or tissues"),
        ("reflex", "reflexes"),
        ("cell body", "cell bodies"),
        ("epilepsy syndrome", "epilepsy syndromes"),
        ("pathway", "pathways"),
        ("diagnosis", "diagnoses"),
    ],
)
def test_pluralise(noun: str, plural: str) -> None:
    assert pluralise(noun) == plural


def test_metapaths_by_steps(small_schema: Schema) -> None:
    metapath = small_schema.by_steps[Step("innervates", True), Step("exits_from")][0]
    assert str(metapath) == "^innervates > exits_from"
    assert metapath.at == (frozenset({"muscle"}), frozenset({"nerve"}), frozenset({"site"}))
    assert Step("cleaves") in small_schema.first_steps
    assert Step("exits_from") not in small_schema.first_steps


# --- faults ------------------------------------------------------------------------------------------------


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.yaml: cannot be read: .*No such file"):
        Schema.load(tmp_path / "nothing.yaml")


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe\x00", b"a: \x00", b"!!python/object:os.system {}"])
def test_a_file_that_is_not_yaml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"s\.yaml: cannot be read"):
        Schema.load(path)


@pytest.mark.parametrize("content", ["", "5", "[]", "categories: {}", "categories: []\npredicates: {}"])
def test_a_file_without_the_two_mappings(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(content)
    with pytest.raises(InputError, match="needs the mappings 'categories' and 'predicates'"):
        Schema.load(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s.update(predicate={}), "my.yaml: unknown key 'predicate'; did you mean 'predicates'?"),
        (
            lambda s: s["categories"]["nerve"].update(nuon="x"),
            "category 'nerve': unknown key 'nuon'; did you mean 'noun'?",
        ),
        (
            lambda s: s["categories"].update(x={"parent": "nerv"}),
            "parent 'nerv' is not defined above it; did you mean 'nerve'?",
        ),
        (lambda s: s["categories"].update(x=None), "category 'x': expected a mapping, found None"),
        (
            lambda s: s["predicates"]["cleaves"].update(domain=["toxn"]),
            "predicate 'cleaves': domain names 'toxn'; did you mean 'toxin'?",
        ),
        (lambda s: s["predicates"]["cleaves"].pop("range"), "predicate 'cleaves': range names None"),
        (
            lambda s: s["predicates"]["cleaves"].update(simmetric=True),
            "unknown key 'simmetric'; did you mean 'symmetric'?",
        ),
        (
            lambda s: s["predicates"]["cleaves"].update(askable="sometimes"),
            "askable is 'sometimes'; write true, false, forward or backward",
        ),
        (lambda s: s["predicates"]["cleaves"].update(entails=["binds"]), "predicate 'cleaves' names 'binds'"),
        (
            lambda s: s["predicates"]["excites"].update(disjoint_with=["inhibit"]),
            "names 'inhibit'; did you mean 'inhibits'?",
        ),
        (lambda s: s["predicates"]["cleaves"].pop("forward"), "'cleaves', forward: expected a mapping, found None"),
        (lambda s: s["predicates"]["cleaves"]["forward"].update(verb=["cuts"]), "forward: needs 'verb', a list of"),
        (
            lambda s: s["predicates"]["cleaves"]["forward"].update(verb="cuts|cut"),
            "forward: 'verb' is no list of texts: 'cuts|cut'",
        ),
        (lambda s: s["predicates"]["cleaves"]["forward"].update(asks=[]), "unknown key 'asks'; did you mean 'ask'?"),
        (
            lambda s: s["predicates"]["cleaves"]["forward"].update(ask="Which {{ noun }}?"),
            "'cleaves', forward: 'ask' is no list",
        ),
        (
            lambda s: s["predicates"]["cleaves"]["forward"].update(ask=["Which {{ noun ?"]),
            "'Which {{ noun ?' is no template",
        ),
        (
            lambda s: s["predicates"]["cleaves"]["forward"].update(ask=["{% import 'os' as os %}{{ x }}"]),
            "imports or includes a file",
        ),
        (
            lambda s: s["predicates"]["cleaves"]["forward"].update(ask=["Which {{ nuon }} is it?"]),
            "unknown variable 'nuon'; did you mean 'noun'?",
        ),
        (
            lambda s: s["metapaths"].append("cleave > required_for"),
            "metapath 'cleave > required_for': unknown predicate 'cleave'",
        ),
        (lambda s: s["metapaths"].append({"path": "cleaves > required_for", "at": ["toxin"]}), "'at' needs 3 entries"),
        (
            lambda s: s["metapaths"].append({"path": "cleaves > required_for", "at": ["toxin", "protein", "stp"]}),
            "'at' names 'stp'",
        ),
        (
            lambda s: s["metapaths"].append({"path": "cleaves > required_for", "stem": []}),
            "unknown key 'stem'; did you mean 'stems'?",
        ),
        (
            lambda s: s["metapaths"].append({"path": "cleaves > required_for", "stems": ["{{ q }}?"]}),
            "unknown variable 'q'; known: a_b, b, be",
        ),
        (lambda s: s["metapaths"].append({"at": []}), "needs 'path'"),
        (lambda s: s.update(metapaths=5), "'metapaths' is no list"),
    ],
)
def test_every_fault_is_named(change: Change, said: str) -> None:
    assert said in message(change)


# --- the embedded vocabulary ---------------------------------------------------------------------------------


def test_the_embedded_vocabulary_has_what_the_mission_asks(schema: Schema) -> None:
    asked = [p for p in schema.predicates.values() if p.askable]
    assert len(asked) >= 28
    assert len(schema.metapaths) >= 40
    assert all(len(metapath.steps) == 2 for metapath in schema.metapaths)


def test_inverses_name_each_other_and_disjointness_is_mutual(schema: Schema) -> None:
    for name, predicate in schema.predicates.items():
        if predicate.inverse_of:
            assert schema.predicates[predicate.inverse_of].inverse == name
        for other in predicate.disjoint_with:
            assert name in schema.predicates[other].disjoint_with, (name, other)


def test_a_predicate_never_entails_what_it_is_disjoint_with(schema: Schema) -> None:
    for name, predicate in schema.predicates.items():
        assert not schema.weaker[name] & predicate.disjoint_with, name


def test_no_metapath_walks_a_predicate_back_or_is_said_twice(schema: Schema) -> None:
    said = [(metapath.steps, metapath.at) for metapath in schema.metapaths]
    assert len(said) == len(set(said))
    for metapath in schema.metapaths:
        assert metapath.steps[1] != metapath.steps[0].back, metapath


def test_metapaths_that_ask_nothing_are_not_allowed(schema: Schema) -> None:
    """docs/quality.md, "two-hop questions: what to ask"."""
    for metapath in schema.metapaths:
        first, last = metapath.steps
        assert last != Step("encoded_by"), metapath
        assert {first.predicate, last.predicate} != {"part_of"}, metapath
        assert (first, last) not in {(Step("located_in"), Step("part_of")), (Step("projects_to"), Step("projects_to"))}


def test_domains_join_along_every_metapath(schema: Schema) -> None:
    """The categories that a step may end in and the next may start from have one in common."""
    for metapath in schema.metapaths:
        first, second = (schema.predicates[step.predicate] for step in metapath.steps)
        ends = first.domain if metapath.steps[0].inverse else first.range
        starts = second.range if metapath.steps[1].inverse else second.domain
        joined = [
            c
            for c in schema.categories
            if schema.fits(c, ends) and schema.fits(c, starts) and schema.fits(c, metapath.at[1])
        ]
        assert joined, metapath
