"""From a user's file alone to questions: an ontology, a Biolink graph, a table with words of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from generation.checks import faults, truth
from generation.make import Config, Made, make
from generation.splits import Caps
from kg import importing
from kg.closure import Closure
from kg.importing import Import, Imported, import_files
from kg.schema import Schema
from kg.sources import core

REAL = Path(__file__).parents[3] / "shared" / "real"
LOOSE = Caps(answer=0.05, bridge=0.1, metapath=1.0)  # a small graph has few predicates

CARDIOLOGY = """head,relation,tail,head_type,tail_type
metoprolol,blocks,beta-1 receptor,drug,receptor
losartan,blocks,angiotensin II receptor,drug,receptor
spironolactone,blocks,aldosterone receptor,drug,receptor
prazosin,blocks,alpha-1 receptor,drug,receptor
dabigatran,inhibits,thrombin,drug,clotting factor
rivaroxaban,inhibits,factor Xa,drug,clotting factor
milvexian,inhibits,factor XIa,drug,clotting factor
warfarin,lowers,factor VII,drug,clotting factor
anterior descending artery,perfuses,anterior wall,artery,heart wall
circumflex artery,perfuses,lateral wall,artery,heart wall
right coronary artery,perfuses,inferior wall,artery,heart wall
conus artery,perfuses,outflow tract,artery,heart wall
ST elevation in V3,points to,anterior wall,ECG sign,heart wall
ST elevation in aVL,points to,lateral wall,ECG sign,heart wall
ST elevation in aVF,points to,inferior wall,ECG sign,heart wall
epsilon wave,points to,outflow tract,ECG sign,heart wall
dry cough,betrays,lisinopril,symptom,drug
ankle swelling,betrays,amlodipine,symptom,drug
yellow vision,betrays,digoxin,symptom,drug
gynaecomastia,betrays,spironolactone,symptom,drug
"""


def questions(made: Imported) -> tuple[Made, Closure]:
    graph = importing.build(made).graph
    return make(graph, made.schema, Config(caps=LOOSE)), Closure(graph, made.schema)


def sound(made: Made, closure: Closure) -> list[dict[str, object]]:
    items = [item for rows in made.items.values() for item in rows]
    assert [fault for item in items if (fault := faults(item) or truth(closure, item))] == []
    return items


def test_thirty_facts_of_cardiology_with_their_own_words_give_questions(tmp_path: Path) -> None:
    (tmp_path / "heart.csv").write_text(CARDIOLOGY)
    made = import_files(Import(files=(str(tmp_path / "heart.csv"),), license="CC0-1.0"))
    items = sound(*questions(made))
    stems = {str(item["question"]) for item in items}
    assert len([item for item in items if item["hops"] == 1]) >= 20
    assert any("betrays" in stem and "digoxin" in stem for stem in stems)
    assert any(stem.startswith(("Which ECG sign", "Which of these ECG signs")) for stem in stems)
    assert {hop["license"] for item in items for hop in item["path"]} == {"CC0-1.0"}  # type: ignore[attr-defined]


def test_one_denial_proves_an_option_and_takes_no_question_away(tmp_path: Path) -> None:
    (tmp_path / "heart.csv").write_text(CARDIOLOGY)
    before = sound(*questions(import_files(Import(files=(str(tmp_path / "heart.csv"),)))))
    lines = [f"{line},{'negated' if n == 0 else 'false'}" for n, line in enumerate(CARDIOLOGY.splitlines())]
    lines.append("metoprolol,blocks,alpha-1 receptor,drug,receptor,true")
    (tmp_path / "heart.csv").write_text("\n".join(lines) + "\n")
    after = sound(*questions(import_files(Import(files=(str(tmp_path / "heart.csv"),)))))
    assert len(after) == len(before)
    assert "contradicted" in {proof for item in after for proof in item["option_proofs"]}  # type: ignore[attr-defined]


def test_walks_over_a_users_own_predicates_give_two_hop_questions(tmp_path: Path) -> None:
    (tmp_path / "heart.csv").write_text(CARDIOLOGY)
    made = import_files(Import(files=(str(tmp_path / "heart.csv"),)))
    items = sound(*questions(made))
    two = {str(item["metapath"]) for item in items if item["hops"] == 2}
    assert "supplies > ^points_to" in two


@pytest.mark.skipif(not REAL.exists(), reason=f"no real sample files at {REAL}")
def test_uberon_alone_gives_sound_questions_and_a_report(tmp_path: Path) -> None:
    made = import_files(Import(files=(str(REAL / "uberon_vertebrate-head.obo"),), license="CC-BY-3.0"))
    items = sound(*questions(made))
    assert len(items) >= 1200
    assert sum(item["hops"] == 2 for item in items) >= 25
    kinds = Counter(str(item["metapath"]) for item in items)
    assert {"^innervates", "inserts_on", "branch_of", "drains_into", "originates_from"} <= kinds.keys()
    assert not any("(mouse)" in str(item["options"]) for item in items)
    assert "what the graph cannot support" in made.report


def test_a_biolink_kgx_graph_alone_gives_sound_questions(tmp_path: Path) -> None:
    schema = Schema.load()
    layer = core.load(schema)
    said = {"treats": "treats", "located_in": "located_in", "has_phenotype": "has_phenotype", "mutation_causes": "causes",
            "encoded_by": "gene_product_of", "expressed_in": "expressed_in", "damages": "disease_has_location"}  # fmt: skip
    called = {"gene": "Gene", "chemical": "ChemicalEntity", "protein": "Protein", "disease": "Disease", "sign": "PhenotypicFeature",
              "cell": "Cell", "structure": "GrossAnatomicalStructure"}  # fmt: skip
    names = {node.id: node for node in layer.nodes}
    kinds = {
        n.id: next((called[c] for c in schema.ancestors(n.category) if c in called), "NamedThing") for n in layer.nodes
    }
    facts = [f for f in layer.facts if f.predicate in said and not f.qualifier and not f.negated][:900]
    ends = sorted({end for fact in facts for end in (fact.head_id, fact.tail_id)})
    (tmp_path / "n_nodes.tsv").write_text(
        "id\tname\tcategory\n" + "".join(f"{e}\t{names[e].label}\tbiolink:{kinds[e]}\n" for e in ends)
    )
    rows = "".join(f"{f.head_id}\tbiolink:{said[f.predicate]}\t{f.tail_id}\n" for f in facts)
    (tmp_path / "n_edges.tsv").write_text("subject\tpredicate\tobject\n" + rows)
    made = import_files(Import(files=(str(tmp_path / "n_nodes.tsv"), str(tmp_path / "n_edges.tsv"))))
    items = sound(*questions(made))
    assert len(items) >= 500
    assert any(item["hops"] == 2 for item in items)


def test_two_workers_give_the_questions_of_one(tmp_path: Path) -> None:
    (tmp_path / "heart.csv").write_text(CARDIOLOGY)
    made = import_files(Import(files=(str(tmp_path / "heart.csv"),)))
    graph = importing.build(made).graph
    one, two = (make(graph, made.schema, Config(caps=LOOSE), workers).items for workers in (1, 2))
    assert one == two
