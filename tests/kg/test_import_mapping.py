"""From a file's words to ours: mapping files, drafted words, types from roles, merging, what is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg import vocabulary, wording
from kg.errors import InputError
from kg.graph import Fact
from kg.importing import Import, Imported, import_files
from kg.kinds import by_ending
from kg.sources.raw import Raw, Thing
from kg.vocabulary import Target
from tests.kg import import_samples as samples

CARDIOLOGY = """head,relation,tail
metoprolol,blocks receptor,beta-1 adrenergic receptor
bisoprolol,blocks receptor,beta-1 adrenergic receptor
losartan,blocks receptor,angiotensin II receptor
spironolactone,blocks receptor,mineralocorticoid receptor
lisinopril,inhibits,angiotensin-converting enzyme
digoxin,inhibits,sodium-potassium pump
metoprolol,is given for,angina pectoris
lisinopril,is given for,heart failure
spironolactone,is given for,hyperaldosteronism
digoxin,is given for,atrial fibrillation
losartan,is given for,hypertension
ST elevation in V1,points to,anterior wall
ST elevation in aVF,points to,inferior wall
ST elevation in I,points to,lateral wall
tall R in V1,points to,posterior wall
"""


def imported(folder: Path, files: dict[str, str], **settings: object) -> Imported:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return import_files(Import(files=tuple(str(folder / name) for name in files), **settings))  # type: ignore[arg-type]


def facts(made: Imported) -> dict[tuple[str, str, str], Fact]:
    label = {node.id: node.label for node in made.layer.nodes}
    return {(label[f.head_id], f.predicate, label[f.tail_id]): f for f in made.layer.facts}


@pytest.mark.parametrize(
    ("name", "targets"),
    [
        ("biolink:has_phenotype", ["has_phenotype", "variant_phenotype"]),
        ("RO:0002202", ["originates_from"]),
        ("http://purl.obolibrary.org/obo/BFO_0000050", ["part_of", "is_part_of_process?"]),
        ("sends axons to", ["projects_to"]),
        ("isSuppliedBy", ["^supplies", "^innervates"]),
        ("TREATS", ["treats"]),
        ("blocks receptor", ["blocks"]),
        ("lacks_part", ["!^part_of"]),
        ("biolink:same_as", []),
        ("branching_part_of", ["branch_of & part_of?"]),
    ],
)
def test_words_of_biolink_ro_and_prose_are_known(name: str, targets: list[str]) -> None:
    assert [str(target) for target in vocabulary.targets_for(name) or ()] == targets


def test_every_entry_of_the_mapping_tables_names_a_word_of_the_schema() -> None:
    schema = vocabulary.wide()
    for entry in vocabulary.known("predicates").values():
        for text in [entry] if isinstance(entry, str) else entry:
            assert text == vocabulary.OUT or Target.parse(text).predicate in schema.predicates, text
    table = vocabulary.known("categories")
    for part in ("types", "anchors", "endings", "starts", "prefixes"):
        assert {category for category in table[part].values() if category != vocabulary.OUT} <= set(schema.categories)
    for name, ends in table["roles"].items():
        assert name in schema.predicates
        assert set(ends) <= set(schema.categories)


@pytest.mark.parametrize(
    ("name", "forward", "backward", "one_way"),
    [
        ("treats", "treats|treat", "is treated by|are treated by", False),
        ("innervated_by", "is innervated by|are innervated by", "innervates|innervate", False),
        ("hasTarget", "has target|have target", "is a target of|are targets of", False),
        (
            "risk factor for",
            "is a risk factor for|are risk factors for",
            "has the risk factor|have the risk factor",
            False,
        ),
        ("arises_from", "arises from|arise from", "is the source of|are the sources of", False),
        ("branch of", "is a branch of|are branches of", "has the branch|have the branch", False),
        ("mediated_by", "is mediated by|are mediated by", "mediates|mediate", False),
        ("stops", "stops|stop", "is stopped by|are stopped by", False),
        ("opens", "opens|open", "is opened by|are opened by", False),
        ("about", "is about|are about", "has, about it,|have, about them,", True),
        ("dissolved by", "is dissolved by|are dissolved by", "dissolves|dissolve", False),
        (
            "directly regulates",
            "directly regulates|directly regulate",
            "is directly regulated by|are directly regulated by",
            False,
        ),
        ("points to", "points to|point to", "is pointed to by|are pointed to by", True),
        ("adjacent_to", "is adjacent to|are adjacent to", "has, adjacent to it,|have, adjacent to them,", True),
    ],
)
def test_an_unknown_predicate_gets_english_wordings(name: str, forward: str, backward: str, one_way: bool) -> None:
    entry = wording.draft(name)
    assert (entry["forward"]["verb"], entry["backward"]["verb"]) == ([forward], [backward])
    assert (entry.get("askable") == "backward") is one_way


def test_a_predicate_that_is_a_code_is_kept_and_not_asked(tmp_path: Path) -> None:
    rows = "head,relation,tail,head_type,tail_type\nHTT,R7:0001,caudate,gene,structure\n"
    made = imported(tmp_path, {"t.csv": rows})
    assert [(fact.predicate, fact.askable) for fact in made.layer.facts] == [("related_to", False)]
    assert "a code, not words" in made.report


def test_untyped_triples_get_their_types_from_the_roles_they_play(tmp_path: Path) -> None:
    made = imported(tmp_path, {"heart.csv": CARDIOLOGY})
    kinds = {node.label: node.category for node in made.layer.nodes}
    assert kinds["bisoprolol"] == "drug", "it blocks what drugs block"
    assert kinds["angina pectoris"] == "disease"
    assert kinds["beta-1 adrenergic receptor"] == "receptor"
    assert kinds["tall R in V1"] == kinds["ST elevation in I"] != kinds["bisoprolol"]
    assert made.schema.categories[kinds["tall R in V1"]].noun == "item"


def test_branches_and_numbers_are_of_the_kind_that_they_are_of() -> None:
    names = (
        "superior branch of oculomotor nerve",
        "ramus muscularis of vagus nerve",
        "cranial nerve II",
        "root of tongue",
    )
    assert [by_ending(name) for name in names] == ["nerve", "nerve", "cranial_nerve", ""]


def test_things_of_a_type_that_says_nothing_are_kept_and_not_asked(tmp_path: Path) -> None:
    nodes = "id\tname\tcategory\nX:1\tketogenic diet\tbiolink:NamedThing\nMONDO:6\tepilepsy\tbiolink:Disease\n"
    edges = "subject\tpredicate\tobject\nX:1\tbiolink:treats\tMONDO:6\n"
    made = imported(tmp_path, {"k_nodes.tsv": nodes, "k_edges.tsv": edges})
    assert [fact.askable for fact in made.layer.facts] == [False]
    assert made.layer.dropped["not asked: type that says nothing (NamedThing)"] == 1


def test_kinds_without_a_name_and_predicates_without_proof_are_told(tmp_path: Path) -> None:
    told = imported(tmp_path, {"heart.csv": CARDIOLOGY}).report.partition("what the graph cannot support")[2]
    assert "kinds of things have no name, and questions call them `item`" in told
    assert "% of the facts that may be asked are of predicates that prove nothing (" in told


def test_unknown_predicates_are_told_with_counts_examples_and_wording(tmp_path: Path) -> None:
    report = imported(tmp_path, {"heart.csv": CARDIOLOGY}).report
    assert "points to: 4 facts: ST elevation in V1 -> anterior wall" in report
    assert "HEAD points to TAIL" in report
    assert "the licence is unknown" in report


def test_a_mended_mapping_file_is_taken_as_it_stands(tmp_path: Path) -> None:
    first = imported(tmp_path, {"heart.csv": CARDIOLOGY}, license="CC0-1.0")
    text = first.mapping_text
    number = next(node.category for node in first.layer.nodes if node.label == "tall R in V1")
    mended = (
        text.replace(f'"{number}"', '"ecg_sign"')
        .replace(f"{number}:", "ecg_sign:")
        .replace(f"- {number}", "- ecg_sign")
    )
    mended = mended.replace("noun: item", "noun: ECG sign", 2).replace('"inhibits": "inhibits"', '"inhibits": "-"')
    (tmp_path / "map.yaml").write_text(mended)
    second = imported(tmp_path, {"heart.csv": CARDIOLOGY}, map=str(tmp_path / "map.yaml"))
    assert {node.category for node in second.layer.nodes if node.label == "tall R in V1"} == {"ecg_sign"}
    assert "inhibits" not in {fact.predicate for fact in second.layer.facts}
    assert {fact.license for fact in second.layer.facts} == {"CC0-1.0"}
    assert second.layer.dropped["predicate left out: inhibits"] == 2


def test_the_drafted_mapping_read_back_gives_the_same_layer(tmp_path: Path) -> None:
    first = imported(tmp_path, {"heart.csv": CARDIOLOGY})
    (tmp_path / "map.yaml").write_text(first.mapping_text)
    assert imported(tmp_path, {"heart.csv": CARDIOLOGY}, map=str(tmp_path / "map.yaml")).layer == first.layer


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- a\n", "expected a mapping"),
        ("predicate: {}\n", "unknown key 'predicate'; did you mean 'predicates'?"),
        ("predicates: {inhibits: inhibit}\n", "which the schema lacks; did you mean 'inhibits'?"),
        ("predicates: {inhibits: 3}\n", "write the name of a predicate"),
        ("categories: {x: drugs}\n", "did you mean 'drug'?"),
        ("ends: {inhibits: drug}\n", "write [category of heads, category of tails]"),
        ("schema: {predicates: {p: {domain: [drug]}}}\n", "predicate 'p'"),
        ("a: [\n", "cannot be read"),
    ],
)
def test_a_fault_in_a_mapping_file_is_named_with_its_remedy(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "map.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        imported(tmp_path, {"heart.csv": CARDIOLOGY}, map=str(tmp_path / "map.yaml"))
    assert told in str(caught.value)
    assert "map.yaml" in str(caught.value)


def test_known_words_keep_their_logic_and_inverses_are_turned(tmp_path: Path) -> None:
    made = imported(tmp_path, {"o.obo": samples.OBO})
    assert ("trochlear nerve", "innervates", "superior oblique muscle") in facts(made)
    assert {node.label: node.category for node in made.layer.nodes}["trochlear nerve"] == "cranial_nerve"


def test_a_denied_predicate_becomes_a_negated_fact(tmp_path: Path) -> None:
    made = imported(
        tmp_path, {"t.csv": "head,relation,tail,head_type,tail_type\nerythrocyte,lacks part,nucleus,cell,cell part\n"}
    )
    assert facts(made)["nucleus", "part_of", "erythrocyte"].negated


def test_one_row_can_make_two_facts(tmp_path: Path) -> None:
    rows = "head,relation,tail,head_type,tail_type\ninfraorbital nerve,branching part of,maxillary nerve,nerve,nerve\n"
    made = facts(imported(tmp_path, {"t.csv": rows}))
    assert made["infraorbital nerve", "branch_of", "maxillary nerve"].askable
    assert not made["infraorbital nerve", "part_of", "maxillary nerve"].askable


def test_ends_that_do_not_suit_a_known_predicate_are_kept_and_not_asked(tmp_path: Path) -> None:
    rows = "head,relation,tail,head_type,tail_type\nHTT,inherited_as,dominant,gene,disease\n"
    made = imported(tmp_path, {"t.csv": rows})
    assert not facts(made)["HTT", "inherited_as", "dominant"].askable
    assert "ends that do not suit their predicate" in made.report


def test_names_that_cannot_stand_in_a_question_are_kept_and_not_asked(tmp_path: Path) -> None:
    rows = "head,relation,tail,head_type,tail_type\n"
    rows += "palate (mouse),part_of,head,structure,structure\nCHEBI:17,binds,D2 receptor,compound,receptor\n"
    rows += "compound 18 [PMID: 123],binds,D2 receptor,compound,receptor\n"
    made = imported(tmp_path, {"t.csv": rows})
    assert [fact.askable for fact in made.layer.facts] == [False, False, False]
    assert made.layer.dropped["not asked: name of one species"] == 1
    assert made.layer.dropped["not asked: placeholder label"] == 1


def test_two_authorities_with_one_name_are_merged_and_near_names_stay_apart(tmp_path: Path) -> None:
    nodes = "id\tname\tcategory\ttaxon\nHGNC:1\tSHH\tbiolink:Gene\tNCBITaxon:9606\nNCBIGene:2\tSHH\tbiolink:Gene\tNCBITaxon:9606\n"
    nodes += "MGI:3\tShh\tbiolink:Gene\tNCBITaxon:10090\nMONDO:6\tparaplegia type 6\tbiolink:Disease\t\nOMIM:8\tparaplegia type 8\tbiolink:Disease\t\n"
    edges = "subject\tpredicate\tobject\nHGNC:1\tbiolink:causes\tMONDO:6\nNCBIGene:2\tbiolink:causes\tOMIM:8\n"
    made = imported(tmp_path, {"k_nodes.tsv": nodes, "k_edges.tsv": edges})
    assert [(merge.kept_id, merge.gone_id) for merge in made.merges] == [("HGNC:1", "NCBIGene:2")]
    kept = {node.id: node for node in made.layer.nodes}
    assert kept.keys() == {"HGNC:1", "MGI:3", "MONDO:6", "OMIM:8"}
    assert kept["HGNC:1"].xrefs == ("NCBIGene:2",), "what is merged stays traceable"


def test_sssom_exact_matches_tie_things_together(tmp_path: Path) -> None:
    sssom = "subject_id\tpredicate_id\tobject_id\nMONDO:1\tskos:exactMatch\tDOID:9\nMONDO:2\tskos:broadMatch\tDOID:8\n"
    (tmp_path / "m.sssom.tsv").write_text("# mapping set\n" + sssom)
    made = imported(tmp_path, samples.FILES["kgx"], sssom=(str(tmp_path / "m.sssom.tsv"),))
    kept = {node.id: node.xrefs for node in made.layer.nodes}
    assert "DOID:9" in kept["MONDO:1"]
    assert kept["MONDO:2"] == ()


def test_facts_true_of_too_many_things_and_very_wide_classes_are_not_asked(tmp_path: Path) -> None:
    rows = "".join(f"bone {n},part_of,skull,bone,structure\n" for n in range(60))
    rows += "".join(f"thing {n},is_a,organ system,structure,structure\n" for n in range(40))
    rows += "spleen,part_of,organ system,structure,structure\n"
    made = imported(tmp_path, {"t.csv": "head,relation,tail,head_type,tail_type\n" + rows})
    asked = [fact for fact in made.layer.facts if fact.predicate == "part_of" and fact.askable]
    assert asked == []
    assert made.layer.dropped["not asked: true of too many things"] == 60
    assert made.layer.dropped["not asked: class with very many kinds"] >= 1


def test_walks_are_drafted_only_where_both_steps_narrow_things_down(tmp_path: Path) -> None:
    rows = "".join(f"gene {n},switches on,program {n}\nprogram {n},shapes,limb {n}\n" for n in range(8))
    walks = imported(tmp_path, {"t.csv": "head,relation,tail\n" + rows}).mapping.schema["metapaths"]
    assert "switches_on > shapes" in walks or "^shapes > ^switches_on" in walks
    broad = "".join(f"gene {n},touches,program {m}\nprogram {m},shapes,limb {n}\n" for n in range(6) for m in range(6))
    assert imported(tmp_path, {"b.csv": "head,relation,tail\n" + broad}).mapping.schema["metapaths"] == []


def test_a_raw_graph_fills_gaps_of_a_thing_that_is_named_twice() -> None:
    raw = Raw("test")
    raw.add(Thing("a", "", synonyms=("x",)))
    raw.add(Thing("a", "name", "drug", ("y",)))
    assert raw.things["a"] == Thing("a", "name", "drug", ("x", "y"))
