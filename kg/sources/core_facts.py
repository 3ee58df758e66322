"""The core's tables of facts: rows become entities and facts; the first row of a thing decides its spelling and category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError, nearest
from kg.graph import Fact, Node, edge_id
from kg.names import slug
from kg.schema import Schema
from kg.sources.tables import Report, Row, read_tsv, stop

VERSION = "0.1.0"
LICENSE = "Apache-2.0"
SOURCE = f"neuro-si core {VERSION}"
FACT_COLUMNS = ("head", "head_category", "predicate", "tail", "tail_category", "qualifier", "reference", "note")
MAX_LABEL = 70
NOT_TOPICS = frozenset({"entities.tsv", "complete.tsv", "denied.tsv", "blueprint.tsv", "resolved.tsv"})

Names = tuple[tuple[str, ...], tuple[str, ...]]  # synonyms, xrefs


class Seen(NamedTuple):
    """An entity as its first row has it."""

    category: str
    place: str
    label: str


def fact_rows(folder: Path, report: Report) -> Iterator[tuple[Row, str]]:
    """Rows of all tables of facts, with their topic, in the order of the topics' names.

    Raises:
        InputError: the folder holds no such table.
    """
    topics = sorted(path for path in folder.glob("*.tsv") if path.name not in NOT_TOPICS)
    if not topics:
        raise InputError(f"{folder}: holds no *.tsv table of facts; give a folder of topic tables")
    for path in topics:
        for row in read_tsv(path, FACT_COLUMNS, report):
            yield row, path.stem


def topic(fact: Fact) -> str:
    """The topic of a fact of the core: the table that states it, the first by name if several do."""
    return fact.source.partition("/")[2]


def entity_id(label: str, category: str) -> str:
    return f"gene:{label}" if category == "gene" else f"core:{slug(label)}"


class Reader:
    """Collects entities and facts from rows.

    Attributes:
        seen: id -> entity. facts: edge_id -> fact. places: edge_id -> `file:line` of the first row that states or denies it.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.seen: dict[str, Seen] = {}
        self.facts: dict[str, Fact] = {}
        self.places: dict[str, str] = {}

    def take(self, rows: Iterable[tuple[Row, str]], report: Report = stop) -> None:
        """Read every row; faults go to `report`."""
        for row, name in rows:
            try:
                self.fact(row, name)
            except InputError as error:
                report(error)

    def fact(self, row: Row, topic: str) -> None:
        cells = row.cells
        predicate = self.schema.predicates.get(cells["predicate"])
        if predicate is None:
            known = nearest(cells["predicate"], self.schema.predicates)
            raise InputError(f"{row.place}: unknown predicate {cells['predicate']!r}; {known}")
        head = self._entity(row, "head", predicate.domain)
        tail = self._entity(row, "tail", predicate.range)
        if head == tail:
            raise InputError(f"{row.place}: {cells['head']!r} {predicate.name} itself; head and tail must differ")
        name = predicate.name
        if predicate.inverse_of:
            head, tail, name = tail, head, predicate.inverse_of
        qualifier, reference = cells["qualifier"] or None, cells["reference"] or None
        key = edge_id("core", head, name, tail, qualifier)
        before = self.facts.get(key)
        if before is None:
            self.places[key] = row.place
            self.facts[key] = Fact(key, head, name, tail, "core", f"{SOURCE}/{topic}", LICENSE, qualifier, reference)
        elif reference and (not before.reference or reference < before.reference):
            self.facts[key] = replace(before, reference=reference)

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
        if not label:
            raise InputError(f"{place}: label {label!r} is empty; name the entity")
        if len(label) > MAX_LABEL or not label.isprintable():
            raise InputError(
                f"{place}: label {label[:80]!r} is over {MAX_LABEL} characters or not plain text; write a shorter, plain one"
            )
        node = entity_id(label, category)
        first = self.seen.setdefault(node, Seen(category, place, label))
        if first.label != label:
            raise InputError(f"{place}: label {label!r} is written {first.label!r} at {first.place}; use one spelling")
        if first.category != category:
            raise InputError(
                f"{place}: {label!r} is a {category} here, a {first.category} at {first.place}; use one category"
            )
        return node

    def nodes(self, names: dict[str, Names]) -> list[Node]:
        """The entities as nodes, with synonyms and xrefs by id."""
        return [
            Node(node, seen.label, seen.category, *names.get(node, ((), ())), source=SOURCE, license=LICENSE)
            for node, seen in sorted(self.seen.items())
        ]
