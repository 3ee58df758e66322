"""One entity for one thing within an imported graph, before it is aligned with other layers (kg/alignment.py).

Two things are one when the file says so (`same_as`), when an SSSOM file maps one exactly to the other, or when two
authorities (two prefixes) use one name for one type and taxon. Names are compared whole, so `type 6` and `type 8` stay
apart; names within one authority stay apart too. Every merge is recorded as `kg.graph.Merge`; a pair that the mapping lists
under `apart` is not merged, which takes a merge back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError
from kg.graph import Merge
from kg.names import key
from kg.sources import rows
from kg.sources.raw import Raw

_EXACT = frozenset({"skos:exactMatch", "owl:equivalentClass", "owl:sameAs", "exactMatch"})


class Pair(NamedTuple):
    """Two identifiers that mean one thing, and who says so."""

    first: str
    second: str
    reason: str


def read_sssom(path: Path) -> Iterator[Pair]:
    """Exact matches of an SSSOM file (TSV with subject_id, predicate_id, object_id).

    Raises:
        InputError: the columns are missing.
    """
    header = rows.header(path)
    for column in ("subject_id", "predicate_id", "object_id"):
        if column not in header:
            raise InputError(f"{path}: no column {column!r}; an SSSOM file has subject_id, predicate_id, object_id")
    for row in rows.read(path):
        negated = row.values.get("predicate_modifier", "") == "Not"
        if row.values.get("predicate_id") in _EXACT and not negated:
            yield Pair(row.values["subject_id"], row.values["object_id"], f"SSSOM {path.name}")


def merge(raw: Raw, pairs: Iterable[Pair], apart: Collection[frozenset[str]] = ()) -> list[Merge]:
    """Join things that are one, in place; claims move to the kept thing. Returns what was merged.

    The kept thing is the one with the most claims, then the first by identifier. Identifiers of a pair that are not
    in the graph become xrefs, so that other layers align by them.

    Args:
        apart: pairs of identifiers that are two things, whatever else ties them together.
    """
    count = Counter(end for claim in raw.claims for end in (claim.head, claim.tail))
    root: dict[str, str] = {}
    reasons: dict[str, str] = {}
    members: dict[str, set[str]] = {}
    for pair in (*pairs, *_namesakes(raw)):
        if frozenset(pair[:2]) in apart:
            continue
        known = [name for name in (pair.first, pair.second) if name in raw.things]
        if len(known) == 1:
            other = pair.second if known[0] == pair.first else pair.first
            thing = raw.things[known[0]]
            raw.things[known[0]] = thing._replace(xrefs=tuple(dict.fromkeys((*thing.xrefs, other))))
        elif len(known) == 2:
            first, second = _top(root, pair.first), _top(root, pair.second)
            kept, gone = sorted((first, second), key=lambda name: (-count[name], name))
            whole = members.get(kept, {kept}) | members.get(gone, {gone})
            if kept != gone and not any(two <= whole for two in apart):
                members[kept] = whole
                root[gone], reasons[gone] = kept, pair.reason
                count[kept] += count[gone]
    return _moved(raw, root, reasons)


def _namesakes(raw: Raw) -> Iterator[Pair]:
    """Things of one name, type and taxon under different authorities, where each authority has one such thing."""
    groups: dict[tuple[str, str, str | None], list[str]] = defaultdict(list)
    for thing in raw.things.values():
        if ":" in thing.id and thing.category:
            groups[key(thing.label), thing.category, thing.taxon].append(thing.id)
    for (name, _, _), ids in groups.items():
        prefixes = [identity.partition(":")[0] for identity in ids]
        if len(ids) > 1 and name and len(set(prefixes)) == len(ids):
            for other in sorted(ids)[1:]:
                yield Pair(min(ids), other, f"name {name!r}")


def _top(root: Mapping[str, str], name: str) -> str:
    while name in root:
        name = root[name]
    return name


def _moved(raw: Raw, root: Mapping[str, str], reasons: Mapping[str, str]) -> list[Merge]:
    if not root:
        return []
    merges = []
    for gone in sorted(root):
        kept, thing = _top(root, gone), raw.things.pop(gone)
        known = raw.things[kept]
        names = dict.fromkeys((*known.synonyms, *thing.synonyms, thing.label))
        names.pop(known.label, None)
        xrefs = tuple(dict.fromkeys((*known.xrefs, *thing.xrefs, gone)))
        raw.things[kept] = known._replace(synonyms=tuple(names), xrefs=xrefs, taxon=known.taxon or thing.taxon)
        merges.append(Merge(kept, gone, thing.label, reasons[gone]))
    raw.claims = [
        claim._replace(head=_top(root, claim.head), tail=_top(root, claim.tail))
        if claim.head in root or claim.tail in root
        else claim
        for claim in raw.claims
    ]
    return merges
