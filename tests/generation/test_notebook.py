"""The inspection notebook runs from top to bottom on questions of the core, as a user would run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generation.files import write_split
from generation.make import Made
from kg import store
from kg.graph import Graph
from kg.schema import Schema

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: the notebook is not run")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: the notebook is not run")
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def workplace(core_graph: Graph, schema: Schema, core_made: Made, tmp_path: Path) -> Path:
    """A folder with build/graph and build/questions."""
    store.save(core_graph, schema, tmp_path / "build" / "graph", {"graph_sha256": core_graph.sha256})
    for name, items in core_made.items.items():
        write_split(tmp_path / "build" / "questions" / f"{name}.parquet", items, {"graph_sha256": core_graph.sha256})
    return tmp_path


@pytest.mark.parametrize("name", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
def test_a_notebook_runs_and_shows_something_in_every_cell_of_code(name: str, workplace: Path) -> None:
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(workplace)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    silent = [cell.source for cell in cells if not cell.outputs]
    assert len(silent) <= 1, silent
    said = "".join(str(output) for cell in cells for output in cell.outputs)
    assert "Traceback" not in said
    assert any(item["question"][:30] in said for item in items_of(workplace))


def items_of(workplace: Path) -> list[dict[str, object]]:
    from generation.files import read_items

    return read_items(workplace / "build" / "questions" / "test.parquet")
