"""The part of the OBO format that ontologies of the field use: terms, names, synonyms, is_a, relationships.

Reads `[Term]` stanzas line by line. Trailing modifiers (`{source="..."}`) and comments (` ! name`) are cut off;
obsolete terms are kept with `obsolete=True`, so that the caller can count them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kg.errors import InputError
from kg.sources import clean

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s+(EXACT|BROAD|NARROW|RELATED)\s*([^\[]*)')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SKIPPED_SYNONYMS = ("obsolete_synonym", "plural_form", "layperson")


@dataclass
class Term:
    """One stanza. `relationships`: pairs of relation and target id; `synonyms`: exact ones only."""

    id: str
    name: str = ""
    definition: str = ""
    is_a: list[str] = field(default_factory=list)
    relationships: list[tuple[str, str]] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    obsolete: bool = False


def read(path: Path) -> dict[str, Term]:
    """Terms by id, in file order.

    Raises:
        InputError: the file cannot be read, a stanza has no id, or an id two names.
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            return _by_id(_terms(lines, path), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from error


def parse(lines: Iterable[str], path: Path) -> dict[str, Term]:
    """Terms by id of lines that are in memory already; `path` is for messages. Errors as `read`."""
    return _by_id(_terms(lines, path), path)


def _by_id(terms: Iterable[Term], path: Path) -> dict[str, Term]:
    """Stanzas of one id are one term; they may not give it two names."""
    found: dict[str, Term] = {}
    for term in terms:
        first = found.setdefault(term.id, term)
        if first is term:
            continue
        if first.name and term.name and first.name != term.name:
            raise InputError(
                f"{path}: {term.id} is named {first.name!r} and {term.name!r}; keep one of the two stanzas"
            )
        first.name, first.definition = first.name or term.name, first.definition or term.definition
        first.is_a += term.is_a
        first.relationships += term.relationships
        first.synonyms += term.synonyms
        first.xrefs += term.xrefs
        first.obsolete = first.obsolete or term.obsolete
    return found


def _terms(lines: Iterable[str], path: Path) -> Iterator[Term]:
    term: Term | None = None
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if text.startswith("["):
            if term and term.id:
                yield term
            term = Term("") if text == "[Term]" else None
        elif term is not None and ": " in text:
            tag, value = text.split(": ", 1)
            if tag != "id" and not term.id:
                raise InputError(f"{path}:{number}: {tag!r} before the id of the term; put `id:` first in the stanza")
            _put(term, tag, value)
    if term and term.id:
        yield term


def _put(term: Term, tag: str, value: str) -> None:
    bare = value.split(" ! ", 1)[0].split(" {", 1)[0].strip()
    if tag == "id":
        term.id = bare
    elif tag == "name":
        term.name = clean.label(value)
    elif tag == "def" and (quoted := _QUOTED.match(value)):
        term.definition = quoted.group(1)
    elif tag == "is_a":
        term.is_a.append(bare)
    elif tag == "relationship" and len(parts := bare.split()) >= 2:
        term.relationships.append((parts[0], parts[1]))
    elif tag == "synonym" and (match := _SYNONYM.match(value)):
        if match.group(2) == "EXACT" and not any(word in match.group(3) for word in _SKIPPED_SYNONYMS):
            term.synonyms.append(clean.label(match.group(1).replace('\\"', '"')))
    elif tag == "xref" and bare:
        term.xrefs.append(bare.split()[0])
    elif tag == "is_obsolete":
        term.obsolete = bare == "true"
