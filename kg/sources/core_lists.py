"""The core's tables beside its facts: entities.tsv, complete.tsv, denied.tsv.

entities.tsv gives entities of the fact tables their synonyms and identifiers. complete.tsv says which lists are whole,
denied.tsv what is not so; rows of both name an entity, a predicate and a direction, and are checked alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from kg.errors import InputError, nearest
from kg.graph import Complete, Fact, Layer, edge_id
from kg.names import slug
from kg.schema import BACKWARD, FORWARD
from kg.sources.core_facts import LICENSE, SOURCE, Names, Reader, entity_id
from kg.sources.tables import Report, Row, read_tsv, split_list

ENTITY_COLUMNS = ("label", "category", "synonyms", "xrefs")
COMPLETE_COLUMNS = ("entity", "predicate", "direction", "reference", "note")
DENIED_COLUMNS = ("entity", "predicate", "direction", "values", "reference", "note")

Taken = TypeVar("Taken")


def layer(reader: Reader, folder: Path, report: Report) -> Layer:
    """The core as a layer, from the facts read before; faulty rows of the other tables go to `report`."""
    names = _each(folder / "entities.tsv", ENTITY_COLUMNS, report, lambda row: [_names(reader, row)])
    valued = {(f.head_id, f.predicate, FORWARD) for f in reader.facts.values()}
    valued |= {(f.tail_id, f.predicate, BACKWARD) for f in reader.facts.values()}
    complete = _each(folder / "complete.tsv", COMPLETE_COLUMNS, report, lambda row: [_complete(reader, row, valued)])
    stated = {(fact.head_id, fact.predicate, fact.tail_id) for fact in reader.facts.values()}
    denied = _each(folder / "denied.tsv", DENIED_COLUMNS, report, lambda row: list(_denied(reader, row, stated)))
    negated = {fact.edge_id: fact for fact in denied}
    facts = [table[key] for table in (reader.facts, negated) for key in sorted(table)]
    return Layer("core", reader.nodes(dict(names)), facts, complete=list(complete))


def _each(path: Path, columns: tuple[str, ...], report: Report, take: Callable[[Row], list[Taken]]) -> Iterator[Taken]:
    """What `take` makes of each row of a table that need not be there."""
    for row in read_tsv(path, columns, report) if path.exists() else ():
        try:
            yield from take(row)
        except InputError as error:
            report(error)


def _names(reader: Reader, row: Row) -> tuple[str, Names]:
    label, category = row.cells["label"], row.cells["category"]
    node = entity_id(label, category)
    if node not in reader.seen:
        raise InputError(f"{row.place}: {label!r} ({category}) occurs in no fact; remove the row or fix the label")
    return node, (split_list(row.cells["synonyms"]), split_list(row.cells["xrefs"]))


def _complete(reader: Reader, row: Row, valued: set[tuple[str, str, str]]) -> Complete:
    name, direction = about(reader, row)
    entity = known(reader, row, row.cells["entity"], name, "tail" if direction == BACKWARD else "head")
    if (entity, name, direction) not in valued:
        raise InputError(
            f"{row.place}: no fact gives {row.cells['entity']!r} a value of {name!r} {direction}; a complete list needs "
            "its values in the fact tables: add them or remove the row"
        )
    return Complete(entity, name, direction, row.cells["reference"] or None)


def _denied(reader: Reader, row: Row, stated: set[tuple[str, str, str]]) -> Iterator[Fact]:
    """Negated facts: what an expert says an entity does not do."""
    name, direction = about(reader, row)
    label, backward = row.cells["entity"], direction == BACKWARD
    entity = known(reader, row, label, name, "tail" if backward else "head")
    values = split_list(row.cells["values"])
    if not values:
        raise InputError(
            f"{row.place}: denies {name!r} of {label!r} without values; name some ('|' between) or remove it"
        )
    for other in values:
        value = known(reader, row, other, name, "head" if backward else "tail")
        head, tail = (value, entity) if backward else (entity, value)
        if head == tail:
            raise InputError(
                f"{row.place}: {label!r} {name} itself is denied, which nobody would say; remove the value"
            )
        if (head, name, tail) in stated:
            raise InputError(
                f"{row.place}: {label!r} {name} {other!r} is denied here and stated in a table of facts; "
                "remove one of the two"
            )
        key = edge_id("core", head, name, tail, negated=True)
        reader.places.setdefault(key, row.place)
        yield Fact(
            key, head, name, tail, "core", f"{SOURCE}/denied", LICENSE,
            reference=row.cells["reference"] or None, negated=True, askable=False,
        )  # fmt: skip


def about(reader: Reader, row: Row) -> tuple[str, str]:
    """The predicate and direction of a row, checked."""
    name, direction = row.cells["predicate"], row.cells["direction"]
    predicate = reader.schema.predicates.get(name)
    if predicate is None:
        raise InputError(f"{row.place}: unknown predicate {name!r}; {nearest(name, reader.schema.stored)}")
    if predicate.inverse_of:
        other = {FORWARD: BACKWARD, BACKWARD: FORWARD}.get(direction, "the other direction")
        raise InputError(
            f"{row.place}: {name!r} is stored as {predicate.inverse_of!r}; write {predicate.inverse_of!r} and {other!r}"
        )
    if direction not in (FORWARD, BACKWARD):
        raise InputError(f"{row.place}: direction is {direction!r}; give {FORWARD!r} or {BACKWARD!r}")
    return name, direction


def known(reader: Reader, row: Row, label: str, name: str, side: str) -> str:
    """The id of an entity of the fact tables that may stand on that side of a predicate."""
    predicate = reader.schema.predicates[name]
    allowed = predicate.domain if side == "head" else predicate.range
    named = [node for node in (f"core:{slug(label)}", f"gene:{label}") if node in reader.seen]
    for node in named:
        if reader.seen[node].label == label and reader.schema.fits(reader.seen[node].category, allowed):
            return node
    hint = nearest(label, [seen.label for seen in reader.seen.values() if reader.schema.fits(seen.category, allowed)])
    raise InputError(
        f"{row.place}: {label!r} occurs in no fact as something that can be the {side} of {name!r} "
        f"({', '.join(sorted(allowed))}); {hint}"
    )
