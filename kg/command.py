"""Command lines of all stages: one parser, one way to end (exit codes: docs/contract.md)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from jsonargparse import ArgumentParser, auto_cli

from kg.errors import GateError, InputError, ShortfallError, nearest


class Parser(ArgumentParser):
    """A parser that answers a mistake with one line: what was given, and the nearest thing that is known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Print the message with a hint and leave with exit code 2."""
        unknown = re.search(r"unrecognized arguments: (--[\w.-]+)", message)
        if unknown:
            message = f"unknown option {unknown[1]}; {nearest(unknown[1], self._options())}"
        lines = [line.strip() for line in str(message).splitlines() if line.strip()]
        print(f"{self.prog}: {' '.join(lines)} (--help lists what there is)", file=sys.stderr)
        sys.exit(InputError.exit_code)

    def _options(self) -> list[str]:
        return [option for option in self._option_string_actions if option.startswith("--")] + [
            option
            for action in self._actions
            if isinstance(action.choices, Mapping)
            for parser in action.choices.values()
            for option in parser._option_string_actions
            if option.startswith("--")
        ]


def run(
    commands: Mapping[str, Callable[..., Any]],
    prog: str,
    lists: Sequence[str] = (),
    optional: Mapping[str, str] | None = None,
    words: Sequence[str] | None = None,
) -> int:
    """Run a command line; errors a user can cause end in one message and their exit code.

    Args:
        commands: name -> function; its docstring and type hints make the options.
        lists: commands whose leading words are one list of files.
        optional: command -> option that its first word is short for (`show ITEM`).
        words: what stands on the command line (that of the process by default).
    """
    try:
        given = _joined(list(sys.argv[1:] if words is None else words), lists)
        auto_cli(dict(commands), args=_named(given, optional or {}), prog=prog, as_positional=True, parser_class=Parser)
    except (InputError, ShortfallError, GateError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return error.exit_code
    except UnicodeDecodeError as error:  # of a file that the parser reads, as --config
        print(
            f"{prog}: a file given as an option is not UTF-8 text (byte {error.start}); check --config", file=sys.stderr
        )
        return InputError.exit_code
    except BrokenPipeError:
        return 0
    return 0


def _joined(words: list[str], lists: Sequence[str]) -> list[str]:
    """`import a.tsv b.tsv --layer x` as the parser wants it: the leading words as one list."""
    if not words or words[0] not in lists:
        return words
    end = next((place for place, word in enumerate(words) if place and word.startswith("-")), len(words))
    return [words[0], *([json.dumps(words[1:end])] if end > 1 else []), *words[end:]]


def _named(words: list[str], optional: Mapping[str, str]) -> list[str]:
    """`show ITEM` as the parser wants it: `show --item ITEM`."""
    if len(words) < 2 or words[0] not in optional or words[1].startswith("-"):
        return words
    return [words[0], optional[words[0]], *words[1:]]
