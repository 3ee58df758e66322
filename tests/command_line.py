"""Calling a stage's command line inside the test process: `Caller` gives exit code, output and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Caller:
    """Runs one stage as `python -m STAGE WORDS` would; `main` takes the words and gives the exit code."""

    def __init__(self, main: Callable[[list[str]], int], capture: pytest.CaptureFixture[str]) -> None:
        self.main, self.capture = main, capture

    def __call__(self, *words: object) -> Ended:
        self.capture.readouterr()
        try:
            code = self.main([str(word) for word in words])
        except SystemExit as left:
            code = int(left.code or 0)
        return Ended(code, *self.capture.readouterr())
