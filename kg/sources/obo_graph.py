"""A whole OBO file as a user's graph: terms, is_a, relationships, logical definitions, what relations mean.

The stanzas are read by kg/sources/obo.py; this adds the header, the `[Typedef]` stanzas, namespaces and
intersections. A relationship that holds in some taxon only (`gci_filler`) is kept and not asked. Own reading instead of
obonet or fastobo: 60 lines that name the line of a fault, where obonet loses it and fastobo refuses files in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kg.sources import clean, obo
from kg.sources.opening import numbered
from kg.sources.raw import SUB_CLASS, Raw, Relation, Thing

FORMAT = "obo"
_NAME = re.compile(r'^"?([^"{!]*)')


class _Tag(NamedTuple):
    """One `tag: value` line and the stanza that it stands in."""

    stanza: str
    id: str
    tag: str
    value: str


def read(path: Path) -> Raw:
    """Read an OBO file, packed or not.

    Raises:
        InputError: unreadable, not UTF-8, or a stanza without an id (named by line).
    """
    lines = [line for _, line in numbered(path)]
    raw = Raw(FORMAT)
    tags = list(_tags(lines))
    spaces = {tag.id: tag.value for tag in tags if tag.stanza == "Term" and tag.tag == "namespace"}
    alternatives = [(tag.id, tag.value) for tag in tags if tag.stanza == "Term" and tag.tag == "alt_id"]
    for term in obo.parse(lines, path).values():
        _term(raw, term, spaces.get(term.id, ""))
    for tag in tags:
        _extra(raw, tag)
    for name, other in alternatives:
        if name in raw.things:
            raw.things[name] = raw.things[name]._replace(xrefs=(*raw.things[name].xrefs, other))
    _limited(raw, tags)
    return raw


def _tags(lines: list[str]) -> Iterator[_Tag]:
    stanza, name = "header", ""
    for line in lines:
        if line.startswith("["):
            stanza, name = line.strip("[] "), ""
        elif ": " in line:
            tag, value = line.split(": ", 1)
            if tag == "id":
                name = value.split(" ", 1)[0].strip()
            if stanza != "Term" or tag in ("namespace", "intersection_of", "alt_id", "relationship"):
                yield _Tag(stanza, name, tag, value)


def _term(raw: Raw, term: obo.Term, namespace: str) -> None:
    if term.obsolete:
        raw.dropped["obsolete term"] += 1
        return
    if not term.name:
        raw.dropped["term without a name"] += 1
        return
    kind = namespace if namespace in ("biological_process", "molecular_function", "cellular_component") else ""
    xrefs = tuple(dict.fromkeys(xref for xref in term.xrefs if ":" in xref and "//" not in xref))
    raw.add(Thing(term.id, term.name, kind, tuple(dict.fromkeys(term.synonyms)), xrefs))
    for parent in term.is_a:
        raw.claim(term.id, SUB_CLASS, parent)
    for relation, target in term.relationships:
        raw.claim(term.id, relation, target)


def _extra(raw: Raw, tag: _Tag) -> None:
    """Header, relations and logical definitions."""
    if tag.stanza == "header" and tag.tag == "data-version":
        raw.version = tag.value.strip()
    elif tag.stanza == "Typedef" and tag.id:
        known = raw.relations.get(tag.id, Relation())
        yes = tag.value.strip().startswith("true")
        if tag.tag == "name" and (match := _NAME.match(tag.value)):
            known = known._replace(label=clean.label(match[1]))
        known = known._replace(
            symmetric=known.symmetric or (tag.tag == "is_symmetric" and yes),
            transitive=known.transitive or (tag.tag == "is_transitive" and yes),
            functional=known.functional or (tag.tag == "is_functional" and yes),
        )
        raw.relations[tag.id] = known
    elif tag.stanza == "Term" and tag.tag == "intersection_of" and tag.id in raw.things:
        parts = tag.value.split(" ! ", 1)[0].split(" {", 1)[0].split()
        if len(parts) == 1:
            raw.claim(tag.id, SUB_CLASS, parts[0])
        elif len(parts) == 2:
            raw.claim(tag.id, parts[0], parts[1])


def _limited(raw: Raw, tags: list[_Tag]) -> None:
    """Relationships that hold in a taxon only are not asked."""
    some = set()
    for tag in tags:
        if tag.tag == "relationship" and "gci_" in tag.value:
            parts = tag.value.split()
            some.add((tag.id, parts[0], parts[1] if len(parts) > 1 else ""))
    if some:
        raw.claims = [c._replace(askable=False) if (c.head, c.predicate, c.tail) in some else c for c in raw.claims]
        raw.notes.append(f"{len(some):,} relationships hold in one taxon only; they are kept and not asked")
