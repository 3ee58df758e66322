"""What the house asks of the core's rows beyond what a graph needs: `python -m kg check-core` for a contributor's edit.

Loading a core (kg/sources/core.py) does not ask this, so that tables of your own may be plainer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from kg import blueprint, rulings
from kg.alignment import align, kind
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Fact, Layer
from kg.names import key
from kg.schema import Step
from kg.sources.core_facts import Reader, topic
from kg.sources.core_lists import COMPLETE_COLUMNS, DENIED_COLUMNS, ENTITY_COLUMNS
from kg.sources.tables import Report, Row, read_tsv, split_list
from kg.validate import findings

MAX_QUALIFIER = 80
_GENE = re.compile(r"[A-Z][A-Z0-9-]*(?:orf\d+)?[A-Z0-9]*")
_TOPIC = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_XREF = re.compile(r"[A-Za-z][A-Za-z0-9_.]*:\S+")
# an address, an identifier, or a book with the number of a chapter, section or page
_REFERENCE = re.compile(r"https?://\S+\.\S+|(?:PMID|PMCID|ISBN|doi|DOI): ?\S*\d\S*|(?=.*[A-Za-z]{3})(?=.*\d).{12,}")
_REMEDY = {
    "several values of a functional predicate": "keep one row, or give the others a qualifier that says when",
    "contradiction": "remove one, or give it a qualifier that says when",
}


def rows(facts: Iterable[tuple[Row, str]], report: Report) -> None:
    """Rules for single rows of fact tables, and for rows that say one thing twice."""
    said: dict[tuple[str, ...], str] = {}
    topics: set[str] = set()
    for row, name in facts:
        for fault in _row(row, said.get(_said(row, name))):
            report(InputError(f"{row.place}: {fault}"))
        said.setdefault(_said(row, name), row.place)
        if name not in topics and not _TOPIC.fullmatch(name):
            report(InputError(f"{row.place}: the table's name {name!r} is the topic; write small_words_like_this.tsv"))
        topics.add(name)


def _said(row: Row, name: str) -> tuple[str, ...]:
    return (name, *(cell for column, cell in row.cells.items() if column not in ("reference", "note")))


def _row(row: Row, before: str | None) -> Iterable[str]:
    cells = row.cells
    if before:
        yield f"says what {before} says; remove one of the two"
    for side in ("head", "tail"):
        label = cells[side]
        if re.match(r"the\s", label, re.IGNORECASE):
            yield f"{side} {label!r} begins with an article; write {label[4:].strip()!r}"
        if "|" in label or "  " in label:
            yield f"{side} {label!r} holds '|' or two blanks; lists of labels could not tell it: write it without"
        if cells[f"{side}_category"] == "gene" and not _GENE.fullmatch(label):
            yield f"{side} {label!r} is no HGNC symbol; write {label.upper()!r}, or the protein under a category of its own"
    if fault := _qualifier(cells["qualifier"]):
        yield fault
    if fault := _reference(cells["reference"]):
        yield fault


def _qualifier(text: str) -> str:
    if text and (text[0].isupper() or text[-1] in ".,;:" or len(text) > MAX_QUALIFIER):
        return (
            f"qualifier {text[:MAX_QUALIFIER]!r} is no phrase that could open a sentence; write it small, short and without "
            "a final mark: 'in rodents'"
        )
    return ""


def _reference(text: str) -> str:
    if text and not _REFERENCE.fullmatch(text):
        return (
            f"reference {text!r} cannot be looked up; give the address, PMID:, doi: or book and chapter of the passage you "
            "read, or leave the cell empty"
        )
    return ""


def lists(reader: Reader, folder: Path, report: Report) -> None:
    """Rules for the tables beside the facts."""
    _names(reader, folder / "entities.tsv", report)
    for name, columns in (("complete.tsv", COMPLETE_COLUMNS), ("denied.tsv", DENIED_COLUMNS)):
        said: dict[tuple[str, ...], str] = {}
        for row in _read(folder / name, columns):
            entry = tuple(row.cells[column] for column in ("entity", "predicate", "direction"))
            if before := said.get(entry):
                report(InputError(f"{row.place}: is about what {before} is about; make them one row"))
            said.setdefault(entry, row.place)
            values = [value.strip() for value in row.cells.get("values", "").split("|")]
            if any(values) and (double := sorted({value for value in values if values.count(value) > 1 or not value})):
                report(InputError(f"{row.place}: {double[0]!r} is doubled or empty among the values; name each once"))
            if fault := _reference(row.cells["reference"]):
                report(InputError(f"{row.place}: {fault}"))


def _read(path: Path, columns: tuple[str, ...]) -> Iterable[Row]:
    return read_tsv(path, columns) if path.exists() else ()


def _names(reader: Reader, path: Path, report: Report) -> None:
    """Rules for entities.tsv: one row an entity, identifiers with a prefix, no synonym that is another entity's label."""
    schema = reader.schema
    labels = {(key(seen.label), kind(seen.category, schema)): seen for seen in reader.seen.values()}
    rows_of: dict[tuple[str, str], str] = {}
    for row in _read(path, ENTITY_COLUMNS):
        label, category = row.cells["label"], row.cells["category"]
        if before := rows_of.get((label, category)):
            report(InputError(f"{row.place}: {label!r} has a row at {before}; make them one"))
        rows_of.setdefault((label, category), row.place)
        for synonym in split_list(row.cells["synonyms"]):
            other = labels.get((key(synonym), kind(category, schema)))
            if synonym == label:
                report(InputError(f"{row.place}: {label!r} is no synonym of itself; remove it"))
            elif other and other.label != label:
                report(
                    InputError(
                        f"{row.place}: synonym {synonym!r} of {label!r} is the label of another entity ({other.place}); "
                        f"write {label!r} there, or remove the synonym"
                    )
                )
        for xref in split_list(row.cells["xrefs"]):
            if not _XREF.fullmatch(xref):
                report(
                    InputError(f"{row.place}: xref {xref!r} has no prefix; write it as symbol:SCN1A or UBERON:0001644")
                )


def whole(reader: Reader, layer: Layer, folder: Path, report: Report) -> None:
    """Rules for the core as one graph: those of kg/validate.py, denials of what is entailed, and the blueprint's rows."""
    graph = align([layer], reader.schema)
    for finding in filter(lambda one: one.hard, findings(graph, reader.schema)):
        places = sorted({reader.places[edge] for edge in finding.facts if edge in reader.places})
        remedy = _REMEDY.get(finding.kind, "mend or remove one of these rows")
        report(InputError(f"{' and '.join(places) or folder}: {finding.kind}: {finding.text}; {remedy}"))
    closure = Closure(graph, reader.schema)
    for fact in graph.negated.values():
        if _follows(closure, fact):
            said = f"{graph.label(fact.head_id)!r} {fact.predicate} {graph.label(fact.tail_id)!r}"
            report(
                InputError(f"{reader.places[fact.edge_id]}: {said} is denied but follows from stated facts; remove it")
            )
    try:
        rulings.read(folder)
    except InputError as error:
        report(error)
    blueprint.check(folder, reader.schema, {topic(fact) for fact in reader.facts.values()}, report)


def _follows(closure: Closure, fact: Fact) -> bool:
    return fact.tail_id in closure.entailed(fact.head_id, Step(fact.predicate)) or fact.head_id in closure.entailed(
        fact.tail_id, Step(fact.predicate, inverse=True)
    )
