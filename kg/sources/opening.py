"""Opens a user's file as text or bytes, whatever it is packed in: plain, .gz, .zst, or one member of a .zip.

Nothing is unpacked to disk. Pickle is refused: loading one runs code that the file brings along. A packed file
that grows beyond `MOST_GROWTH` times its size is taken for a bomb.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

import pyarrow as pa

from kg.errors import InputError

PACKED = (".gz", ".zst", ".zip")
MOST_GROWTH = 300  # text graphs pack to a tenth or a thirtieth
SMALL = 64 << 20  # bytes that any file may grow to
_PICKLE_SUFFIXES = (".pkl", ".pickle", ".gpickle", ".pt", ".joblib")
_PICKLE_STARTS = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
_NOT_TEXT = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PAR1": "Parquet"}


def bare_name(path: Path) -> str:
    """The file's name in lower case without the suffix of its packing: `A.tsv.gz` -> `a.tsv`."""
    name = path.name.lower()
    return name[: -len(Path(name).suffix)] if name.endswith(PACKED) else name


@contextmanager
def open_bytes(path: Path, member: str | None = None) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file.

    Args:
        member: name of the file inside a .zip; not needed if it holds one file.

    Raises:
        InputError: missing, a pickle, a broken or oversized packing, or a .zip of several files without `member`.
    """
    try:
        refuse_pickle(path)
        with path.open("rb") as raw, _unpacked(path, raw, member) as stream:
            yield _Limited(stream, path, path.stat().st_size)  # type: ignore[misc]
    except InputError:
        raise
    except (EOFError, zipfile.BadZipFile, gzip.BadGzipFile, pa.ArrowException) as error:
        raise InputError(
            f"{path}: the packing is broken: {str(error).splitlines()[0]}; fetch or pack the file again"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}; check the path") from error


@contextmanager
def _unpacked(path: Path, raw: IO[bytes], member: str | None) -> Iterator[IO[bytes]]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        with gzip.GzipFile(fileobj=raw) as stream:
            yield stream  # type: ignore[misc]
    elif suffix == ".zst":
        with pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd") as stream:
            yield stream
    elif suffix == ".zip":
        with zipfile.ZipFile(raw) as archive, archive.open(_member(path, archive, member)) as stream:
            yield stream
    else:
        yield raw


def _member(path: Path, archive: zipfile.ZipFile, member: str | None) -> str:
    names = zip_members(archive)
    if member is not None:
        return member
    if len(names) != 1:
        raise InputError(
            f"{path}: holds {len(names)} files ({', '.join(names[:6])}); unpack it and name the ones to import"
        )
    return names[0]


def zip_members(archive: zipfile.ZipFile) -> list[str]:
    """Names of the files in an archive, folders and hidden files left out."""
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    return [name for name in names if not Path(name).name.startswith(".") and not name.startswith("__MACOSX")]


class _Limited(io.RawIOBase):
    """A stream that stops with InputError when it has given far more than the packed file could hold."""

    def __init__(self, stream: IO[bytes], path: Path, size: int) -> None:
        self.stream, self.path, self.given = stream, path, 0
        self.most = max(SMALL, size * MOST_GROWTH)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.stream.read(len(buffer))
        self.given += len(data)
        if self.given > self.most:
            _too_big(self.path)
        buffer[: len(data)] = data
        return len(data)


def _too_big(path: Path) -> NoReturn:
    raise InputError(
        f"{path}: unpacks to more than {MOST_GROWTH} times its size; if that is right, unpack it and "
        "import the plain file"
    )


@contextmanager
def open_text(path: Path, member: str | None = None) -> Iterator[IO[str]]:
    """The file as UTF-8 text; a byte-order mark is dropped.

    Raises:
        InputError: as `open_bytes`, and if the text is not UTF-8.
    """
    with open_bytes(path, member) as stream:
        buffered = io.BufferedReader(stream, 1 << 18)  # type: ignore[type-var]
        if what := next((what for mark, what in _NOT_TEXT.items() if buffered.peek(4)[:4].startswith(mark)), None):
            raise InputError(
                f"{path}: is {what}, not text; give it the suffix of what it is (.zip, .gz, .zst, .parquet)"
            )
        text = io.TextIOWrapper(buffered, encoding="utf-8-sig", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}: not UTF-8 ({error.reason} at byte {error.start} of a block); save the file as UTF-8"
            ) from error
        finally:
            text.detach()


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end) of a text file."""
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            yield number, line.rstrip("\r\n")


def refuse_pickle(path: Path) -> None:
    """Raises InputError for a pickle, by name or by its first bytes."""
    name = bare_name(path)
    with path.open("rb") as stream:
        start = stream.read(2)
    if name.endswith(_PICKLE_SUFFIXES) or start in _PICKLE_STARTS:
        raise InputError(
            f"{path}: is a pickle, and reading one runs whatever code it carries; "
            "write the graph as GraphML, node-link JSON or triples instead (networkx.write_graphml, "
            "networkx.node_link_data)"
        )
