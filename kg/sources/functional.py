"""OWL functional syntax: turned into RDF/XML by py-horned-owl, then read as that is (kg/sources/rdf.py).

py-horned-owl is the one kept parser of this syntax on PyPI. It holds the whole ontology in memory, some forty times the
file, so a large one is better converted once with ROBOT. It descends into brackets without a bound, which would end the
process, so that expressions deeper than `DEEPEST` are refused before it sees them. Its OWL/XML is not used: it writes
abbreviated names as if they were whole.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from kg.errors import InputError
from kg.sources import rdf
from kg.sources.opening import open_text
from kg.sources.raw import Raw

DEEPEST = 100  # nested brackets; those of real ontologies stay below ten
_PLACE = re.compile(r"line_col: (?:Pos|Span)\(\(\(?(\d+), \d+\)")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>\s]*>', re.DOTALL)


def read(path: Path) -> Raw:
    """Read an .ofn file.

    Raises:
        InputError: py-horned-owl is missing, the syntax is wrong (named by line), or brackets nest too deep.
    """
    try:
        import pyhornedowl
    except ImportError as error:
        raise InputError(
            f"{path}: reading OWL functional syntax needs py-horned-owl; run `pip install neuro-si[import]`"
        ) from error
    with open_text(path) as stream:
        text = stream.read()
    _check_depth(path, text)
    with tempfile.TemporaryDirectory() as folder:
        turned = Path(folder) / "turned.owl"
        try:
            pyhornedowl.open_ontology_from_string(text, "ofn").save_to_file(str(turned), "rdf")
        except ValueError as error:
            line = _PLACE.search(str(error))
            raise InputError(
                f"{path}:{line[1] if line else '?'}: is not OWL functional syntax there; mend the file"
            ) from error
        try:
            return rdf.read(turned)
        except InputError as error:
            why = str(error).removeprefix(f"{turned}:").lstrip("0123456789: ")
            raise InputError(f"{path}: cannot be turned into RDF: {why}") from error


def _check_depth(path: Path, text: str) -> None:
    """Raises InputError for brackets that nest deeper than the parser's stack."""
    bare, depth = _QUOTED.sub(lambda quoted: "\n" * quoted[0].count("\n"), text), 0
    for number, line in enumerate(bare.split("\n"), start=1):
        for mark in line:
            depth += (mark == "(") - (mark == ")")
            if depth > DEEPEST:
                raise InputError(f"{path}:{number}: brackets nest deeper than {DEEPEST}; mend the file")
