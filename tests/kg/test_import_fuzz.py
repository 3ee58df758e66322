"""Broken files: whatever the bytes, a reader gives a graph or an InputError that names the file, and ends soon."""

from __future__ import annotations

import tracemalloc
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kg import drafting, wording
from kg.errors import InputError
from kg.importing import Import, import_files, read
from kg.schema import parse
from tests.kg import import_samples as samples

NEEDED = {"owl": "pyoxigraph", "functional": "pyhornedowl"}  # parsers of the import extra
HERE = [format for format in sorted(samples.FILES) if format not in NEEDED or find_spec(NEEDED[format])]

NAMES = [(format, name) for format in HERE for name in samples.FILES[format]]
FUZZ = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
MOST_GROWTH = 15  # times the size of the file


def broken(text: str, cuts: list[tuple[int, int, bytes]]) -> bytes:
    """The text with pieces replaced at (place, length)."""
    data = bytearray(text.encode())
    for place, length, piece in cuts:
        start = place % (len(data) + 1)
        data[start : start + length] = piece
    return bytes(data)


CUTS = st.lists(
    st.tuples(
        st.integers(0, 5000),
        st.integers(0, 40),
        st.one_of(
            st.binary(max_size=8),
            st.sampled_from(
                [
                    b"",
                    b"\n",
                    b"\t",
                    b'"',
                    b"{",
                    b"]",
                    b"<",
                    b"&x;",
                    b"\x00",
                    b"|",
                    b"[Term]\n",
                    b"\xff\xfe",
                    b"id: ",
                    b";" * 9,
                ]
            ),
        ),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize(("format", "name"), NAMES)
@FUZZ
@given(cuts=CUTS)
def test_a_broken_file_is_read_or_refused_by_name_and_never_crashes(
    tmp_path: Path, format: str, name: str, cuts: list[tuple[int, int, bytes]]
) -> None:
    paths = []
    for other, text in samples.FILES[format].items():
        path = tmp_path / other
        path.write_bytes(broken(text, cuts) if other == name else text.encode())
        paths.append(path)
    told = str(tmp_path)
    try:
        read(paths)
        read(paths, format)
    except InputError as error:
        told = str(error)
    assert str(tmp_path) in told or told.startswith(("import:", "--format"))


@FUZZ
@given(
    content=st.binary(max_size=300),
    name=st.sampled_from(["x.csv", "x.json", "x.obo", "x.owl", "x.ttl", "x.graphml", "x.gz", "x.zip", "x"]),
)
@example(content=b"[" * 100_000, name="x.json")
@example(content=b'{"graphs": ' + b"[" * 50_000, name="x.json")
@example(content=b"head,relation,tail\n" + b'"' * 1000, name="x.csv")
@example(content=b"@prefix : <x:> . :a :b " + b"( " * 3000, name="x.ttl")
def test_random_bytes_under_any_name_are_refused_or_read(tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    told = name
    try:
        read([path])
    except InputError as error:
        told = str(error)
    assert name in told


@pytest.mark.parametrize(
    "format", [name for name in HERE if name in ("triples", "kgx", "obo", "owl", "primekg", "annotations")]
)
def test_memory_stays_within_a_few_times_the_size_of_the_file(tmp_path: Path, format: str) -> None:
    paths, size = [], 0
    for name, text in samples.FILES[format].items():
        lines = text.splitlines(keepends=True)
        (tmp_path / name).write_text(lines[0] + "".join(lines[1:]) * 300)
        paths.append(tmp_path / name)
        size += paths[-1].stat().st_size
    tracemalloc.start()
    try:
        read(paths)
        peak = tracemalloc.get_traced_memory()[1]
    except InputError:
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_GROWTH * size + (8 << 20)


@settings(max_examples=300, deadline=None)
@given(name=st.text(max_size=40))
@example(name="")
@example(name="___")
@example(name="has")
@example(name="ly")
@example(name="is")
@example(name="of")
@example(name="S")
def test_any_predicate_name_gets_a_wording_that_a_schema_accepts(name: str) -> None:
    entry = {"domain": ["thing"], "range": ["thing"], **wording.draft(name)}
    categories = {"entity": {}, "thing": {"parent": "entity"}}
    schema = parse({"categories": categories, "predicates": {"p": entry}}, "test")
    assert all(verb.strip() for pair in schema.predicates["p"].forward.verb for verb in pair)


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcdefg"), st.text("xyz _", min_size=1, max_size=6), st.sampled_from("abcdefg")),
        min_size=1,
        max_size=30,
    ).filter(lambda rows: any(p.strip() for _, p, _ in rows))
)
def test_any_triples_are_drafted_and_imported_and_every_row_is_counted(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("head,relation,tail\n" + "".join(f"{a} thing,{p},{b} thing\n" for a, p, b in rows))
    made = import_files(Import(files=(str(path),)))
    lost = sum(
        count
        for reason, count in made.layer.dropped.items()
        if not reason.startswith(("not asked", "ends do not suit"))
    )
    assert len(made.layer.facts) + lost == len(rows)
    assert drafting.draft(read([path]), "t").mapping.predicates.keys() <= {p.strip() for _, p, _ in rows} | {
        p for _, p, _ in rows
    }
