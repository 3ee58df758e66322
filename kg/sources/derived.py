"""Tables derived from open sources: one folder a layer, plain text, rows sorted, the same bytes on every rebuild.

    kg/data/open/go/                          nodes.tsv facts.tsv complete.tsv SOURCE.yaml
    kg/data/open/uniprot/                     (the same)
    kg/data/sharealike/guide_to_pharmacology/ (the same, and targets.tsv, ligands.tsv: what people decided)

`SOURCE.yaml` says where the rows come from, under which licence, how to rebuild them, and what was left out and
why. Rebuild with `python -m kg derive LAYER PATH` (kg/sources/derive.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from kg.errors import InputError
from kg.graph import Complete, Fact, Layer, Node, edge_id
from kg.sources.tables import read_tsv, split_list

FOLDERS = {
    "go": "open/go",
    "uniprot": "open/uniprot",
    "guide_to_pharmacology": "sharealike/guide_to_pharmacology",
}
NODE_COLUMNS = ("id", "label", "category", "synonyms", "xrefs", "taxon")
FACT_COLUMNS = ("head_id", "predicate", "tail_id", "qualifier", "reference", "negated", "askable")
COMPLETE_COLUMNS = ("entity_id", "predicate", "direction", "reference", "note")
_YES, _NO = "1", "0"
_REBUILD = "run `python -m kg derive` for this layer"


@dataclass(frozen=True)
class Source:
    """Where a layer's rows come from.

    Attributes:
        source: data set and version, as it stands in every row. license: SPDX expression or a licence name.
        attribution: what the licence wants said. changes: how the rows depart from the data set.
        url: of the data set. date: of the data set. package: what to fetch. command: what rebuilds the tables.
    """

    source: str
    license: str
    attribution: str
    changes: str
    url: str
    date: str
    package: str
    command: str


def folder(name: str) -> Path:
    """The folder of a layer's tables."""
    return Path(str(resources.files("kg").joinpath("data", FOLDERS[name])))


def read(name: str, where: Path | None = None) -> Layer:
    """A layer from its tables.

    Raises:
        InputError: a missing table, a wrong cell, or a fact whose ends are not nodes.
    """
    where = where or folder(name)
    about = _about(where / "SOURCE.yaml")
    source, license_name = str(about["source"]), str(about["license"])
    nodes = [
        Node(c["id"], c["label"], c["category"], split_list(c["synonyms"]), split_list(c["xrefs"]), c["taxon"] or None,
             source, license_name)
        for _, c in read_tsv(where / "nodes.tsv", NODE_COLUMNS)
    ]  # fmt: skip
    known = {node.id for node in nodes}
    facts = []
    for place, cells in read_tsv(where / "facts.tsv", FACT_COLUMNS):
        for end in ("head_id", "tail_id"):
            if cells[end] not in known:
                hint = f"rebuild the layer: {about['command']}"
                raise InputError(f"{place}: {end} {cells[end]!r} is not in nodes.tsv; {hint}")
        facts.append(_fact(name, cells, place, source, license_name))
    complete = [
        Complete(c["entity_id"], c["predicate"], c["direction"], c["reference"] or None)
        for _, c in read_tsv(where / "complete.tsv", COMPLETE_COLUMNS)
    ]
    return Layer(name, nodes, facts, Counter(about["dropped"]), complete)


def _fact(layer: str, cells: dict[str, str], place: str, source: str, license_name: str) -> Fact:
    for name in ("negated", "askable"):
        if cells[name] not in (_YES, _NO):
            raise InputError(f"{place}: column {name!r} holds {cells[name]!r}; write 1 or 0")
    head, predicate, tail = cells["head_id"], cells["predicate"], cells["tail_id"]
    qualifier, negated = cells["qualifier"] or None, cells["negated"] == _YES
    key = edge_id(layer, head, predicate, tail, qualifier, negated)
    reference, askable = cells["reference"] or None, cells["askable"] == _YES
    return Fact(key, head, predicate, tail, layer, source, license_name, qualifier, reference, negated, askable)


def _about(path: Path) -> dict[str, Any]:
    try:
        about = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; {_REBUILD}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML: {error}; {_REBUILD}") from error
    wanted = (*Source.__dataclass_fields__, "dropped")
    for name in wanted:
        if not isinstance(about, dict) or name not in about:
            raise InputError(f"{path}: {name!r} is missing; the file needs: {', '.join(wanted)}")
    return dict(about)


def write(layer: Layer, about: Source, where: Path, notes: dict[tuple[str, str], str] | None = None) -> None:
    """Write a layer's tables, sorted.

    Args:
        notes: (entity_id, predicate) -> why the list is complete, for people who read complete.tsv.
    """
    where.mkdir(parents=True, exist_ok=True)
    notes = notes or {}
    _table(where / "nodes.tsv", NODE_COLUMNS, (
        (n.id, n.label, n.category, "|".join(n.synonyms), "|".join(n.xrefs), n.taxon or "") for n in layer.nodes
    ))  # fmt: skip
    _table(where / "facts.tsv", FACT_COLUMNS, (
        (f.head_id, f.predicate, f.tail_id, f.qualifier or "", f.reference or "",
         _YES if f.negated else _NO, _YES if f.askable else _NO)
        for f in layer.facts
    ))  # fmt: skip
    _table(where / "complete.tsv", COMPLETE_COLUMNS, (
        (c.entity_id, c.predicate, c.direction, c.reference or "", notes.get((c.entity_id, c.predicate), ""))
        for c in layer.complete
    ))  # fmt: skip
    described = asdict(about) | {"dropped": dict(sorted(layer.dropped.items()))}
    text = yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=110)
    (where / "SOURCE.yaml").write_text(text, encoding="utf-8")


def _table(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    lines = sorted("\t".join(row) for row in rows)
    path.write_text("\n".join(["\t".join(columns), *lines]) + "\n", encoding="utf-8")
