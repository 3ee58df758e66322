"""A user's own graph in: files of any format that is known, to a layer under a schema.

    from kg.importing import Import, import_files
    made = import_files(Import(files=("uberon_vertebrate-head.obo",)))
    print(made.report)
    save(made, Path("build/graph"))  # the graph, mapping.yaml and import.txt

Steps: which format (kg/sources/sniff.py), read it (one module a format under kg/sources/), map its words to ours
(kg/mapping.py; without a mapping file one is drafted, kg/drafting.py), put it under the schema (kg/translation.py),
keep what is near the seeds (kg/scope.py), and say what came of it (`report`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import networkx as nx

from kg import drafting, mapping, merging, reporting, scope, store, translation
from kg.build import Build, assemble
from kg.errors import InputError
from kg.graph import Layer, Merge
from kg.mapping import WordMap
from kg.names import slug
from kg.schema import Schema
from kg.sources import (
    annotation_tables,
    built,
    functional,
    guide_interactions,
    hetionet,
    kgx,
    node_link,
    obo_graph,
    obograph,
    primekg,
    rdf,
    sniff,
    triples,
    umls,
)
from kg.sources.opening import bare_name
from kg.sources.raw import Raw


@dataclass(frozen=True)
class Import:
    """What to import and how.

    Args:
        files: files that belong together (KGX nodes and edges), or one file, or one folder.
        format: of the files; `auto` looks.
        layer: name of the layer; from the file's name if not given.
        license: of facts whose rows name none.
        source: name and version of the data; from the file if not given.
        map: a mapping file; one is drafted if not given.
        columns: for triples: role (head, predicate, tail, head_type, ...) to column, where the header does not say.
        sssom: SSSOM files whose exact matches tie identifiers together.
        scope: keep only what is near these seeds.
    """

    files: tuple[str, ...]
    format: str = "auto"
    layer: str = ""
    license: str = "unknown"
    source: str = ""
    map: str | None = None
    columns: dict[str, str] = field(default_factory=dict)
    sssom: tuple[str, ...] = ()
    scope: scope.Scope = field(default_factory=scope.Scope)


class Imported(NamedTuple):
    """A layer, the schema to assemble it under, the mapping (as YAML too), what to tell the user, what was merged."""

    layer: Layer
    schema: Schema
    mapping: WordMap
    mapping_text: str
    report: str
    merges: tuple[Merge, ...]


def import_files(config: Import) -> Imported:
    """Import files as one layer.

    Raises:
        InputError: a file that is missing, of unknown format or broken (named by line), or a fault in the mapping.
    """
    if not config.files:
        raise InputError("import: no file given; name the file of the graph")
    paths = [Path(name) for name in config.files]
    with store.uncollected():
        raw = read(paths, config.format, config.columns)
        return from_raw(raw, paths, config)


def read(paths: Sequence[Path], format: str = "auto", columns: dict[str, str] | None = None) -> Raw:
    """Read files of one format as they are. Errors as `import_files`."""
    name = sniff.format_of_all(paths) if format == "auto" else sniff.check(format)
    if columns and name != "triples":
        raise InputError(f"--columns.{min(columns)}: is for triples, and {paths[0]} is read as {name}; leave it out")
    raw = _read(paths, name, columns or {})
    if not raw.claims and not raw.things:
        raise InputError(f"{paths[0]}: holds nothing that {name} can read ({_counted(raw.dropped)}); check --format")
    return raw


def _counted(dropped: Counter[str]) -> str:
    return ", ".join(f"{reason}: {count:,}" for reason, count in dropped.items()) or "no rows"


def _read(paths: Sequence[Path], name: str, columns: dict[str, str]) -> Raw:
    if name == "triples":
        raw = triples.read(paths[0], columns)
        for more in paths[1:]:
            triples.read(more, columns, raw)
        return raw
    if name in sniff.SEVERAL:
        return _TOGETHER[name](list(paths))
    return _SINGLE[name](paths[0])


_TOGETHER: dict[str, Callable[[list[Path]], Raw]] = {
    "kgx": kgx.read,
    "hetionet": hetionet.read,
    "umls": umls.read,
    "annotations": annotation_tables.read,
}
_SINGLE: dict[str, Callable[[Path], Raw]] = {
    "obo": obo_graph.read,
    "primekg": primekg.read,
    "obograph": obograph.read,
    "owl": rdf.read,
    "functional": functional.read,
    "guide_to_pharmacology": guide_interactions.read,
    "graphml": node_link.read_graphml,
    "node_link": node_link.read_json,
    "built": built.read,
}


def from_networkx(graph: nx.Graph, config: Import | None = None) -> Imported:
    """A networkx graph that is in memory, by the attributes of its nodes and edges (kg/sources/node_link.py)."""
    return from_raw(node_link.from_networkx(graph), [Path("networkx")], config or Import(files=()))


def from_raw(raw: Raw, paths: Sequence[Path], config: Import) -> Imported:
    """The second half of `import_files`, for a graph that is in memory already."""
    layer = config.layer or _layer_name(paths)
    source = config.source or _source(raw, paths)
    given = mapping.read(Path(config.map)) if config.map is not None else None
    pairs = [merging.Pair(*two, "same_as") for two in raw.same]
    pairs += [pair for name in config.sssom for pair in merging.read_sssom(Path(name))]
    merges = merging.merge(raw, pairs, given.apart if given else ())
    drafted = None
    if given is None:
        drafted = drafting.draft(raw, layer, config.license, source)
        words, where = drafted.mapping, f"draft for {layer}"
        text = mapping.written(words, drafted.remarks)
    else:
        words, where = given, str(config.map)
        text = Path(where).read_text(encoding="utf-8")
        layer = config.layer or words.layer or layer
        source = config.source or words.source or source
    schema = mapping.resolved(words, where)
    license = words.license if config.license == "unknown" and words.license else config.license
    found = translation.to_layer(raw, words, schema, translation.Origin(layer, source, license))
    kept = scope.within(found.layer, config.scope, schema)
    return Imported(
        kept,
        schema,
        words,
        text,
        reporting.report(raw, found._replace(layer=kept), schema, drafted, merges),
        tuple(merges),
    )


def build(made: Imported, before: Sequence[Layer] = (), licenses: Sequence[str] | None = None) -> Build:
    """The graph of an import, alone or after other layers (which win where they disagree).

    Raises:
        InputError: as `kg.build.assemble`.
    """
    with store.uncollected():
        whole = assemble(made.schema, [*before, made.layer], licenses, made.mapping.apart)
    whole.graph = replace(whole.graph, merges=(*made.merges, *whole.graph.merges))
    return whole


def save(made: Imported, folder: Path, before: Sequence[Layer] = (), licenses: Sequence[str] | None = None) -> Build:
    """Write the graph as `python -m kg build` does, with mapping.yaml and import.txt (the report) beside it."""
    whole = build(made, before, licenses)
    store.save(whole.graph, made.schema, folder, {"graph_sha256": whole.graph.sha256})
    for name, text in (("mapping.yaml", made.mapping_text), ("import.txt", made.report)):
        with store.replacing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return whole


def _layer_name(paths: Sequence[Path]) -> str:
    stem = bare_name(paths[0]).partition(".")[0]
    for ending in ("_nodes", "_edges", "-nodes", "-edges"):
        stem = stem.removesuffix(ending)
    return slug(stem).replace("-", "_") or "user"


def _source(raw: Raw, paths: Sequence[Path]) -> str:
    return f"{paths[0].name} ({raw.version})" if raw.version else paths[0].name
