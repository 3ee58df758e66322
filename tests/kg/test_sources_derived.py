"""Derived tables: the same bytes again, sound rows, errors that say what to do; golden counts of each layer."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.graph import Layer
from kg.schema import Schema
from kg.sources import derived, go, guide_to_pharmacology, uniprot
from kg.sources.derive import derive

LAYERS = {"guide_to_pharmacology": guide_to_pharmacology.load, "uniprot": uniprot.load, "go": go.load}


@pytest.fixture(scope="module", params=sorted(LAYERS))
def layer(request: pytest.FixtureRequest) -> Layer:
    return LAYERS[request.param]()


def counts(layer: Layer) -> dict[tuple[str, bool], int]:
    return dict(Counter((fact.predicate, fact.askable) for fact in layer.facts))


COUNTS = {
    "guide_to_pharmacology": {
        ("activates", False): 246,
        ("activates", True): 59,
        ("agonist_of", False): 2010,
        ("agonist_of", True): 524,
        ("antagonist_of", False): 1723,
        ("antagonist_of", True): 588,
        ("binds_to", False): 372,
        ("blocks", False): 427,
        ("blocks", True): 75,
        ("encoded_by", False): 423,
        ("encoded_by", True): 164,
        ("inhibits", False): 769,
        ("inhibits", True): 218,
        ("is_a", False): 98,
        ("modulates", False): 62,
        ("potentiates", False): 147,
        ("potentiates", True): 18,
        ("subunit_of", False): 60,
    },
    "uniprot": {
        ("is_a", False): 1239,
        ("mutation_causes", False): 329,
        ("mutation_causes", True): 1698,
    },
    "go": {
        ("has_function", False): 1397,
        ("has_function", True): 657,
        ("is_a", False): 1002,
        ("product_located_in", False): 4681,
        ("product_located_in", True): 946,
        ("part_of", False): 129,
        ("participates_in", False): 11549,
        ("participates_in", True): 2153,
    },
}


def test_counts(layer: Layer) -> None:
    assert counts(layer) == COUNTS[layer.name]


def test_size_of_the_tables() -> None:
    total = sum(path.stat().st_size for name in LAYERS for path in derived.folder(name).iterdir())
    assert total < 12_000_000


def test_rows_are_sound(layer: Layer) -> None:
    ids = {node.id for node in layer.nodes}
    assert len(ids) == len(layer.nodes)
    assert len({fact.edge_id for fact in layer.facts}) == len(layer.facts)
    assert all({fact.head_id, fact.tail_id} <= ids for fact in layer.facts)
    assert all(fact.source and fact.license for fact in layer.facts)
    assert not any(fact.head_id == fact.tail_id for fact in layer.facts)
    assert layer.dropped
    labels = [node.label for node in layer.nodes]
    assert not [label for label in labels if "<" in label or "&" in label or label != label.strip() or len(label) > 70]


def test_ends_fit_the_schema(layer: Layer) -> None:
    schema = Schema.load()
    category = {node.id: node.category for node in layer.nodes}
    for fact in layer.facts:
        predicate = schema.predicates[fact.predicate]
        assert schema.fits(category[fact.head_id], predicate.domain), fact
        assert schema.fits(category[fact.tail_id], predicate.range), fact


def test_complete_lists_have_values(layer: Layer) -> None:
    forward = {(fact.head_id, fact.predicate) for fact in layer.facts}
    backward = {(fact.tail_id, fact.predicate) for fact in layer.facts}
    for row in layer.complete:
        assert (row.entity_id, row.predicate) in (forward if row.direction == "forward" else backward)


def test_writing_what_was_read_gives_the_same_bytes(layer: Layer, tmp_path: Path) -> None:
    makers = {"go": go.SOURCE, "uniprot": uniprot.SOURCE, "guide_to_pharmacology": guide_to_pharmacology.SOURCE}
    derived.write(derived.read(layer.name), makers[layer.name], tmp_path)
    for name in ("nodes.tsv", "facts.tsv", "SOURCE.yaml"):
        assert (tmp_path / name).read_bytes() == (derived.folder(layer.name) / name).read_bytes(), name


def copied(tmp_path: Path) -> Path:
    shutil.copytree(derived.folder("uniprot"), tmp_path / "uniprot")
    return tmp_path / "uniprot"


def test_a_fact_without_its_node_is_an_error(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    with (folder / "facts.tsv").open("a", encoding="utf-8") as table:
        table.write("gene:NOWHERE\tmutation_causes\tOMIM:143100\t\t\t0\t1\n")
    with pytest.raises(InputError, match=r"facts\.tsv:\d+: head_id 'gene:NOWHERE' is not in nodes\.tsv; rebuild"):
        derived.read("uniprot", folder)


def test_a_wrong_flag_is_an_error(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "facts.tsv").write_text("\t".join(derived.FACT_COLUMNS) + "\na\tis_a\ta\t\t\t0\tyes\n", encoding="utf-8")
    (folder / "nodes.tsv").write_text("\t".join(derived.NODE_COLUMNS) + "\na\tA\tdisease\t\t\t\n", encoding="utf-8")
    with pytest.raises(InputError, match="column 'askable' holds 'yes'; write 1 or 0"):
        derived.read("uniprot", folder)


def test_a_missing_source_file_is_an_error(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "SOURCE.yaml").unlink()
    with pytest.raises(InputError, match=r"SOURCE\.yaml: cannot be read: .*; run `python -m kg derive`"):
        derived.read("uniprot", folder)
    (folder / "SOURCE.yaml").write_text("source: x\n", encoding="utf-8")
    with pytest.raises(InputError, match="'license' is missing"):
        derived.read("uniprot", folder)


def test_derive_names_what_it_knows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown layer 'uniprott'; did you mean 'uniprot'"):
        derive("uniprott", tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        derive("uniprot", tmp_path / "no.whl")
    with pytest.raises(InputError, match=r"holds no GO\.sqlite; unpack"):
        derive("go", tmp_path)
    with pytest.raises(InputError, match="give the source distribution of scConnect"):
        derive("guide_to_pharmacology", tmp_path)
    with pytest.raises(InputError, match="give the wheel of gnuhealth-genetics-uniprot"):
        derive("uniprot", tmp_path)
