"""Triples in a table: one fact a row, any header, CSV, TSV, JSON lines or Parquet.

Columns are recognised by their names (`ROLES`): head, relation and tail are needed; identifiers, types, a
qualifier, a source, a licence, a reference and a `negated` mark are used where they are there. A table without a
known header is refused with the names that are known, unless it has exactly three columns.
"""

from __future__ import annotations

import re
from pathlib import Path

from kg.errors import InputError, nearest
from kg.names import slug
from kg.sources import clean, rows
from kg.sources.raw import Raw, Thing

FORMAT = "triples"
_NOT_LETTER = re.compile(r"[^a-z0-9]+")

# What a column is for -> names (letters and digits only) that say so, the likeliest first.
ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "head": "head subject source from headlabel subjectlabel subjectname headname sourcename entity1 node1 s "
        "xname startname fromname src sourcelabel",
        "predicate": "predicate relation relationship edge edgetype type rel property p r displayrelation "
        "predicatelabel relationlabel interaction verb metaedge",
        "tail": "tail object target to taillabel objectlabel objectname tailname targetname entity2 node2 o yname "
        "endname toname dst targetlabel value",
        "head_id": "headid subjectid sourceid fromid xid startid id1",
        "tail_id": "tailid objectid targetid toid yid endid id2",
        "head_type": "headtype subjecttype sourcetype fromtype headcategory subjectcategory xtype type1 headkind",
        "tail_type": "tailtype objecttype targettype totype tailcategory objectcategory ytype type2 tailkind",
        "qualifier": "qualifier context condition when where",
        "license": "license licence",
        "reference": "reference references publication publications pmid doi citation evidence",
        "origin": "knowledgesource primaryknowledgesource provenance dataset database datasource",
        "negated": "negated not negative",
        "head_synonyms": "headsynonyms subjectsynonyms",
        "tail_synonyms": "tailsynonyms objectsynonyms",
    }.items()
}
TRUE = frozenset({"true", "1", "yes", "y", "not", "t"})
FALSE = frozenset({"", "false", "0", "no", "n", "f"})


def columns(header: list[str]) -> dict[str, str]:
    """role -> column that fills it, for the roles that the header fills.

    >>> columns(["Subject", "Relation", "Object", "PMID"])
    {'head': 'Subject', 'predicate': 'Relation', 'tail': 'Object', 'reference': 'PMID'}
    """
    names = {_NOT_LETTER.sub("", name.lower()): name for name in reversed(header)}
    found = {role: next((names[known] for known in words if known in names), "") for role, words in ROLES.items()}
    found["head"] = found["head"] or found["head_id"]
    found["tail"] = found["tail"] or found["tail_id"]
    if not (found["head"] and found["predicate"] and found["tail"]) and len(header) == 3:
        found |= dict(zip(("head", "predicate", "tail"), header, strict=True))
    return {role: column for role, column in found.items() if column}


def read(path: Path, roles: dict[str, str] | None = None, raw: Raw | None = None) -> Raw:
    """Read a table of triples.

    Args:
        roles: role -> column, where the header does not say it.
        raw: add to this graph.

    Raises:
        InputError: no head, relation or tail column; an unreadable row.
    """
    header = rows.header(path)
    for role in roles or ():
        if role not in ROLES:
            raise InputError(f"--columns.{role}: unknown role; {nearest(role, ROLES)}")
    found = columns(header) | (roles or {})
    for role in ("head", "predicate", "tail"):
        if found.get(role) not in header:
            raise InputError(
                f"{path}: no column for {role!r} among {', '.join(header[:12])}; "
                f"call it one of {', '.join(ROLES[role][:6])}, or give --columns.{role} NAME"
            )
    for role, column in found.items():
        if column not in header:
            raise InputError(f"--columns.{role}: {path} has no column {column!r}; {nearest(column, header)}")
    raw = Raw(FORMAT) if raw is None else raw
    raw.notes.append("columns read: " + ", ".join(f"{role} = {column}" for role, column in found.items()))
    for row in rows.read(path):
        _take(raw, row.values, found, f"{path}:{row.line}")
    return raw


def _take(raw: Raw, values: dict[str, str], found: dict[str, str], place: str) -> None:
    get = {role: values.get(column, "") for role, column in found.items()}
    head, tail, predicate = clean.label(get["head"]), clean.label(get["tail"]), get["predicate"]
    if not (head and tail and predicate):
        raw.dropped["row with an empty head, relation or tail"] += 1
        return
    denied = get.get("negated", "").strip().lower()
    if denied not in TRUE | FALSE:
        raise InputError(f"{place}: {found['negated']} is {denied[:40]!r}; give true or false")
    ends = []
    for side, label in (("head", head), ("tail", tail)):
        kind = get.get(f"{side}_type", "")
        identifier = get.get(f"{side}_id") or node_id(label, kind)
        synonyms = tuple(part for part in get.get(f"{side}_synonyms", "").split("|") if part)
        if identifier not in raw.things or synonyms:
            raw.add(Thing(identifier, label, kind, synonyms))
        ends.append(identifier)
    raw.claim(
        ends[0],
        predicate,
        ends[1],
        qualifier=get.get("qualifier") or None,
        source=raw.share(get.get("origin", "")),
        license=raw.share(get.get("license", "")),
        reference=get.get("reference") or None,
        negated=denied in TRUE,
    )


def node_id(label: str, kind: str) -> str:
    """An id for a thing that has only a name; its type keeps a gene and a protein of one name apart."""
    return f"{slug(kind)}:{slug(label) or label}" if kind else f"user:{slug(label) or label}"
