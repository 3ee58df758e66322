"""A mapping as a frozen dataclass: every key known, every key there, every value of its type."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from kg.errors import InputError, nearest

R = TypeVar("R")


def build(raw: Mapping[str, Any], kind: type[R], file: str, place: str = "") -> R:
    """A dataclass from a mapping.

    Args:
        file, place: named in errors.

    Raises:
        InputError: an unknown key (names the nearest), a missing one, or a value of another type.
    """
    hints = typing.get_type_hints(kind)
    for key in raw:
        if key not in hints:
            raise InputError(f"recipe {file}: unknown key {place + str(key)!r}; {nearest(str(key), hints)}")
    if missing := [name for name in hints if name not in raw]:
        raise InputError(f"recipe {file}: {place + missing[0]!r} is not set; every setting stands in the file")
    return kind(**{name: _value(raw[name], hint, file, place + name) for name, hint in hints.items()})


def _value(value: Any, hint: Any, file: str, place: str) -> Any:
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in options:
            return None
        return _value(value, next(option for option in options if option is not type(None)), file, place)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise InputError(f"recipe {file}: {place!r} is {value!r}; it is a group of settings")
        return build(value, typing.cast(type, hint), file, f"{place}.")
    if origin is Literal:
        if value not in options:
            raise InputError(f"recipe {file}: {place!r} is {value!r}; choose one of {', '.join(map(str, options))}")
        return value
    if origin is tuple:
        inner = [options[0]] * len(value) if options[1:] == (...,) and isinstance(value, list) else options
        if not isinstance(value, list) or len(inner) != len(value):
            raise InputError(f"recipe {file}: {place!r} is {value!r}; it is a list of {len(options)}")
        return tuple(
            _value(one, each, file, f"{place}[{n}]") for n, (one, each) in enumerate(zip(value, inner, strict=True))
        )
    return _scalar(value, hint, file, place)


def _scalar(value: Any, hint: type, file: str, place: str) -> Any:
    if hint is float and isinstance(value, str):  # YAML 1.1 reads 8e-7 as a string
        try:
            return float(value)
        except ValueError:
            pass
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise InputError(f"recipe {file}: {place!r} is {value!r}; it is a {hint.__name__}")
    return value
