"""Does one name give another away?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.candidates import Leaks
from generation.leaks import _marks, _rare_shared, initials, rooted, shared_words
from kg.closure import Closure
from kg.paths import Hop, Path
from kg.schema import Schema
from tests.hand_made import graph_of


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("cholinergic neuron", "acetylcholine"),
        ("thalamic reticular nucleus", "thalamus"),
        ("5-HT2A receptor", "HTR2A"),
        ("synaptobrevin", "VAMP / synaptobrevin 2"),
        ("middle cerebral artery", "MCA"),
        ("MCA", "middle cerebral artery"),
        ("koniocellular layers of the LGN", "lateral geniculate nucleus"),
        ("trigeminal nerve", "trigeminal ganglion"),
        ("noradrenaline", "adrenaline"),
        ("α-synuclein", "alpha synuclein"),
        ("Parkinson disease", "parkinsonism"),
    ],
)
def test_what_gives_away(shown: str, hidden: str) -> None:
    assert shared_words(shown, hidden)


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("trochlear nerve", "superior oblique muscle"),
        ("pitolisant", "histamine H3 receptor"),
        ("tetanus toxin", "synaptobrevin"),
        ("neuron", "neuropathy"),
        ("caudate nucleus", "dopamine"),
    ],
)
def test_what_does_not(shown: str, hidden: str) -> None:
    assert not shared_words(shown, hidden)


def test_initials() -> None:
    assert (initials("middle cerebral artery"), initials("dopamine"), initials("γ-aminobutyric acid")) == (
        "mca",
        "",
        "gaa",
    )


words = st.text(alphabet="abcdeghinorstu", min_size=2, max_size=12)
labels = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(labels)
def test_a_name_gives_itself_away(label: str) -> None:
    from generation.words import content_words

    if any(len(word) > 1 for word in content_words(label)):
        assert shared_words(label, label)


@given(words, words)
def test_sharing_a_root_is_mutual(first: str, second: str) -> None:
    assert rooted(first, second) == rooted(second, first)


@given(labels, labels)
def test_the_quick_way_out_never_hides_a_leak(shown: str, hidden: str) -> None:
    """`_marks` may only say no where the rules say no."""
    if _marks(shown).isdisjoint(_marks(hidden)):
        assert not _rare_shared(shown, hidden)


def test_a_path_whose_stem_tells_is_dropped_with_a_reason(small_schema: Schema) -> None:
    graph = graph_of("facialis cleaves x", "x lesion_causes facialpalsy", "facialis excites facialpalsy")
    closure = Closure(graph, small_schema)
    by_name = {fact.predicate: fact for fact in graph.facts.values()}
    single = Path((Hop(by_name["excites"], False),))
    assert Leaks(closure).reason(single) == "the stem gives the answer away"


def test_a_bridge_that_tells_is_dropped_with_a_reason(small_schema: Schema) -> None:
    graph = graph_of("oblique projects_to trochlea", "trochlea inhibits trochlearis")
    closure = Closure(graph, small_schema)
    facts = {fact.predicate: fact for fact in graph.facts.values()}
    path = Path((Hop(facts["projects_to"], False), Hop(facts["inhibits"], False)))
    assert Leaks(closure).reason(path) == "the bridge's name gives the answer away"


def test_what_the_bridge_is_called_may_tell(small_schema: Schema) -> None:
    graph = graph_of(
        "toxin cleaves synaptobrevin",
        "synaptobrevin excites docked-vesicle",
        "synaptobrevin excites axon",
        categories={"toxin": "toxin", "synaptobrevin": "vesicle_protein"},
    )
    first, *rest = sorted(graph.facts.values(), key=lambda fact: fact.predicate)
    reasons = {
        fact.tail_id: Leaks(Closure(graph, small_schema)).reason(Path((Hop(first, False), Hop(fact, False))))
        for fact in rest
    }
    assert reasons == {"t:docked-vesicle": "what the bridge is called gives the answer away", "t:axon": None}


def test_words_common_among_a_category_tell_nothing(core_closure: Closure) -> None:
    leaks = Leaks(core_closure)
    assert "nerve" in leaks.generic("nerve")
    assert "artery" in leaks.generic("artery")
    assert "trochlear" not in leaks.generic("cranial_nerve")
