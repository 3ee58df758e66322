"""UMLS Metathesaurus RRF: MRCONSO (names), MRREL (relations) and MRSTY (types), pipe-delimited, no header.

English, unsuppressed rows only; the preferred name of a concept is its preferred term (TS=P, STT=PF, ISPREF=Y). RELA is
read from CUI2 to CUI1 (`CUI2 RELA CUI1`). Rows without a RELA count only as PAR/CHD, which become is_a. Use
needs a licence of the National Library of Medicine; say which with --license.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kg.errors import InputError
from kg.sources import clean
from kg.sources.opening import bare_name, numbered
from kg.sources.raw import SUB_CLASS, Raw, Thing

FORMAT = "umls"
CONSO = {"CUI": 0, "LAT": 1, "TS": 2, "STT": 4, "ISPREF": 6, "SAB": 11, "CODE": 13, "STR": 14, "SUPPRESS": 16}
REL = {"CUI1": 0, "REL": 3, "CUI2": 4, "RELA": 7, "SAB": 10, "SUPPRESS": 14}
STY = {"CUI": 0, "STY": 3}
FIELDS = {"mrconso": 18, "mrrel": 16, "mrsty": 6}
MOST_SYNONYMS = 12


def read(paths: list[Path]) -> Raw:
    """Read RRF files, or a folder that holds them.

    Raises:
        InputError: MRCONSO or MRREL is missing, or a row has another number of fields (named by line).
    """
    found = [child for path in paths for child in (path.iterdir() if path.is_dir() else [path])]
    files = {bare_name(path).partition(".")[0]: path for path in found}
    for name in ("mrconso", "mrrel"):
        if name not in files:
            raise InputError(
                f"{paths[0]}: {name.upper()}.RRF is not among the files; give the folder META, or all three files"
            )
    raw = Raw(FORMAT)
    kinds = {row[STY["CUI"]]: raw.share(row[STY["STY"]]) for row in _rows(files["mrsty"])} if "mrsty" in files else {}
    _names(raw, files["mrconso"], kinds)
    for row in _rows(files["mrrel"]):
        _relation(raw, row)
    return raw


def _rows(path: Path) -> Iterator[list[str]]:
    wanted = FIELDS[bare_name(path).partition(".")[0]]
    for number, line in numbered(path):
        if not line:
            continue
        fields = line.split("|")
        if len(fields) not in (wanted, wanted + 1):
            raise InputError(
                f"{path}:{number}: {len(fields) - 1} fields, {path.name} has {wanted}; fetch the file again"
            )
        yield fields


def _names(raw: Raw, path: Path, kinds: dict[str, str]) -> None:
    preferred: dict[str, str] = {}
    names: dict[str, dict[str, None]] = {}
    codes: dict[str, dict[str, None]] = {}
    for row in _rows(path):
        if row[CONSO["LAT"]] != "ENG" or row[CONSO["SUPPRESS"]] != "N":
            raw.dropped["name in another language or suppressed"] += 1
            continue
        cui, name = row[CONSO["CUI"]], clean.label(row[CONSO["STR"]])
        names.setdefault(cui, {})[name] = None
        codes.setdefault(cui, {})[f"{row[CONSO['SAB']]}:{row[CONSO['CODE']]}"] = None
        if (row[CONSO["TS"]], row[CONSO["STT"]], row[CONSO["ISPREF"]]) == ("P", "PF", "Y"):
            preferred.setdefault(cui, name)
    for cui, found in names.items():
        label = preferred.get(cui) or next(iter(found))
        found.pop(label, None)
        raw.add(
            Thing(
                f"UMLS:{cui}",
                label,
                kinds.get(cui, ""),
                tuple(found)[:MOST_SYNONYMS],
                tuple(codes[cui])[:MOST_SYNONYMS],
            )
        )


def _relation(raw: Raw, row: list[str]) -> None:
    if row[REL["SUPPRESS"]] != "N":
        raw.dropped["suppressed relation"] += 1
        return
    first, second = f"UMLS:{row[REL['CUI1']]}", f"UMLS:{row[REL['CUI2']]}"
    relation, kind = row[REL["RELA"]], row[REL["REL"]]
    if first == second:
        raw.dropped["relation of a concept with itself"] += 1
    elif relation:
        raw.claim(second, relation, first, source=raw.share(row[REL["SAB"]]))
    elif kind in ("PAR", "CHD"):  # CUI2 is a parent / a child of CUI1
        child, parent = (first, second) if kind == "PAR" else (second, first)
        raw.claim(child, SUB_CLASS, parent, source=raw.share(row[REL["SAB"]]))
    else:
        raw.dropped[f"relation {kind} without a RELA"] += 1
