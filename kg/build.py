"""From sources to one graph: choose layers and licences, align, settle contradictions, count what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kg import wellformed
from kg.alignment import align
from kg.errors import InputError, nearest
from kg.graph import Fact, Graph, Layer
from kg.schema import Schema
from kg.sources import core, go, guide_to_pharmacology, hpo, uniprot
from kg.validate import disagree

EMBEDDED: dict[str, Callable[[], Layer]] = {
    "guide_to_pharmacology": guide_to_pharmacology.load,
    "uniprot": uniprot.load,
    "hpo": hpo.load,
    "go": go.load,
}
LAYERS = ("core", *EMBEDDED)  # in order of precedence


PROFILES = {
    "open": ("core", "uniprot", "go"),  # licences that allow republishing under attribution alone
    "full": LAYERS,  # adds share-alike and run-time data: for training at home
}


@dataclass
class Build:
    """A graph with an account of how it came about.

    dropped: layer -> reason -> count of rows left out. conflicts: facts removed because an earlier layer
    says the opposite, with the fact that won.
    """

    graph: Graph
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    conflicts: list[tuple[Fact, Fact]] = field(default_factory=list)


def build(
    schema: Schema,
    layers: Sequence[str] = LAYERS,
    licenses: Sequence[str] | None = None,
    core_folder: Path | None = None,
) -> Build:
    """Load the chosen embedded layers and make one graph of them.

    Args:
        layers: names out of `LAYERS`; the order of `LAYERS` decides precedence.
        licenses: keep only facts under these licences (all by default).
        core_folder: another folder of core tables.

    Raises:
        InputError: an unknown layer or licence, or a fault in a table.
    """
    return assemble(schema, embedded(schema, layers, core_folder), licenses)


def check_layers(names: Sequence[str]) -> None:
    """Raises InputError for a name that is no embedded layer."""
    for name in names:
        if name not in LAYERS:
            raise InputError(f"--layers: unknown layer {name!r}; {nearest(name, LAYERS)}")


def embedded(schema: Schema, layers: Sequence[str], core_folder: Path | None = None) -> list[Layer]:
    """The chosen embedded layers in order of precedence. Raises InputError for an unknown one, or a fault in a table."""
    check_layers(layers)
    return [core.load(schema, core_folder) if name == "core" else EMBEDDED[name]() for name in LAYERS if name in layers]


def assemble(
    schema: Schema,
    loaded: Sequence[Layer],
    licenses: Sequence[str] | None = None,
    apart: Collection[frozenset[str]] = (),
) -> Build:
    """Align layers that are already in memory, in order of precedence; `apart` as for `kg.alignment.align`."""
    made = Build(Graph({}, {}), {layer.name: Counter(layer.dropped) for layer in loaded})
    if licenses is not None:
        known = {fact.license for layer in loaded for fact in layer.facts}
        for name in licenses:
            if name not in known:
                raise InputError(f"--licenses: no fact is under {name!r}; {nearest(name, known)}")
        loaded = [_under(layer, frozenset(licenses), made.dropped[layer.name]) for layer in loaded]
    wellformed.check(schema, loaded)
    graph = align(loaded, schema, apart)
    losing = _conflicts(graph, schema)
    made.conflicts = losing
    gone = {fact.edge_id for fact, _ in losing}
    for fact, _ in losing:
        made.dropped[fact.layer]["contradicts an earlier layer"] += 1
    facts = {key: fact for key, fact in graph.facts.items() if key not in gone}
    made.graph = replace(graph, facts=facts, complete=_still_valued(graph, facts))
    return made


def _under(layer: Layer, licenses: frozenset[str], dropped: Counter[str]) -> Layer:
    kept = [fact for fact in layer.facts if fact.license in licenses]
    if gone := len(layer.facts) - len(kept):
        dropped["licence not chosen"] += gone
    used = {end for fact in kept for end in (fact.head_id, fact.tail_id)}
    return replace(layer, facts=kept, nodes=[node for node in layer.nodes if node.id in used])


def _conflicts(graph: Graph, schema: Schema) -> list[tuple[Fact, Fact]]:
    """Unqualified facts of a later layer that an earlier layer contradicts by a disjoint predicate or a denial."""
    pairs: dict[tuple[str, str], list[Fact]] = {}
    for fact in graph.facts.values():
        if not fact.qualifier:
            pairs.setdefault((fact.head_id, fact.tail_id), []).append(fact)
    losing: list[tuple[Fact, Fact]] = []
    for facts in pairs.values():
        if len(facts) == 1:
            continue
        facts.sort(key=lambda fact: (_rank(fact.layer), fact.edge_id))
        for place, fact in enumerate(facts):
            winner = next((first for first in facts[:place] if disagree(first, fact, schema)), None)
            if winner:
                losing.append((fact, winner))
    return sorted(losing, key=lambda pair: pair[0].edge_id)


def _rank(layer: str) -> int:
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)


def _still_valued(graph: Graph, facts: dict[str, Fact]) -> dict[tuple[str, str, str], str | None]:
    """Completeness rows whose entity still has a value; the rest would declare an empty list complete."""
    valued = {(f.head_id, f.predicate, "forward") for f in facts.values() if not f.negated}
    valued |= {(f.tail_id, f.predicate, "backward") for f in facts.values() if not f.negated}
    return {row: reference for row, reference in sorted(graph.complete.items()) if row in valued}
