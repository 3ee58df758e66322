"""Command line of the kg stage: `python -m kg COMMAND --help`."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

from kg import diff as diffing
from kg import rulings, store
from kg.blueprint import read as read_blueprint
from kg.build import EMBEDDED, LAYERS, PROFILES, Build, check_layers, embedded
from kg.build import build as build_graph
from kg.command import run
from kg.comparison import AREAS, Comparison
from kg.coverage import Coverage
from kg.errors import GateError, InputError, nearest
from kg.find import find
from kg.graph import Fact, Graph
from kg.importing import Import, import_files
from kg.importing import save as save_import
from kg.plots import draw
from kg.schema import Schema
from kg.scope import Scope
from kg.sources import core, derive
from kg.stats import overview, table
from kg.validate import findings, said

GRAPH = Path("build/graph")
EVERYTHING = Scope()


def build(
    out: Path = GRAPH,
    profile: str = "full",
    layers: list[str] | None = None,
    licenses: list[str] | None = None,
    schema: Path | None = None,
    core_folder: Path | None = None,
) -> None:
    """Build the graph from the embedded layers and write it.

    Args:
        out: folder to write to.
        profile: open (core and CC BY layers) or full (adds share-alike and run-time data).
        layers: layers by name, instead of a profile.
        licenses: keep only facts under these licences.
        schema: a vocabulary of your own.
        core_folder: core tables of your own.
    """
    if profile not in PROFILES:
        raise InputError(f"--profile: unknown profile {profile!r}; {nearest(profile, PROFILES)}")
    vocabulary = Schema.load(schema)
    made = build_graph(vocabulary, layers or PROFILES[profile], licenses, core_folder)
    store.save(made.graph, vocabulary, out, {"graph_sha256": made.graph.sha256})
    print(_account(made))
    print(f"\nWritten to {out}. Next: {_questions(out)}")


def diff(old: Path, new: Path, questions: Path = Path("build/questions")) -> None:
    """Show what changed between two built graphs, and which questions that touches.

    Args:
        old: folder of the earlier graph.
        new: folder of the later one.
        questions: questions made from the earlier graph.
    """
    before, after = store.load(old)[0], store.load(new)[0]
    changes = diffing.diff(before, after)
    print(diffing.told(changes, before, after, diffing.touched(changes, questions) if questions.exists() else None))
    if not questions.exists():
        print(f"There are no questions at {questions} to compare; name their folder with --questions")


def import_(
    files: list[str],
    format: str = "auto",
    layer: str = "",
    license: str = "unknown",
    source: str = "",
    map: Path | None = None,
    columns: dict[str, str] | None = None,
    sssom: list[str] | None = None,
    scope: Scope = EVERYTHING,
    layers: list[str] | None = None,
    licenses: list[str] | None = None,
    out: Path = GRAPH,
) -> None:
    """Import a graph of your own and write it, alone or together with embedded layers.

    Args:
        files: one file, or several that belong together (KGX nodes and edges).
        format: of the files; auto looks.
        layer: name of the new layer; from the file's name if not given.
        license: of facts whose rows name none.
        source: name and version of the data; from the file if not given.
        map: a mapping file; one is drafted and written beside the graph if not given.
        columns: for triples, role (head, predicate, tail, ...) to column where the header does not say.
        sssom: files of identifier equivalences.
        scope: keep only what is near these seeds.
        layers: embedded layers to build together with the import (none by default).
        licenses: keep only facts under these licences.
        out: folder to write to.
    """
    check_layers(layers or ())
    made = import_files(
        Import(
            tuple(files),
            format,
            layer,
            license,
            source,
            str(map) if map else None,
            columns or {},
            tuple(sssom or ()),
            scope,
        )
    )
    built = save_import(made, out, embedded(made.schema, layers or ()), licenses)
    print(made.report)
    print(_account(built))
    print(f"\nWritten to {out} (the mapping: {out / 'mapping.yaml'}). Next: {_questions(out)}")


def _questions(graph: Path) -> str:
    """The command that makes questions of a graph."""
    return "python -m generation questions" + ("" if graph == GRAPH else f" --graph {graph}")


def _account(made: Build) -> str:
    graph = made.graph
    counts = Counter(fact.layer for fact in graph.facts.values())
    lines = [
        f"{len(graph.nodes):,} nodes, {len(graph.facts):,} facts ({', '.join(f'{n} {c:,}' for n, c in sorted(counts.items()))})"
    ]
    lines.append(
        f"{len(graph.merges):,} entities of later layers merged into earlier ones; {len(made.conflicts)} facts contradicted by an earlier layer removed"
    )
    rows = [
        (layer, reason, count) for layer, reasons in made.dropped.items() for reason, count in reasons.most_common()
    ]
    return "\n".join(lines) + (
        "\n\nrows left out or kept from being asked\n" + table(rows, ("layer", "reason", "rows")) if rows else ""
    )


def stats(
    graph: Path = GRAPH, core_folder: Path | None = None, every_cell: bool = False, plot: Path | None = None
) -> None:
    """Count facts, entities, predicates and topics of a built graph, and hold the core against its targets.

    Args:
        graph: folder of the graph.
        core_folder: core tables whose blueprint to use (the embedded ones by default).
        every_cell: show every cell of the blueprint, not only those that fall short.
        plot: a file to draw the same to, .svg or .png.
    """
    loaded, schema = store.load(graph)
    blueprint = read_blueprint(core_folder or core.core_folder())
    if plot:
        draw(Coverage(loaded, schema, blueprint), plot)
    print(overview(loaded, schema, blueprint, every_cell))
    if plot:
        print(f"\nDrawn to {plot}")


def validate(graph: Path = GRAPH, notes: bool = False) -> None:
    """Check a built graph; exit 4 if something would make questions unsound.

    Args:
        graph: folder of the graph.
        notes: show every note, not one of each kind.
    """
    loaded, schema = store.load(graph)
    found = findings(loaded, schema)
    faults, rest = ([one for one in found if one.hard == hard] for hard in (True, False))
    print(f"{len(loaded.facts):,} facts checked: {len(faults)} faults, {len(rest)} notes")
    for fault in faults:
        print(f"FAULT  {fault.kind}: {fault.text}")
    counts = Counter(note.kind for note in rest)
    for note in rest:
        if notes:
            print(f"note   {note.kind}: {note.text}")
        elif count := counts.pop(note.kind, 0):
            print(f"note   {note.kind}: {count:,}, e.g. {note.text}")
    if rest and not notes:
        print("(--notes true shows every note)")
    if faults:
        raise GateError(f"{len(faults)} faults; mend the tables they come from")


def compare(core_folder: Path | None = None, schema: Path | None = None, silences: int = 0) -> None:
    """Hold the core against the open layers; exit 4 if a conflict has no ruling.

    Args:
        core_folder: core tables of your own.
        schema: a vocabulary of your own.
        silences: of what only one side says, show so many pairs.
    """
    vocabulary, folder = Schema.load(schema), core_folder or core.core_folder()
    known = rulings.read(folder)
    names = [name for name in LAYERS if name in {area.layer for area in AREAS}]
    comparison = Comparison([core.load(vocabulary, folder), *(EMBEDDED[name]() for name in names)], vocabulary)
    areas = [comparison.compare(area) for area in AREAS]
    print(rulings.told(areas, known))
    for made in areas:
        for side, pairs in (("the core alone", made.only_core), (f"{made.area.layer} alone", made.only_layer)):
            for pair in pairs[:silences]:
                print(f"{made.area.name}, {side}: {' / '.join(comparison.labels(pair))}")
    faults = rulings.faults([conflict for made in areas for conflict in made.conflicts], known)
    if faults:
        raise GateError("\n".join(faults))


def check_core(folder: Path | None = None, schema: Path | None = None) -> None:
    """Check the core tables row by row; exit 2 if a row is wrong."""
    faults = core.faults(Schema.load(schema), folder)
    for fault in faults:
        print(fault)
    if faults:
        raise InputError(f"{len(faults)} faulty rows")
    print("core tables are clean")


def neighbours(entity: str, graph: Path = GRAPH, limit: int = 60) -> None:
    """Show every fact of an entity, given by label, synonym or id."""
    loaded, _ = store.load(graph)
    node = find(loaded, entity)
    facts = [f for table_ in (loaded.out, loaded.into) for group in table_.get(node, {}).values() for f in group]
    known = loaded.nodes[node]
    print(f"{known.label}  ({known.category}, {node}){'  = ' + ', '.join(known.synonyms) if known.synonyms else ''}")
    facts.sort(key=lambda f: (f.head_id != node, f.predicate, loaded.label(f.tail_id), loaded.label(f.head_id)))
    for fact in facts[:limit]:
        print("  " + _line(loaded, fact))
    if len(facts) > limit:
        print(f"  ... {len(facts) - limit:,} more; raise --limit to see them")


def path(a: str, b: str, graph: Path = GRAPH) -> None:
    """Show a shortest walk over askable facts between two entities."""
    loaded, _ = store.load(graph)
    ends = find(loaded, a), find(loaded, b)
    undirected = nx.Graph()
    for fact in loaded.facts.values():
        if fact.askable and not fact.negated:
            undirected.add_edge(fact.head_id, fact.tail_id, fact=fact)
    try:
        walk = nx.shortest_path(undirected, *ends)
    except (nx.NetworkXNoPath, nx.NodeNotFound) as error:
        raise InputError(f"no walk of askable facts joins {a!r} and {b!r}") from error
    for first, second in itertools.pairwise(walk):
        print(_line(loaded, undirected.edges[first, second]["fact"]))


def _line(graph: Graph, fact: Fact) -> str:
    marks = "".join(f" [{mark}]" for mark in (fact.qualifier, None if fact.askable else "not asked") if mark)
    return f"{said(graph, fact)}{marks}"


COMMANDS: dict[str, Callable[..., Any]] = {
    "build": build,
    "import": import_,
    "diff": diff,
    "stats": stats,
    "validate": validate,
    "compare": compare,
    "check-core": check_core,
    "neighbours": neighbours,
    "path": path,
    "derive": derive.derive,
}

if __name__ == "__main__":
    sys.exit(run(COMMANDS, "python -m kg", lists=("import",)))
