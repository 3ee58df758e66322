"""Wordings of a schema are Jinja2 sources: checked when the schema is read, so that none fails while stems are written."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, meta

from kg.errors import InputError, nearest

ASK = frozenset({"x", "noun", "do", "be"})  # variables of questions and noun phrases
SAY = frozenset({"x", "y"})  # variables of whole sentences
NONE: frozenset[str] = frozenset()  # verb phrases and cues are no templates
HAND = frozenset({"s", "b", "a_b", "do", "be"})  # variables of a metapath's hand-written stems


def checked(sources: Any, variables: frozenset[str], place: str) -> tuple[str, ...]:
    """A list of template sources, each of which uses only known variables and no other file.

    Raises:
        InputError: not a list of texts, a fault of syntax, an unknown variable, or an import.
    """
    if sources is None:
        return ()
    if not isinstance(sources, list) or not all(isinstance(one, str) for one in sources):
        raise InputError(
            f"{place} is no list of texts: {sources!r}; put each between quotes, after a dash or in brackets"
        )
    for source in sources:
        _check(source, variables, place)
    return tuple(sources)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Knows the names of the filters that generation/stems.py gives to wordings."""
    environment = Environment(autoescape=False)
    environment.filters["cap"] = str
    return environment


@lru_cache(maxsize=4096)
def _check(source: str, variables: frozenset[str], place: str) -> None:
    if "{" not in source:
        return
    try:
        tree = _environment().parse(source)
        unknown = meta.find_undeclared_variables(tree) - variables
    except TemplateSyntaxError as error:
        raise InputError(f"{place}: {source!r} is no template: {error.message}") from error
    if list(meta.find_referenced_templates(tree)):
        raise InputError(f"{place}: {source!r} imports or includes a file; a wording must stand alone")
    for name in sorted(unknown):
        raise InputError(f"{place}: {source!r} uses the unknown variable {name!r}; {nearest(name, variables)}")
