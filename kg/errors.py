"""The errors a user can cause, and the exit codes they end in (docs/contract.md)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """Bad input or usage: says what, which value, where, and what to change. Exit code 2."""

    exit_code = 2


class ShortfallError(Exception):
    """An explicit count could not be reached; what is sound was written. Exit code 3."""

    exit_code = 3


class GateError(Exception):
    """A quality gate failed. Exit code 4."""

    exit_code = 4


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names the known word closest to `name`, or lists the first few."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    return (
        f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names[:12])}{' ...' if len(names) > 12 else ''}"
    )
