"""`python -m generation.judge run|report|merge|demo`. Settings: dotted options or `--config FILE.yaml`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from generation.judge import commands
from kg.command import run

COMMANDS: dict[str, Callable[..., Any]] = {
    "run": commands.run,
    "report": commands.report,
    "merge": commands.merge,
    "demo": commands.demo,
}

if __name__ == "__main__":
    sys.exit(run(COMMANDS, "python -m generation.judge"))
