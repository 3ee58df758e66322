"""Graphs of general tools: networkx objects, node-link JSON, GraphML.

A node's name is its attribute `label` or `name` (or its id), its type `category`, `kind`, `type` or `labels`; an edge's
predicate is `predicate`, `relation`, `type`, `kind` or its key or label. Undirected graphs give symmetric claims.
GraphML is read with the standard library's expat, entities refused; networkx's own reader expands them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import networkx as nx

from kg.errors import InputError
from kg.sources import clean, rows
from kg.sources.opening import open_bytes, open_text
from kg.sources.raw import Raw, Relation, Thing

NAME_KEYS = ("label", "name", "title")
TYPE_KEYS = ("category", "kind", "type", "node_type", "labels", "class")
PREDICATE_KEYS = ("predicate", "relation", "relationship", "type", "kind", "label", "edge_type", "key")
TRUE = frozenset({"true", "1", "yes"})


def from_networkx(graph: nx.Graph) -> Raw:
    """A networkx graph of any kind, read as its attributes say.

    Raises:
        InputError: an edge names no predicate.
    """
    keyed = (
        graph.edges(keys=True, data=True)
        if graph.is_multigraph()
        else ((a, b, None, data) for a, b, data in graph.edges(data=True))
    )
    edges = ((str(a), str(b), {"key": key, **data}) for a, b, key, data in keyed)
    return _raw(
        "networkx", ((str(name), data) for name, data in graph.nodes(data=True)), edges, graph.is_directed(), "graph"
    )


def read_json(path: Path) -> Raw:
    """Node-link JSON as networkx, D3 and Cytoscape write it.

    Raises:
        InputError: no list of nodes and of links (or edges).
    """
    with open_text(path) as text:
        record = rows.load_json(text.read(), str(path))
    if isinstance(record, dict) and isinstance(record.get("elements"), dict):  # Cytoscape
        record = {
            key: [one.get("data", {}) for one in record["elements"].get(key, []) if isinstance(one, dict)]
            for key in ("nodes", "edges")
        }
    links = record.get("links", record.get("edges")) if isinstance(record, dict) else None
    if not isinstance(links, list) or not isinstance(record.get("nodes"), list):
        raise InputError(
            f"{path}: needs the lists 'nodes' and 'links' (or 'edges'); write it with networkx.node_link_data"
        )
    nodes = [(_id(node, f"{path}: node {number}"), node) for number, node in enumerate(record["nodes"], start=1)]
    edges = [(*_ends(edge, f"{path}: link {number}"), edge) for number, edge in enumerate(links, start=1)]
    return _raw("node_link", nodes, edges, bool(record.get("directed", True)), str(path))


def _id(node: Any, place: str) -> str:
    if not isinstance(node, dict):
        return str(node)
    if "id" not in node:
        raise InputError(f"{place}: has no 'id'; every node needs one")
    return str(node["id"])


def _ends(edge: Any, place: str) -> tuple[str, str]:
    if not isinstance(edge, dict) or "source" not in edge or "target" not in edge:
        raise InputError(f"{place}: has no 'source' and 'target'; every link needs both")
    return str(edge["source"]), str(edge["target"])


def _raw(
    format: str,
    nodes: Iterable[tuple[str, Any]],
    edges: Iterable[tuple[str, str, Mapping[str, Any]]],
    directed: bool,
    place: str,
) -> Raw:
    raw = Raw(format)
    for name, data in nodes:
        given = data if isinstance(data, Mapping) else {}
        synonyms = given.get("synonyms") or ()
        names = synonyms if isinstance(synonyms, list | tuple) else str(synonyms).split("|")
        label = clean.label(_first(given, NAME_KEYS) or name)
        kind = _first(given, TYPE_KEYS).lstrip(":").split("|")[0]
        raw.add(Thing(name if ":" in name else f"user:{name}", label, kind, tuple(str(one) for one in names if one)))
    for number, (head, tail, data) in enumerate(edges, start=1):
        predicate = _first(data, PREDICATE_KEYS)
        if not predicate or predicate.isdigit():
            raise InputError(
                f"{place}: edge {number} ({head} -> {tail}) names no predicate; give edges one of "
                f"{', '.join(PREDICATE_KEYS[:4])}"
            )
        ends = [name if ":" in name else f"user:{name}" for name in (head, tail)]
        raw.claim(
            ends[0],
            predicate,
            ends[1],
            qualifier=_first(data, ("qualifier",)) or None,
            source=raw.share(_first(data, ("source_name",))),
            license=raw.share(_first(data, ("license",))),
            reference=_first(data, ("reference",)) or None,
            negated=_first(data, ("negated",)).lower() in TRUE,
        )
        if not directed:
            raw.relations[predicate] = Relation(symmetric=True)
    return raw


def _first(data: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((rows.text_of(data[key]) for key in keys if data.get(key) not in (None, "")), "")


# --- GraphML ------------------------------------------------------------------------------------------


def read_graphml(path: Path) -> Raw:
    """GraphML as networkx, yEd, Gephi and Neo4j write it.

    Raises:
        InputError: not well formed (named by line), an entity declaration, or an edge without a predicate.
    """
    reader = _GraphML(path)
    with open_bytes(path) as stream:
        reader.parse(stream)
    return _raw("graphml", reader.nodes, reader.edges, reader.directed, str(path))


class _GraphML:
    def __init__(self, path: Path) -> None:
        self.path, self.directed = path, True
        self.keys: dict[str, str] = {}
        self.nodes: list[tuple[str, dict[str, str]]] = []
        self.edges: list[tuple[str, str, dict[str, str]]] = []
        self.open: dict[str, str] | None = None
        self.key, self.text = "", ""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.refuse

    def parse(self, stream: IO[bytes]) -> None:
        try:
            while block := stream.read(1 << 16):
                self.parser.Parse(block)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise InputError(
                f"{self.path}:{error.lineno}: is not well-formed XML: "
                f"{expat.ErrorString(error.code)}; write the file anew"
            ) from error

    def refuse(self, *_: object) -> None:
        raise InputError(
            f"{self.path}:{self.parser.CurrentLineNumber}: declares an XML entity, which is refused; "
            "write the file without a DTD"
        )

    def start(self, tag: str, given: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        line = self.parser.CurrentLineNumber
        if tag == "graph":
            self.directed = given.get("edgedefault", "directed") == "directed"
        elif tag == "key":
            self.keys[given.get("id", "")] = given.get("attr.name", given.get("id", ""))
        elif tag == "node":
            self.open = dict(given)
            self.nodes.append((self._need(given, "id", line), self.open))
        elif tag == "edge":
            self.open = {key: value for key, value in given.items() if key not in ("source", "target", "id")}
            self.edges.append((self._need(given, "source", line), self._need(given, "target", line), self.open))
        elif tag == "data":
            self.key, self.text = self.keys.get(given.get("key", ""), given.get("key", "")), ""

    def _need(self, given: dict[str, str], name: str, line: int) -> str:
        if name not in given:
            raise InputError(f"{self.path}:{line}: an element lacks {name!r}; write the file anew")
        return given[name]

    def characters(self, text: str) -> None:
        if self.key:
            self.text += text

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "data" and self.key:
            if self.open is not None:
                self.open[self.key.lower()] = self.text.strip()
            self.key = ""
        elif tag in ("node", "edge"):
            self.open = None
