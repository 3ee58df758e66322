"""The vocabulary of a graph: categories, predicates with wordings and logic, allowed metapaths.

The embedded vocabulary is kg/data/schema.yaml; a user's own is a file of the same form. `Schema.load`
checks it whole and names the file, the entry, and the nearest known word for every fault.

Walks. A *step* is a predicate with a direction: `supplies` is walked from head to tail, `^supplies`
from tail to head. A *metapath* is a tuple of steps, written with ` > ` between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kg.errors import InputError, nearest
from kg.templates import ASK, HAND, NONE, SAY, checked

FORWARD, BACKWARD = "forward", "backward"


class Step(NamedTuple):
    """One predicate as walked; `inverse` when the walk runs from tail to head."""

    predicate: str
    inverse: bool = False

    def __str__(self) -> str:
        return f"^{self.predicate}" if self.inverse else self.predicate

    @property
    def back(self) -> Step:
        """The same fact walked the other way."""
        return Step(self.predicate, not self.inverse)

    @property
    def direction(self) -> str:
        return BACKWARD if self.inverse else FORWARD

    @classmethod
    def parse(cls, text: str) -> Step:
        return cls(text.strip().removeprefix("^"), text.strip().startswith("^"))


@dataclass(frozen=True, slots=True)
class Category:
    """An entity type.

    `noun` names one of them in a question, `plural` several, `short` points back at one; `article` is `the` or "".
    """

    name: str
    parent: str | None
    noun: str
    plural: str
    short: str
    article: str


@dataclass(frozen=True, slots=True)
class Wording:
    """How a fact is told from one of its ends.

    Attributes:
        verb: (singular, plural) verb phrases that stand between the two ends.
        ask: Jinja2 sources of whole questions for the other end.
        np: Jinja2 sources of noun phrases for the other end.
        say: Jinja2 sources of whole sentences of x and y, told instead of the verbs.
        rel: relative clauses ("whose lesion causes"), used instead of "that VERB".
    """

    verb: tuple[tuple[str, str], ...]
    ask: tuple[str, ...] = ()
    np: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    rel: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A relation: what it joins, how it is said, and what follows from it.

    Attributes:
        inverse_of: stored and asked as that predicate, with the ends exchanged.
        entails: weaker predicates that hold whenever this one does.
        entails_up: predicate (part_of) along which the tail may be widened.
        functional, inverse_functional: a head (a tail) has one value.
        disjoint_with: predicates that cannot hold of the same two ends.
        open: its lists are never known whole: what the graph lacks may well be true.
        broad: a thing has many values, so that the only one known is no clue in a longer walk.
        complete_for: direction -> reason why the list of values is complete for every entity.
        askable: directions in which it may be asked.
    """

    name: str
    domain: frozenset[str]
    range: frozenset[str]
    forward: Wording
    backward: Wording
    cues: tuple[str, ...] = ()
    inverse: str | None = None
    inverse_of: str | None = None
    symmetric: bool = False
    transitive: bool = False
    acyclic: bool = False
    functional: bool = False
    inverse_functional: bool = False
    open: bool = False
    broad: bool = False
    entails: frozenset[str] = frozenset()
    entails_up: str | None = None
    disjoint_with: frozenset[str] = frozenset()
    complete_for: Mapping[str, str] = field(default_factory=dict)
    askable: frozenset[str] = frozenset((FORWARD, BACKWARD))

    def wording(self, step: Step) -> Wording:
        return self.backward if step.inverse else self.forward


@dataclass(frozen=True, slots=True)
class Metapath:
    """An allowed multi-hop walk, with optional categories of its ends and bridges.

    `at[i]` restricts the i-th node of the walk (0 is the source); `stems` are hand-written questions;
    `fan_out`, if given, is a tighter bound on the bridges of the first step; `rare` one on the facts of the source.
    """

    steps: tuple[Step, ...]
    at: tuple[frozenset[str], ...]
    stems: tuple[str, ...] = ()
    fan_out: int | None = None
    rare: int | None = None

    def __str__(self) -> str:
        return " > ".join(map(str, self.steps))


@dataclass(frozen=True)
class Schema:
    """A checked vocabulary. `where` is the file it came from, for error messages."""

    where: str
    source: str
    categories: Mapping[str, Category]
    predicates: Mapping[str, Predicate]
    metapaths: tuple[Metapath, ...]

    @classmethod
    def load(cls, path: Path | None = None) -> Schema:
        """Read and check a schema file (the embedded one by default).

        Raises:
            InputError: the file is missing, is not YAML, or an entry is wrong (named).
        """
        where = str(path or "kg/data/schema.yaml")
        try:
            text = (path or Path(str(resources.files("kg").joinpath("data/schema.yaml")))).read_text(encoding="utf-8")
            raw = yaml.safe_load(text)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(f"schema {where}: cannot be read: {error}") from error
        return parse(raw, where, text)

    @cached_property
    def _ancestors(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(_up(name, self.categories)) for name in self.categories}

    def ancestors(self, category: str) -> tuple[str, ...]:
        """The category and all above it, nearest first."""
        return self._ancestors[category]

    def fits(self, category: str, allowed: frozenset[str]) -> bool:
        """Whether a category, or one above it, is among those allowed."""
        return any(name in allowed for name in self._ancestors[category])

    @cached_property
    def stored(self) -> list[str]:
        """The predicates under which facts are stored: all but those that are another one turned round."""
        return [one.name for one in self.predicates.values() if not one.inverse_of]

    @cached_property
    def by_steps(self) -> dict[tuple[Step, ...], tuple[Metapath, ...]]:
        found: dict[tuple[Step, ...], list[Metapath]] = {}
        for metapath in self.metapaths:
            found.setdefault(metapath.steps, []).append(metapath)
        return {steps: tuple(entries) for steps, entries in found.items()}

    @cached_property
    def first_steps(self) -> frozenset[Step]:
        """Steps with which an allowed metapath begins."""
        return frozenset(metapath.steps[0] for metapath in self.metapaths)

    @cached_property
    def next_steps(self) -> dict[Step, frozenset[Step]]:
        """step -> steps that may follow it in an allowed metapath of two."""
        found: dict[Step, set[Step]] = {}
        for first, second in (steps for steps in self.by_steps if len(steps) == 2):
            found.setdefault(first, set()).add(second)
        return {step: frozenset(after) for step, after in found.items()}

    @cached_property
    def weaker(self) -> dict[str, frozenset[str]]:
        """predicate -> every predicate that it entails, itself included."""
        return {name: frozenset(_entailed(name, self.predicates)) for name in self.predicates}

    @cached_property
    def stronger(self) -> dict[str, frozenset[str]]:
        """predicate -> every predicate that entails it, itself included."""
        return {
            name: frozenset(other for other, weak in self.weaker.items() if name in weak) for name in self.predicates
        }


def _up(name: str | None, categories: Mapping[str, Category]) -> list[str]:
    chain: list[str] = []
    while name is not None and name not in chain:
        chain.append(name)
        name = categories[name].parent
    return chain


def _entailed(name: str, predicates: Mapping[str, Predicate]) -> set[str]:
    found, todo = {name}, [name]
    while todo:
        new = predicates[todo.pop()].entails - found
        found |= new
        todo += new
    return found


# --- reading -----------------------------------------------------------------------------------------

_CATEGORY_KEYS = {"parent", "noun", "plural", "short", "article"}
_PREDICATE_KEYS = set(Predicate.__dataclass_fields__) - {"name"}
_WORDING_KEYS = set(Wording.__dataclass_fields__)
_METAPATH_KEYS = {"path", "at", "stems", "fan_out", "rare"}


def parse(raw: Any, where: str, source: str = "") -> Schema:
    """Turn parsed YAML into a checked Schema. See `Schema.load` for errors."""
    if (
        not isinstance(raw, dict)
        or not isinstance(raw.get("categories"), dict)
        or not isinstance(raw.get("predicates"), dict)
    ):
        raise InputError(f"schema {where}: needs the mappings 'categories' and 'predicates' at its top level")
    _known(raw, {"version", "categories", "predicates", "metapaths"}, f"schema {where}")
    categories = _categories(raw["categories"], where)
    predicates = {name: _predicate(name, entry, categories, where) for name, entry in raw["predicates"].items()}
    for name, predicate in predicates.items():
        _references(name, predicate, predicates, where)
    entries = raw.get("metapaths") or []
    if not isinstance(entries, list):
        raise InputError(f"schema {where}: 'metapaths' is no list: {entries!r}")
    metapaths = tuple(_metapath(entry, predicates, categories, where) for entry in entries)
    return Schema(where, source, categories, predicates, metapaths)


def _known(entry: Mapping[str, Any], keys: set[str], place: str) -> None:
    for key in entry:
        if key not in keys:
            raise InputError(f"{place}: unknown key {key!r}; {nearest(str(key), keys)}")


def _mapping(entry: Any, keys: set[str], place: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise InputError(f"{place}: expected a mapping, found {entry!r}")
    _known(entry, keys, place)
    return entry


def _categories(raw: Mapping[str, Any], where: str) -> dict[str, Category]:
    categories: dict[str, Category] = {}
    for name, entry in raw.items():
        place = f"schema {where}: category {name!r}"
        entry = _mapping(entry, _CATEGORY_KEYS, place)
        parent = entry.get("parent")
        if parent is not None and parent not in categories:
            raise InputError(f"{place}: parent {parent!r} is not defined above it; {nearest(str(parent), categories)}")
        above = categories.get(parent) if parent else None
        noun = entry.get("noun") or (above.noun if above else name.replace("_", " "))
        article = entry.get("article", above.article if above else "none")
        plural = entry.get("plural") or pluralise(noun)
        categories[name] = Category(
            name, parent, noun, plural, entry.get("short", noun), "the" if article == "the" else ""
        )
    return categories


def pluralise(noun: str) -> str:
    """Plural of a class noun: its first noun before `of`/`on`/`in`/`or` is changed."""
    for mark in (" of ", " on ", " in "):
        if mark in noun:
            head, _, rest = noun.partition(mark)
            return f"{pluralise(head)}{mark}{rest}"
    if " or " in noun:
        return " or ".join(pluralise(part) for part in noun.split(" or "))
    for ending, plural in (("nucleus", "nuclei"), ("ganglion", "ganglia"), ("body", "bodies"), ("us", "i"), ("ss", "sses"),
                           ("sh", "shes"), ("x", "xes"), ("is", "es")):  # fmt: skip
        if noun.endswith(ending):
            return noun[: -len(ending)] + plural
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun if noun.endswith("s") else noun + "s"


def _predicate(name: str, entry: Any, categories: Mapping[str, Category], where: str) -> Predicate:
    place = f"schema {where}: predicate {name!r}"
    entry = _mapping(entry, _PREDICATE_KEYS, place)
    for side in ("domain", "range"):
        for category in entry.get(side) or [None]:
            if category not in categories:
                raise InputError(f"{place}: {side} names {category!r}; {nearest(str(category), categories)}")
    values = {key: value for key, value in entry.items() if key not in ("askable", FORWARD, BACKWARD)}
    for key in ("domain", "range", "entails", "disjoint_with"):
        values[key] = frozenset(values.get(key) or ())
    values["cues"] = checked(values.get("cues"), NONE, f"{place}: 'cues'")
    return Predicate(
        name,
        forward=_wording(entry.get(FORWARD), f"{place}, {FORWARD}"),
        backward=_wording(entry.get(BACKWARD), f"{place}, {BACKWARD}"),
        askable=_askable(entry.get("askable", True), place),
        **values,
    )


def _askable(value: Any, place: str) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset((FORWARD, BACKWARD)) if value else frozenset()
    if value in (FORWARD, BACKWARD):
        return frozenset((value,))
    raise InputError(f"{place}: askable is {value!r}; write true, false, {FORWARD} or {BACKWARD}")


def _wording(entry: Any, place: str) -> Wording:
    entry = _mapping(entry, _WORDING_KEYS, place)
    verbs = tuple(tuple(verb.split("|")) for verb in checked(entry.get("verb"), NONE, f"{place}: 'verb'"))
    if not verbs or any(len(pair) != 2 for pair in verbs):
        raise InputError(f'{place}: needs \'verb\', a list of "singular|plural" phrases such as "supplies|supply"')
    ask, phrases = (checked(entry.get(key), ASK, f"{place}: {key!r}") for key in ("ask", "np"))
    say, rel = checked(entry.get("say"), SAY, f"{place}: 'say'"), checked(entry.get("rel"), NONE, f"{place}: 'rel'")
    return Wording(verbs, ask, phrases, say, rel)  # type: ignore[arg-type]


def _references(name: str, predicate: Predicate, predicates: Mapping[str, Predicate], where: str) -> None:
    named = {
        *predicate.entails,
        *predicate.disjoint_with,
        predicate.inverse,
        predicate.inverse_of,
        predicate.entails_up,
    }
    for other in named - {None}:
        if other not in predicates:
            raise InputError(f"schema {where}: predicate {name!r} names {other!r}; {nearest(str(other), predicates)}")


def _metapath(
    entry: Any, predicates: Mapping[str, Predicate], categories: Mapping[str, Category], where: str
) -> Metapath:
    entry = {"path": entry} if isinstance(entry, str) else entry
    place = f"schema {where}: metapath {entry.get('path') if isinstance(entry, dict) else entry!r}"
    entry = _mapping(entry, _METAPATH_KEYS, place)
    if not entry.get("path"):
        raise InputError(f"{place}: needs 'path', predicates with ' > ' between them")
    steps = tuple(Step.parse(part) for part in str(entry["path"]).split(">"))
    for step in steps:
        if step.predicate not in predicates:
            raise InputError(f"{place}: unknown predicate {step.predicate!r}; {nearest(step.predicate, predicates)}")
    at = entry.get("at") or ["entity"] * (len(steps) + 1)
    if len(at) != len(steps) + 1:
        raise InputError(f"{place}: 'at' needs {len(steps) + 1} entries (source, bridges, answer), has {len(at)}")
    allowed = tuple(frozenset([one] if isinstance(one, str) else one) for one in at)
    for name in frozenset().union(*allowed):
        if name not in categories:
            raise InputError(f"{place}: 'at' names {name!r}; {nearest(name, categories)}")
    stems = checked(entry.get("stems"), HAND, f"{place}: 'stems'")
    return Metapath(steps, allowed, stems, entry.get("fan_out"), entry.get("rare"))
