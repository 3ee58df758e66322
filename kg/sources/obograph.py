"""OBO Graphs JSON: nodes, edges, logical definitions and equivalences of an ontology.

IRIs become CURIEs (`http://purl.obolibrary.org/obo/UBERON_0000955` -> `UBERON:0000955`). Logical definitions become
facts: a kind, and what its restrictions say.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.sources import clean, rows
from kg.sources.opening import open_text
from kg.sources.raw import SUB_CLASS, Raw, Relation, Thing

FORMAT = "obograph"
_OBO = re.compile(r"^https?://purl\.obolibrary\.org/obo/(?:\w+/)?([A-Za-z]+(?:_[A-Za-z]+)*)_(\w+)$")
_LAST = re.compile(r"[/#]([^/#]+)$")
_NAMESPACES = frozenset({"biological_process", "molecular_function", "cellular_component"})
_AXIOMS = frozenset({"subPropertyOf", "inverseOf", "type"})


def curie(iri: str) -> str:
    """`UBERON:0000955` for an OBO IRI; the last part of any other IRI.

    >>> curie("http://purl.obolibrary.org/obo/BFO_0000050"), curie("http://purl.obolibrary.org/obo/uberon/core#channel_for")
    ('BFO:0000050', 'channel_for')
    """
    if match := _OBO.match(iri):
        return f"{match[1]}:{match[2]}"
    found = _LAST.search(iri) if "://" in iri else None
    return found[1] if found else iri


def read(path: Path) -> Raw:
    """Read an OBO Graphs JSON.

    Raises:
        InputError: not JSON, or not of this form (the place is named).
    """
    with open_text(path) as text:
        record = rows.load_json(text.read(), str(path))
    graphs = record.get("graphs") if isinstance(record, dict) else None
    if not isinstance(graphs, list):
        raise InputError(f"{path}: has no list 'graphs'; give an OBO Graphs JSON")
    raw = Raw(FORMAT)
    for graph in graphs:
        _graph(raw, graph, str(path))
    return raw


def _list(graph: Any, name: str, place: str) -> list[dict[str, Any]]:
    found = graph.get(name, []) if isinstance(graph, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"{place}: {name!r} is no list of objects; give an OBO Graphs JSON")
    return found


def _graph(raw: Raw, graph: Any, place: str) -> None:
    meta = graph.get("meta") if isinstance(graph, dict) else None
    raw.version = raw.version or (
        str(meta.get("version", "")).rsplit("/releases/")[-1].split("/")[0] if isinstance(meta, dict) else ""
    )
    for node in _list(graph, "nodes", place):
        _node(raw, node)
    for edge in _list(graph, "edges", place):
        _edge(raw, edge)
    for axiom in _list(graph, "logicalDefinitionAxioms", place):
        _definition(raw, axiom)
    for entry in _list(graph, "equivalentNodesSets", place):
        ids = [curie(str(one)) for one in entry.get("nodeIds", []) if one]
        raw.same += [(ids[0], other) for other in ids[1:]]


def _node(raw: Raw, node: dict[str, Any]) -> None:
    given = node.get("meta")
    meta: dict[str, Any] = given if isinstance(given, dict) else {}
    name, label = curie(str(node.get("id", ""))), clean.label(str(node.get("lbl") or ""))
    if node.get("type") == "PROPERTY":
        raw.relations[name] = Relation(label)
    elif meta.get("deprecated"):
        raw.dropped["obsolete term"] += 1
    elif not label or not name:
        raw.dropped["term without a name"] += 1
    else:
        synonyms = [
            clean.label(str(one.get("val", "")))
            for one in _list(meta, "synonyms", name)
            if one.get("pred") == "hasExactSynonym"
        ]
        xrefs = [str(one.get("val", "")) for one in _list(meta, "xrefs", name)]
        raw.add(
            Thing(
                name,
                label,
                _namespace(meta, name),
                tuple(dict.fromkeys(synonyms)),
                tuple(x for x in xrefs if ":" in x and "//" not in x),
            )
        )


def _namespace(meta: dict[str, Any], name: str) -> str:
    for value in _list(meta, "basicPropertyValues", name):
        if str(value.get("pred", "")).endswith("hasOBONamespace") and value.get("val") in _NAMESPACES:
            return str(value["val"])
    return ""


def _edge(raw: Raw, edge: dict[str, Any]) -> None:
    predicate = str(edge.get("pred", ""))
    if predicate in _AXIOMS or not edge.get("sub") or not edge.get("obj") or not predicate:
        raw.dropped["edge between relations, or incomplete"] += 1
        return
    raw.claim(
        curie(str(edge["sub"])), SUB_CLASS if predicate == SUB_CLASS else curie(predicate), curie(str(edge["obj"]))
    )


def _definition(raw: Raw, axiom: dict[str, Any]) -> None:
    name = curie(str(axiom.get("definedClassId", "")))
    for genus in axiom.get("genusIds") or ():
        raw.claim(name, SUB_CLASS, curie(str(genus)))
    for one in axiom.get("restrictions") or ():
        if isinstance(one, dict) and one.get("propertyId") and one.get("fillerId"):
            raw.claim(name, curie(str(one["propertyId"])), curie(str(one["fillerId"])))
