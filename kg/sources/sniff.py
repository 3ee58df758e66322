"""Which format a user's file is in: by its name, and where that leaves a choice by its first lines."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from kg.errors import InputError, nearest
from kg.sources import kgx, rdf, rows
from kg.sources.opening import bare_name, open_bytes, open_text, refuse_pickle

_NAMES = """triples kgx obo primekg obograph owl functional hetionet umls annotations guide_to_pharmacology graphml node_link built"""
FORMATS = tuple(_NAMES.split())
SEVERAL = frozenset({"triples", "kgx", "hetionet", "umls", "annotations"})  # formats of files that belong together
_BY_SUFFIX = {
    ".obo": "obo", ".owl": "owl", ".rdf": "owl", ".xml": "owl", ".ttl": "owl", ".nt": "owl", ".graphml": "graphml",
    ".rrf": "umls", ".gaf": "annotations", ".hpoa": "annotations", ".sif": "hetionet", ".ofn": "functional",
}  # fmt: skip
_REFUSED = {
    ".omn": "OWL Manchester syntax", ".owx": "OWL/XML", ".gml": "GML",
    ".xlsx": "an Excel workbook",
    ".xls": "an Excel workbook", ".db": "a database", ".sqlite": "a database", ".jsonld": "JSON-LD",
}  # fmt: skip
_INSTEAD = {
    "OWL": "convert it with ROBOT (`robot convert -i FILE -o FILE.ttl`)", "an": "save the sheet as CSV",
    "a": "export the edges as CSV",
    "GML": "write GraphML (networkx.write_graphml)", "JSON-LD": "convert it to Turtle",
}  # fmt: skip
HEAD_LINES = 40


def format_of(path: Path) -> str:
    """The format of a file or folder.

    Raises:
        InputError: missing, a pickle, or nothing that is known.
    """
    if path.is_dir():
        return _folder(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such file; check the path")
    try:
        refuse_pickle(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error
    name = bare_name(path)
    if path.suffix.lower() == ".zip" and name.count(".") == 0:
        name = _first_member(path).lower()
    suffix = Path(name).suffix
    if suffix in _REFUSED:
        what = _REFUSED[suffix]
        raise InputError(f"{path}: is {what}, which is not read here; {_INSTEAD[what.split()[0]]}")
    if suffix == ".owl" and _begins(path, rdf.FUNCTIONAL):
        return "functional"
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix == ".json":
        return _json(path)
    if suffix in (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".parquet", ".tab", ""):
        return _table(path)
    raise InputError(f"{path}: unknown suffix {suffix!r}; give --format, one of {', '.join(FORMATS)}")


def format_of_all(paths: Sequence[Path]) -> str:
    """The one format of files that belong together.

    Raises:
        InputError: they are of different formats, or of one that comes in single files.
    """
    found = {path: format_of(path) for path in paths}
    kinds = set(found.values())
    if "annotations" in kinds and kinds <= {"annotations", "obo"}:
        return "annotations"
    if len(kinds) > 1:
        shown = ", ".join(f"{path.name} is {kind}" for path, kind in found.items())
        raise InputError(
            f"import: files of different formats ({shown}); import them one by one, each as a layer of its own"
        )
    name = kinds.pop()
    if len(paths) > 1 and name not in SEVERAL:
        raise InputError(
            f"import: {name} takes one file, {len(paths)} were given; import them one by one, each as "
            "a layer of its own"
        )
    return name


def check(name: str) -> str:
    """A format named by the user."""
    if name not in FORMATS:
        raise InputError(f"--format: unknown format {name!r}; {nearest(name, FORMATS)}")
    return name


def _folder(path: Path) -> str:
    if (path / "nodes.parquet").exists() and (path / "edges.parquet").exists():
        return "built"
    if any(child.name.upper().startswith("MRCONSO") for child in path.iterdir()):
        return "umls"
    raise InputError(
        f"{path}: is a folder of neither a built graph (nodes.parquet, edges.parquet) nor UMLS "
        "(MRCONSO.RRF); name the files"
    )


def _first_member(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            return next((entry.filename for entry in archive.infolist() if not entry.is_dir()), "")
    except zipfile.BadZipFile as error:
        raise InputError(f"{path}: is no zip archive: {error}; fetch it again") from error


def _begins(path: Path, marks: tuple[bytes, ...]) -> bool:
    with open_bytes(path) as stream:
        return stream.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(marks)


def _json(path: Path) -> str:
    with open_text(path) as text:
        start = text.read(200_000)
    for mark, found in (('"graphs"', "obograph"), ('"metanode_kinds"', "hetionet"), ('"subject"', "kgx")):
        if mark in start:
            return found
    if '"nodes"' in start or '"links"' in start or '"edges"' in start:
        return "node_link"
    raise InputError(
        f"{path}: a JSON of no known form (obograph, KGX, Hetionet, node-link); give --format or write triples as CSV"
    )


def _table(path: Path) -> str:
    if not bare_name(path).endswith(".parquet"):
        with open_text(path) as text:
            start = "".join(line for _, line in zip(range(HEAD_LINES), text, strict=False))
        if not start.strip():
            raise InputError(f"{path}: is empty; give a table with a header line")
        for mark, found in (
            ("format-version:", "obo"),
            ("!gaf-version", "annotations"),
            ("hpo_id\t", "annotations"),
            ('#description: "HPO', "annotations"),
        ):
            if mark in start:
                return found
    header = rows.header(path)
    lower = {name.strip().lower() for name in header}
    if {"x_id", "y_id", "display_relation"} <= lower or {"x_name", "y_name", "relation"} <= lower:
        return "primekg"
    if lower in ({"source", "metaedge", "target"}, {"id", "name", "kind"}):
        return "hetionet"
    if {"ligand", "target", "action"} <= lower:
        return "guide_to_pharmacology"
    if kgx.is_nodes(header) or (
        kgx.is_edges(header) and not {"object_name", "object_label"} & lower and _has_curies(path)
    ):
        return "kgx"
    return "triples"


def _has_curies(path: Path) -> bool:
    """Whether the first edge is between identifiers, as KGX wants, not between names."""
    first = next(rows.read(path), None)
    return first is not None and all(":" in first.values.get(end, "") for end in ("subject", "object"))
