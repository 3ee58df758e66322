"""The curated core: one TSV of facts a topic, plus entities.tsv (synonyms, xrefs), complete.tsv and denied.tsv.

Files lie in kg/data/core/ (or any folder of that form, `--core FOLDER`); kg/data/README.md tells how to add a
fact. Entity ids are `core:` and a slug of the label, so that a row needs nothing but names; genes get `gene:SYMBOL`,
the id that every layer uses for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError, nearest
from kg.graph import Complete, Fact, Layer, Node, edge_id
from kg.names import slug
from kg.schema import BACKWARD, FORWARD, Schema
from kg.sources.tables import Row, read_tsv, split_list

VERSION = "0.1.0"
LICENSE = "Apache-2.0"
FACT_COLUMNS = ("head", "head_category", "predicate", "tail", "tail_category", "qualifier", "reference", "note")
ENTITY_COLUMNS = ("label", "category", "synonyms", "xrefs")
COMPLETE_COLUMNS = ("entity", "predicate", "direction", "reference", "note")
DENIED_COLUMNS = ("entity", "predicate", "direction", "values", "reference", "note")
MAX_LABEL = 70
NOT_TOPICS = {"entities.tsv", "complete.tsv", "denied.tsv"}


class _Seen(NamedTuple):
    category: str
    place: str
    label: str


def core_folder() -> Path:
    """The embedded tables."""
    return Path(str(resources.files("kg").joinpath("data/core")))


def load(schema: Schema, folder: Path | None = None) -> Layer:
    """Read the core.

    Raises:
        InputError: the first fault, with file and row (`python -m kg check-core` lists all).
    """
    folder = folder or core_folder()
    reader = Reader(schema)
    for row, topic in _rows(folder):
        reader.fact(row, topic)
    return reader.layer(folder)


def faults(schema: Schema, folder: Path | None = None) -> list[str]:
    """Every faulty row of the fact tables, or else the first fault of the other two tables."""
    folder = folder or core_folder()
    reader, found = Reader(schema), []
    for row, topic in _rows(folder):
        try:
            reader.fact(row, topic)
        except InputError as error:
            found.append(str(error))
    if not found:
        try:
            reader.layer(folder)
        except InputError as error:
            found.append(str(error))
    return found


def _rows(folder: Path) -> Iterator[tuple[Row, str]]:
    topics = sorted(path for path in folder.glob("*.tsv") if path.name not in NOT_TOPICS)
    if not topics:
        raise InputError(f"{folder}: holds no *.tsv table of facts; give a folder of topic tables")
    for path in topics:
        for row in read_tsv(path, FACT_COLUMNS):
            yield row, path.stem


class Reader:
    """Collects nodes and facts from rows; one method a table."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.seen: dict[str, _Seen] = {}
        self.facts: dict[str, Fact] = {}

    def fact(self, row: Row, topic: str) -> None:
        cells = row.cells
        predicate = self.schema.predicates.get(cells["predicate"])
        if predicate is None:
            known = nearest(cells["predicate"], self.schema.predicates)
            raise InputError(f"{row.place}: unknown predicate {cells['predicate']!r}; {known}")
        head = self._entity(row, "head", predicate.domain)
        tail = self._entity(row, "tail", predicate.range)
        name = predicate.name
        if predicate.inverse_of:
            head, tail, name = tail, head, predicate.inverse_of
        qualifier, reference = cells["qualifier"] or None, cells["reference"] or None
        key = edge_id("core", head, name, tail, qualifier)
        before = self.facts.get(key)
        if before is None or (reference and (not before.reference or reference < before.reference)):
            source = f"neuro-si core {VERSION}/{topic}"
            self.facts[key] = Fact(key, head, name, tail, "core", source, LICENSE, qualifier, reference)

    def _entity(self, row: Row, side: str, allowed: frozenset[str]) -> str:
        label, category = row.cells[side], row.cells[f"{side}_category"]
        if category not in self.schema.categories:
            raise InputError(f"{row.place}: unknown category {category!r}; {nearest(category, self.schema.categories)}")
        if not self.schema.fits(category, allowed):
            raise InputError(
                f"{row.place}: {side} {label!r} is a {category}, but {row.cells['predicate']!r} takes "
                f"{', '.join(sorted(allowed))}; change the predicate or the category"
            )
        return self.node_id(label, category, row.place)

    def node_id(self, label: str, category: str, place: str) -> str:
        """The id of an entity, after checking that its name and category agree with earlier rows."""
        if not label or len(label) > MAX_LABEL or not label.isprintable():
            raise InputError(f"{place}: label {label[:80]!r} is empty, over {MAX_LABEL} characters or not plain text")
        node = f"gene:{label}" if category == "gene" else f"core:{slug(label)}"
        first = self.seen.setdefault(node, _Seen(category, place, label))
        if first.label != label:
            raise InputError(f"{place}: label {label!r} is written {first.label!r} at {first.place}; use one spelling")
        if first.category != category:
            raise InputError(
                f"{place}: {label!r} is a {category} here, a {first.category} at {first.place}; use one category"
            )
        return node

    def layer(self, folder: Path) -> Layer:
        extra = self._synonyms(folder / "entities.tsv")
        source = f"neuro-si core {VERSION}"
        nodes = [
            Node(node, seen.label, seen.category, *extra.get(node, ((), ())), source=source, license=LICENSE)
            for node, seen in sorted(self.seen.items())
        ]
        stated = [self.facts[key] for key in sorted(self.facts)]
        denied = self._denied(folder / "denied.tsv")
        return Layer("core", nodes, [*stated, *denied], complete=self._complete(folder / "complete.tsv"))

    def _synonyms(self, path: Path) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        extra: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        for row in read_tsv(path, ENTITY_COLUMNS) if path.exists() else ():
            label, category = row.cells["label"], row.cells["category"]
            node = f"gene:{label}" if category == "gene" else f"core:{slug(label)}"
            if node not in self.seen:
                raise InputError(
                    f"{row.place}: {label!r} ({category}) occurs in no fact; remove the row or fix the label"
                )
            extra[node] = (split_list(row.cells["synonyms"]), split_list(row.cells["xrefs"]))
        return extra

    def _denied(self, path: Path) -> list[Fact]:
        """Negated facts: what an expert says each entity does not do."""
        stated = {(fact.head_id, fact.predicate, fact.tail_id) for fact in self.facts.values()}
        found: dict[str, Fact] = {}
        for row in read_tsv(path, DENIED_COLUMNS) if path.exists() else ():
            cells = row.cells
            name, backward = cells["predicate"], self._backward(row)
            entity = self._known(row, cells["entity"], name, "tail" if backward else "head")
            for label in split_list(cells["values"]):
                value = self._known(row, label, name, "head" if backward else "tail")
                head, tail = (value, entity) if backward else (entity, value)
                if (head, name, tail) in stated:
                    raise InputError(
                        f"{row.place}: {cells['entity']!r} {name} {label!r} is denied here and stated in a table of "
                        "facts; remove one of the two"
                    )
                key = edge_id("core", head, name, tail, negated=True)
                found[key] = Fact(
                    key, head, name, tail, "core", f"neuro-si core {VERSION}/denied", LICENSE,
                    reference=cells["reference"] or None, negated=True, askable=False,
                )  # fmt: skip
        return [found[key] for key in sorted(found)]

    def _backward(self, row: Row) -> bool:
        name, direction = row.cells["predicate"], row.cells["direction"]
        if name not in self.schema.predicates or self.schema.predicates[name].inverse_of:
            known = [predicate.name for predicate in self.schema.predicates.values() if not predicate.inverse_of]
            raise InputError(f"{row.place}: unknown predicate {name!r}; {nearest(name, known)}")
        if direction not in (FORWARD, BACKWARD):
            raise InputError(f"{row.place}: direction is {direction!r}; give {FORWARD!r} or {BACKWARD!r}")
        return direction == BACKWARD

    def _known(self, row: Row, label: str, name: str, side: str) -> str:
        """The id of an entity of the fact tables that may stand on that side of a predicate."""
        predicate = self.schema.predicates[name]
        allowed = predicate.domain if side == "head" else predicate.range
        named = [node for node in (f"core:{slug(label)}", f"gene:{label}") if node in self.seen]
        for node in named:
            if self.seen[node].label == label and self.schema.fits(self.seen[node].category, allowed):
                return node
        raise InputError(
            f"{row.place}: {label!r} occurs in no fact as something that can be the {side} of {name!r} "
            f"({', '.join(sorted(allowed))}); fix the label or remove it"
        )

    def _complete(self, path: Path) -> list[Complete]:
        ids = {seen.label: node for node, seen in self.seen.items()}
        known = {(f.head_id, f.predicate, FORWARD) for f in self.facts.values()}
        known |= {(f.tail_id, f.predicate, BACKWARD) for f in self.facts.values()}
        found: list[Complete] = []
        for row in read_tsv(path, COMPLETE_COLUMNS) if path.exists() else ():
            cells = row.cells
            entry = (ids.get(cells["entity"], ""), cells["predicate"], cells["direction"])
            if entry not in known:
                raise InputError(
                    f"{row.place}: no fact gives {cells['entity']!r} a value of {cells['predicate']!r} "
                    f"{cells['direction']}; a complete list needs its values in the fact tables"
                )
            found.append(Complete(*entry, cells["reference"] or None))
        return found
