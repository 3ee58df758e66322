"""OWL (RDF/XML) and Turtle, N-Triples: named things and facts, with OWL's class expressions unwrapped.

`X subClassOf (R some Y)` and `X equivalentTo (A and (R some Y))` become `X R Y` and `X is_a A`; a filler that is an
intersection gives a fact for each of its named parts. Unions, complements and `only` restrictions state no fact and are
counted. Plain triples between named things are facts as they stand.

pyoxigraph parses: it streams, names the line of a fault and never fetches anything; rdflib holds every triple in Python
objects, some 1 kB each. Entity declarations that refer to other entities or to files are refused before it sees them.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from kg.errors import InputError
from kg.sources import clean
from kg.sources.obograph import curie
from kg.sources.opening import bare_name, open_bytes
from kg.sources.raw import SUB_CLASS, Raw, Relation, Thing

_RDF, _RDFS, _OWL = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
)
_SKOS, _OIO = "http://www.w3.org/2004/02/skos/core#", "http://www.geneontology.org/formats/oboInOwl#"
LABELS = (f"{_RDFS}label", f"{_SKOS}prefLabel", "http://schema.org/name", "http://xmlns.com/foaf/0.1/name")
SYNONYMS = frozenset({f"{_OIO}hasExactSynonym", f"{_SKOS}altLabel", "http://purl.obolibrary.org/obo/IAO_0000118"})
XREFS = frozenset({f"{_OIO}hasDbXref", f"{_SKOS}exactMatch"})
_STRUCTURE = (_RDF, _RDFS, _OWL)
_VOCABULARY = (*_STRUCTURE, _SKOS, _OIO, "http://purl.org/dc/", "http://www.w3.org/2001/XMLSchema#")
_PROPERTIES = frozenset(f"{_OWL}{name}" for name in ("ObjectProperty", "AnnotationProperty", "DatatypeProperty"))
_PROLOG = 1 << 16
FUNCTIONAL = (b"Prefix(", b"Ontology(")  # how functional syntax begins (kg/sources/functional.py)
_ENTITY = re.compile(rb"<!ENTITY\s+(%?\s*[\w.:-]+)\s+(SYSTEM|PUBLIC|\"[^\"]*\"|'[^']*')", re.IGNORECASE)
LONGEST_ENTITY = 200


def read(path: Path) -> Raw:
    """Read an OWL, Turtle or N-Triples file.

    Raises:
        InputError: pyoxigraph is missing, the syntax is wrong (named by line), or an entity declaration is refused.
    """
    model = _Model()
    for subject, predicate, value in _triples(path):
        model.add(subject, predicate, value)
    return model.raw()


def _triples(path: Path) -> Iterator[tuple[Any, str, Any]]:
    try:
        import pyoxigraph as ox
    except ImportError as error:
        raise InputError(
            f"{path}: reading OWL and Turtle needs pyoxigraph; run `pip install neuro-si[import]`"
        ) from error
    with open_bytes(path) as stream:
        start = stream.read(_PROLOG)
        format = _format(path, start, ox)
        source = io.BufferedReader(_Joined(start, stream))
        try:
            for quad in ox.parse(source, format=format, base_iri="http://example.org/"):
                yield quad.subject, quad.predicate.value, quad.object
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            raise InputError(f"{path}:{line or '?'}: {getattr(error, 'msg', None) or error}; mend the file") from error


class _Joined(io.RawIOBase):
    """Bytes read already, then the rest of a stream."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self.start, self.rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.start[: len(buffer)] or self.rest.read(len(buffer))
        self.start = self.start[len(data) :] if self.start else b""
        buffer[: len(data)] = data
        return len(data)


def _format(path: Path, start: bytes, ox: Any) -> Any:
    """Which syntax a file is in; .owl files hold several."""
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(FUNCTIONAL):
        raise InputError(f"{path}: is OWL functional syntax; give it the suffix .ofn or --format functional")
    if text.startswith(b"<?xml") or b"<rdf:RDF" in text[:4096] or b"<!DOCTYPE" in text[:4096]:
        _refuse_entities(path, start)
        return ox.RdfFormat.RDF_XML
    return ox.RdfFormat.N_TRIPLES if bare_name(path).endswith(".nt") else ox.RdfFormat.TURTLE


def _refuse_entities(path: Path, start: bytes) -> None:
    """Only short entities that stand for plain text (namespaces) pass."""
    if b"\x00" in start[:64]:
        raise InputError(f"{path}: is not UTF-8; save the file as UTF-8")
    prolog = start.partition(b"<rdf:RDF")[0]
    if prolog.count(b"<!ENTITY") != len(_ENTITY.findall(prolog)) or (b"<!DOCTYPE" in prolog and prolog == start):
        raise InputError(f"{path}: its DTD cannot be checked, so it is refused; write the file without one")
    for name, value in _ENTITY.findall(prolog):
        if (
            value[:1] not in b"\"'"
            or b"&" in value
            or b"%" in value
            or name.startswith(b"%")
            or len(value) > LONGEST_ENTITY
        ):
            shown = name.decode("utf-8", "replace")
            raise InputError(
                f"{path}: entity {shown!r} refers to a file or to other entities, which is refused; "
                "write the file without a DTD"
            )
    if re.search(rb"<!DOCTYPE[^\[>]*(SYSTEM|PUBLIC)", prolog):
        raise InputError(f"{path}: refers to an external DTD, which is refused; write the file without one")


class _Model:
    """What the triples said about names and classes, until facts can be read off."""

    def __init__(self) -> None:
        self.made = Raw("owl")
        self.labels: dict[str, tuple[int, str]] = {}
        self.synonyms: dict[str, list[str]] = defaultdict(list)
        self.xrefs: dict[str, list[str]] = defaultdict(list)
        self.types: dict[str, list[str]] = defaultdict(list)
        self.structure: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))  # blank nodes
        self.deprecated: set[str] = set()
        self.plain: list[tuple[str, str, str]] = []
        self.axioms: list[tuple[str, str, str]] = []  # subject, subClassOf (equivalentClass, broader), object

    def add(self, subject: Any, predicate: str, value: Any) -> None:
        name, literal = _key(subject), type(value).__name__ == "Literal"
        if literal:
            self._literal(name, predicate, value)
            return
        other = _key(value)
        if name.startswith("_:"):
            self.structure[name][predicate].append(other)
        elif predicate == f"{_RDF}type":
            self.types[name].append(other)
        elif predicate in (f"{_RDFS}subClassOf", f"{_OWL}equivalentClass"):
            self.axioms.append((name, predicate, other))
        elif predicate == f"{_OWL}sameAs" and not other.startswith("_:"):
            self.made.same.append((curie(name), curie(other)))
        elif predicate == f"{_SKOS}broader":
            self.axioms.append((name, predicate, other))
        elif predicate == f"{_SKOS}narrower":
            self.axioms.append((other, predicate, name))
        elif predicate in XREFS:
            self.xrefs[name].append(curie(other))
        elif not predicate.startswith(_VOCABULARY) and not other.startswith("_:"):
            self.plain.append((name, predicate, other))

    def _literal(self, name: str, predicate: str, value: Any) -> None:
        text = value.value
        if predicate in LABELS and (value.language or "en").startswith("en"):
            rank = LABELS.index(predicate)
            if name not in self.labels or rank < self.labels[name][0]:
                self.labels[name] = rank, clean.label(text)
        elif predicate in SYNONYMS and (value.language or "en").startswith("en"):
            self.synonyms[name].append(clean.label(text))
        elif predicate in XREFS and ":" in text and "//" not in text:
            self.xrefs[name].append(text)
        elif predicate == f"{_OWL}deprecated" and text in ("true", "1"):
            self.deprecated.add(name)
        elif predicate == f"{_OWL}versionInfo" and not self.made.version:
            self.made.version = text

    # --- reading off ----------------------------------------------------------------------------------

    def raw(self) -> Raw:
        raw = self.made
        for name, _, other in self.axioms:
            self._axiom(name, other)
        for name, predicate, other in self.plain:
            raw.claim(curie(name), curie(predicate), curie(other))
        for name, kinds in self.types.items():
            if _PROPERTIES & set(kinds):
                flags = {kind.removeprefix(_OWL) for kind in kinds}
                symmetric, transitive = "SymmetricProperty" in flags, "TransitiveProperty" in flags
                raw.relations[curie(name)] = Relation(
                    self._label(name), symmetric, transitive, "FunctionalProperty" in flags
                )
        self._things(raw)
        return raw

    def _label(self, name: str) -> str:
        return self.labels.get(name, (0, ""))[1]

    def _things(self, raw: Raw) -> None:
        used = {end for claim in raw.claims for end in (claim.head, claim.tail)}
        for name in sorted(set(self.labels) | set(self.types)):
            identity = curie(name)
            if name.startswith("_:") or identity in raw.relations or (not self._label(name) and identity not in used):
                continue
            if name in self.deprecated:
                raw.dropped["obsolete term"] += 1
                continue
            if not self._label(name):
                raw.dropped["term without a name"] += 1
                continue
            kinds = [kind for kind in self.types.get(name, ()) if not kind.startswith((*_STRUCTURE, "_:"))]
            kind = (self._label(kinds[0]) or curie(kinds[0])) if kinds else ""
            raw.add(
                Thing(
                    identity,
                    self._label(name),
                    kind,
                    tuple(dict.fromkeys(self.synonyms[name])),
                    tuple(dict.fromkeys(self.xrefs[name])),
                )
            )

    def _axiom(self, name: str, expression: str) -> None:
        for predicate, filler in self._facts(expression, frozenset()):
            if filler != name:
                self.made.claim(curie(name), SUB_CLASS if predicate == SUB_CLASS else curie(predicate), curie(filler))

    def _facts(self, expression: str, seen: frozenset[str]) -> Iterator[tuple[str, str]]:
        """(predicate, named filler) that being an instance of the expression implies."""
        if not expression.startswith("_:"):
            if not expression.startswith(_STRUCTURE):
                yield SUB_CLASS, expression
            return
        if expression in seen:
            return
        parts, seen = self.structure.get(expression, {}), seen | {expression}
        for first in parts.get(f"{_OWL}intersectionOf", ()):
            for member in self._list(first):
                yield from self._facts(member, seen)
        fillers = parts.get(f"{_OWL}someValuesFrom", []) + parts.get(f"{_OWL}hasValue", [])
        for relation in parts.get(f"{_OWL}onProperty", ()):
            for filler in fillers:
                for predicate, named in self._facts(filler, seen):
                    if predicate == SUB_CLASS:
                        yield relation, named
                    else:
                        self.made.dropped["restriction within a restriction"] += 1
        for kind in (
            "unionOf",
            "complementOf",
            "allValuesFrom",
            "minQualifiedCardinality",
            "maxQualifiedCardinality",
            "qualifiedCardinality",
        ):
            if parts.get(f"{_OWL}{kind}"):
                self.made.dropped[f"class expression that states no fact: {kind}"] += 1

    def _list(self, first: str) -> Iterator[str]:
        seen: set[str] = set()
        while first not in seen and first in self.structure:
            seen.add(first)
            yield from self.structure[first].get(f"{_RDF}first", ())
            first = next(iter(self.structure[first].get(f"{_RDF}rest", ())), "")


def _key(node: Any) -> str:
    return f"_:{node.value}" if type(node).__name__ == "BlankNode" else str(node.value)
