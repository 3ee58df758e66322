"""Command lines of all stages: one parser, one way to end (exit codes: docs/contract.md)."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

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
        print(f"{self.prog}: {_plain(message)} (--help lists what there is)", file=sys.stderr)
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


_WRONG = re.compile(r'Parser key "(?P<key>[^"]+)":.*?(?:Got value|Given value): (?P<value>.*)', re.DOTALL)
_EXPECTED = re.compile(r"\b(?P<kind>int|float|bool|list|tuple|dict)\b")
_WANTED = {
    "int": "a whole number", "float": "a number", "bool": "true or false", "list": "a list: [ONE, OTHER]",
    "tuple": "a list: [ONE, OTHER]", "dict": "names with values: --{key}.NAME VALUE",
}  # fmt: skip


def _plain(message: str) -> str:
    """What the parser says about a value of the wrong type, in one sentence; anything else on one line.

    >>> _plain('Parser key "limit": Expected a <class \'int\'>. Got value: b')
    "--limit: 'b' is out of place; give a whole number"
    """
    wrong = _WRONG.search(message)
    expected = _EXPECTED.search(message[: wrong.start("value")]) if wrong else None
    if wrong and expected:
        key, value = wrong["key"].partition(".")[2] or wrong["key"], " ".join(wrong["value"].split())
        return f"--{wrong['key']}: {value[:80]!r} is out of place; give {_WANTED[expected['kind']].format(key=key)}"
    return " ".join(message.split())


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
        given = _listed(_named(given, optional or {}), commands)
        auto_cli(dict(commands), args=given, prog=prog, as_positional=True, parser_class=Parser)
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


def _listed(words: list[str], commands: Mapping[str, Callable[..., Any]]) -> list[str]:
    """A single word after an option that takes a list, as a list of one: `--layers core` is `--layers [core]`."""
    options = _list_options(commands[words[0]]) if words and words[0] in commands else ()
    made = words[:1]
    for before, word in itertools.pairwise(words):
        name, sign, value = word.partition("=")
        if before in options and not word.startswith(("[", "-")):
            made.append(json.dumps([word]))
        elif name in options and sign and not value.startswith("["):
            made.append(f"{name}={json.dumps([value])}")
        else:
            made.append(word)
    return made


def _list_options(command: Any, prefix: str = "--") -> frozenset[str]:
    """Options of a command, or of a dataclass among its parameters, that take a list."""
    found: set[str] = set()
    for name, kind in get_type_hints(command).items():
        kinds = [get_origin(one) or one for one in (*get_args(kind), kind)]
        if any(one in (list, tuple) for one in kinds):
            found.add(prefix + name)
        elif is_dataclass(kind):
            found |= _list_options(kind, f"{prefix}{name}.")
    return frozenset(found)
