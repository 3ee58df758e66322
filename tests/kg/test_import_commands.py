"""`python -m kg import` and `diff` as a user types them: options, mistakes, licences, merges taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kg import store
from kg.__main__ import COMMANDS
from kg.command import run
from kg.graph import Fact
from tests.command_line import Caller, Ended
from tests.kg import import_samples as samples

Importer = Callable[..., Ended]


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(lambda words: run(COMMANDS, "python -m kg", lists=("import",), words=words), capsys)


@pytest.fixture
def imported(kg: Caller, tmp_path: Path) -> Importer:
    """Writes files and imports them to tmp_path/graph."""

    def call(files: dict[str, str], *options: object) -> Ended:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return kg("import", *(tmp_path / name for name in files), "--out", tmp_path / "graph", *options)

    return call


def facts(folder: Path) -> dict[tuple[str, str, str], Fact]:
    graph, _ = store.load(folder)
    return {(graph.label(f.head_id), f.predicate, graph.label(f.tail_id)): f for f in graph.facts.values()}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--layers", "[nosuch]"], "--layers: unknown layer 'nosuch'; known: core, go,"),
        (["--layers", "cor"], "--layers: unknown layer 'cor'; did you mean 'core'?"),
        (["--columns.hed", "x"], "--columns.hed: unknown role; did you mean 'head'?"),
        (["--columns.reference", "PMI"], "t.csv has no column 'PMI'; did you mean 'PMID'?"),
        (["--columns", "x"], "--columns: 'x' is out of place; give names with values: --columns.NAME VALUE"),
        (["--sssom", "nowhere.tsv"], "nowhere.tsv: cannot be read: No such file or directory"),
        (["--scope.steps", "two"], "--scope.steps: 'two' is out of place; give a whole number"),
        (
            ["--scope.seeds", "facial nerv"],
            "--scope.seeds: the graph has no 'facial nerv'; did you mean 'facial nerve'?",
        ),
        (["--licenses", "CC0"], "--licenses: no fact is under 'CC0'; known: unknown"),
        (["--format", "obbo"], "--format: unknown format 'obbo'; did you mean 'obo'?"),
    ],
)
def test_a_mistake_is_answered_in_one_line_and_nothing_is_written(
    imported: Importer, tmp_path: Path, options: list[str], told: str
) -> None:
    ended = imported({"t.csv": samples.TRIPLES}, *options)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert told in ended.err
    assert not (tmp_path / "graph").exists()


def test_columns_are_for_triples_only(imported: Importer) -> None:
    ended = imported(samples.FILES["kgx"], "--columns.head", "subject")
    assert ended.code == 2
    assert "--columns.head: is for triples" in ended.err


def test_a_column_that_stands_twice_in_the_header_is_named(imported: Importer) -> None:
    ended = imported({"t.csv": "head,relation,tail,tail\na,treats,b,c\n"})
    assert ended.code == 2
    assert "t.csv:1: the header names the column 'tail' twice; rename one" in ended.err


@pytest.mark.parametrize("part", ["metapaths", "predicates", "categories"])
def test_a_part_of_a_mappings_schema_that_has_the_wrong_form_is_named(
    imported: Importer, tmp_path: Path, part: str
) -> None:
    (tmp_path / "map.yaml").write_text(f"schema: {{{part}: 3}}\n")
    ended = imported({"t.csv": samples.TRIPLES}, "--map", tmp_path / "map.yaml")
    assert ended.code == 2
    assert f"map.yaml: schema: {part} is 3; write `" in ended.err


@pytest.mark.parametrize("form", ["{}", "[{}]"])
def test_an_sssom_file_is_given_as_a_path_or_a_list(imported: Importer, tmp_path: Path, form: str) -> None:
    sssom = tmp_path / "m.sssom.tsv"
    sssom.write_text("subject_id\tpredicate_id\tobject_id\nMONDO:1\tskos:exactMatch\tDOID:9\n")
    assert imported(samples.FILES["kgx"], "--sssom", form.format(sssom)).code == 0
    assert "DOID:9" in store.load(tmp_path / "graph")[0].nodes["MONDO:1"].xrefs


def test_only_facts_under_the_chosen_licences_are_kept_and_the_rest_is_counted(
    imported: Importer, tmp_path: Path
) -> None:
    rows = "head,relation,tail,license\na drug,treats,b disease,CC0-1.0\nc drug,treats,d disease,GPL-3.0\n"
    ended = imported({"t.csv": rows}, "--licenses", "CC0-1.0")
    assert facts(tmp_path / "graph").keys() == {("a drug", "treats", "b disease")}
    assert "licence not chosen" in ended.out


CLASH = """head,relation,tail,head_type,tail_type,negated
aspirin,treats,headache,drug,disease,false
aspirin,treats,headache,drug,disease,true
aspirin,treats,fever,drug,disease,false
aspirin,treats,gout,drug,disease,true
buprenorphine,agonist of,kappa receptor,drug,receptor,false
buprenorphine,antagonist of,kappa receptor,drug,receptor,false
metoprolol,treats,asthma,drug,disease,false
metoprolol,contraindicated in,asthma,drug,disease,false
"""


@pytest.mark.parametrize("turned", [False, True])
def test_what_a_file_says_against_itself_is_counted_and_neither_asked_nor_proof(
    imported: Importer, kg: Caller, tmp_path: Path, turned: bool
) -> None:
    header, *lines = CLASH.splitlines(keepends=True)
    ended = imported({"t.csv": "".join([header, *(reversed(lines) if turned else lines)])})
    found = {said: (fact.askable, fact.negated) for said, fact in facts(tmp_path / "graph").items()}
    assert found == {
        ("aspirin", "treats", "headache"): (False, False),
        ("aspirin", "treats", "fever"): (True, False),
        ("aspirin", "treats", "gout"): (True, True),
        ("buprenorphine", "binds_to", "kappa receptor"): (False, False),
        ("asthma", "related_to", "metoprolol"): (False, False),
    }
    assert "1  stated and denied in one file" in ended.out
    assert "4  said of the same two things by predicates that exclude one another" in ended.out
    assert kg("validate", "--graph", tmp_path / "graph").out.startswith("5 facts checked: 0 faults")


def test_a_merge_is_recorded_and_a_line_of_the_mapping_takes_it_back(imported: Importer, tmp_path: Path) -> None:
    nodes = "id\tname\tcategory\nHGNC:1\tSHH\tbiolink:Gene\nNCBIGene:2\tSHH\tbiolink:Gene\nMONDO:6\tataxia\tbiolink:Disease\n"
    edges = "subject\tpredicate\tobject\nHGNC:1\tbiolink:causes\tMONDO:6\nNCBIGene:2\tbiolink:causes\tMONDO:6\n"
    files = {"k_nodes.tsv": nodes, "k_edges.tsv": edges}
    imported(files)
    (merge,) = pq.read_table(tmp_path / "graph" / "merges.parquet").to_pylist()
    assert (merge["kept_id"], merge["gone_id"], merge["reason"]) == ("HGNC:1", "NCBIGene:2", "name 'shh'")
    mapping = (tmp_path / "graph" / "mapping.yaml").read_text()
    (tmp_path / "map.yaml").write_text(f"{mapping}apart: [[{merge['kept_id']}, {merge['gone_id']}]]\n")
    imported(files, "--map", tmp_path / "map.yaml")
    graph, _ = store.load(tmp_path / "graph")
    assert {"HGNC:1", "NCBIGene:2"} <= graph.nodes.keys()
    assert {fact.head_id for fact in graph.facts.values()} == {"HGNC:1", "NCBIGene:2"}
    assert graph.merges == ()


def test_a_merge_with_an_embedded_layer_is_taken_back_too(imported: Importer, tmp_path: Path) -> None:
    rows = "head,relation,tail,head_type,tail_type\ntrochlear nerve,innervates,my muscle,nerve,muscle\n"
    imported({"t.csv": rows}, "--layers", "core")
    merges = [merge for merge in store.load(tmp_path / "graph")[0].merges if merge.gone_id == "nerve:trochlear-nerve"]
    assert [merge.kept_id for merge in merges] == ["core:trochlear-nerve"]
    mapping = (tmp_path / "graph" / "mapping.yaml").read_text()
    (tmp_path / "map.yaml").write_text(f"{mapping}apart: [[core:trochlear-nerve, nerve:trochlear-nerve]]\n")
    imported({"t.csv": rows}, "--layers", "core", "--map", tmp_path / "map.yaml")
    assert "nerve:trochlear-nerve" in store.load(tmp_path / "graph")[0].nodes


def test_pairs_held_apart_that_are_no_pairs_are_named(imported: Importer, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text("apart: [A, B]\n")
    ended = imported({"t.csv": samples.TRIPLES}, "--map", tmp_path / "map.yaml")
    assert "map.yaml: apart holds 'A'; write pairs of identifiers" in ended.err


def test_diff_names_what_changed_between_two_imports(imported: Importer, kg: Caller, tmp_path: Path) -> None:
    imported({"t.csv": samples.TRIPLES})
    (tmp_path / "graph").rename(tmp_path / "old")
    imported({"t.csv": samples.TRIPLES.replace("buccinator", "risorius")})
    ended = kg("diff", tmp_path / "old", tmp_path / "graph", "--questions", tmp_path / "none")
    assert ended.out.startswith("1 facts added, 1 removed, 0 changed; 1 things added, 1 removed\n")
    assert "facial nerve innervates risorius" in ended.out
    assert "facial nerve innervates buccinator" in ended.out
    assert f"There are no questions at {tmp_path / 'none'} to compare" in ended.out
