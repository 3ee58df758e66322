"""Calling a stage's command line inside the test process: `Caller` gives exit code, output and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from kg.command import run


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Caller:
    """Runs commands of one stage as `python -m STAGE WORDS` would."""

    def __init__(
        self,
        commands: Mapping[str, Callable[..., Any]],
        prog: str,
        patch: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[str],
    ) -> None:
        self.commands, self.prog, self.patch, self.capture = commands, prog, patch, capture

    def __call__(self, *words: object) -> Ended:
        self.patch.setattr(sys, "argv", [self.prog, *map(str, words)])
        self.capture.readouterr()
        try:
            code = run(self.commands, self.prog)
        except SystemExit as left:
            code = int(left.code or 0)
        return Ended(code, *self.capture.readouterr())
