"""What is cut out by a scope, and what a diff of two graphs tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kg import diff as changes
from kg import importing
from kg.errors import InputError
from kg.importing import Import, import_files
from kg.scope import Scope

ROWS = """head,relation,tail,head_type,tail_type
Parkinson disease,is_a,movement disorder,disease,disease
movement disorder,is_a,brain disease,disease,disease
asthma,is_a,lung disease,disease,disease
levodopa,treats,Parkinson disease,drug,disease
levodopa,causes side effect,dyskinesia,drug,sign
salbutamol,treats,asthma,drug,disease
salbutamol,activates,beta-2 receptor,drug,receptor
"""


def made(folder: Path, scope: Scope) -> importing.Imported:
    (folder / "t.csv").write_text(ROWS)
    return import_files(Import(files=(str(folder / "t.csv"),), scope=scope))


@pytest.mark.parametrize(
    ("scope", "labels"),
    [
        (Scope(branches=("brain disease",)), {"Parkinson disease", "movement disorder", "brain disease", "levodopa"}),
        (
            Scope(branches=("brain disease",), steps=2),
            {"Parkinson disease", "movement disorder", "brain disease", "levodopa", "dyskinesia"},
        ),
        (Scope(seeds=("salbutamol",)), {"salbutamol", "asthma", "beta-2 receptor"}),
        (Scope(categories=("receptor",)), {"salbutamol", "beta-2 receptor"}),
    ],
)
def test_a_scope_keeps_what_is_near_its_seeds_and_counts_the_rest(
    tmp_path: Path, scope: Scope, labels: set[str]
) -> None:
    whole, cut = made(tmp_path, Scope()).layer, made(tmp_path, scope).layer
    assert {node.label for node in cut.nodes} == labels
    assert cut.dropped["fact outside the scope"] == len(whole.facts) - len(cut.facts)


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        (Scope(seeds=("salbutamoll",)), "did you mean 'salbutamol'?"),
        (Scope(categories=("drugs",)), "did you mean 'drug'?"),
        (Scope(seeds=("asthma",), steps=0), "give 1 or more"),
        (Scope(branches=("lung",)), "--scope.branches"),
    ],
)
def test_a_seed_that_is_not_there_is_named_with_the_nearest(tmp_path: Path, scope: Scope, told: str) -> None:
    with pytest.raises(InputError) as caught:
        made(tmp_path, scope)
    assert told in str(caught.value)


def test_a_diff_tells_facts_added_removed_and_changed_and_the_questions_they_touch(tmp_path: Path) -> None:
    old = importing.build(made(tmp_path, Scope())).graph
    first, second, *_ = sorted(old.facts)
    facts = dict(old.facts)
    gone = facts.pop(first)
    facts[second] = replace(facts[second], license="CC0-1.0")
    extra = replace(gone, edge_id="t:new")
    new = replace(old, facts=facts | {"t:new": extra})
    found = changes.diff(old, new)
    assert (found.added, found.removed) == ((extra,), (gone,))
    assert [(one.old.edge_id, one.what) for one in found.changed] == [(second, ("license",))]
    rows = [
        {"item_id": "q1", "path": [{"edge_id": first}]},
        {"item_id": "q2", "path": [{"edge_id": second}, {"edge_id": "x"}]},
    ]
    pq.write_table(
        pa.Table.from_pylist([*rows, {"item_id": "q3", "path": [{"edge_id": "x"}]}]), tmp_path / "test.parquet"
    )
    touched = changes.touched(found, tmp_path)
    assert [(one.item_id, one.how) for one in touched] == [("q1", "removed"), ("q2", "changed")]
    told = changes.told(found, old, new, touched)
    assert "1 facts added, 1 removed, 1 changed" in told
    assert "2 questions rest on a fact that is gone or changed" in told


def test_a_new_label_changes_the_facts_that_name_it(tmp_path: Path) -> None:
    old = importing.build(made(tmp_path, Scope())).graph
    nodes = {
        name: replace(node, label="L-DOPA") if node.label == "levodopa" else node for name, node in old.nodes.items()
    }
    found = changes.diff(old, replace(old, nodes=nodes))
    assert {one.what for one in found.changed} == {("head label",)}
    assert len(found.changed) == 2


def test_a_graph_saved_twice_has_no_differences_and_a_folder_without_questions_is_named(tmp_path: Path) -> None:
    importing.save(made(tmp_path, Scope()), tmp_path / "graph")
    graph = changes.load(tmp_path / "graph")
    assert changes.diff(graph, graph).empty
    assert (tmp_path / "graph" / "mapping.yaml").exists()
    assert "what the graph cannot support" in (tmp_path / "graph" / "import.txt").read_text()
    with pytest.raises(InputError, match="holds no Parquet file"):
        changes.touched(changes.diff(graph, graph), tmp_path / "graph" / "none")
