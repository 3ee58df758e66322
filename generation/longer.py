"""Test sets over three, four and five facts: does what was learnt on one and two facts compose?

    python -m generation longer

Writes `neurobench_{3,4,5}hop.parquet` beside the splits: the same graph, rules, proofs and gates, and blocks of four as
far as there are any. No pair of ends is one that a question of the splits asks about; the single facts are known from
training on purpose. Few entities end a chain of five, so distractors are drawn from the answers of all lengths
together, the caps are wider, and one wrong option at least must have a proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from generation import blocks
from generation import candidates as work
from generation.files import LONGER
from generation.item import Candidate, Item
from generation.make import BLOCKS, MOST, check_bounds
from generation.splits import Caps, capped, cut, in_turns
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.paths import Limits, Path
from kg.schema import Schema
from kg.stats import table
from kg.verdict import PROOFS

LENGTHS = tuple(range(3, 3 + len(LONGER)))
NUMBER = 500
CAPS = Caps(answer=0.04, bridge=0.10)


@dataclass(frozen=True)
class Config:
    """What decides the longer test sets.

    Args:
        seed: draws variants, letters and distractors.
        number: questions wanted of each length; 500, or all that are sound, by default.
        limits: bounds of a path (the strict rule).
        caps: greatest shares of an answer, a bridge, a metapath in one set.
    """

    seed: int = 0
    number: int | None = None
    limits: Limits = field(default_factory=Limits)
    caps: Caps = field(default_factory=lambda: CAPS)


@dataclass
class Longer:
    """items: name of the set -> rows. paths: the same -> paths under the strict rule. dropped: reason -> count."""

    items: dict[str, list[Item]]
    paths: dict[str, int]
    dropped: Counter[str]


def check(config: Config) -> None:
    """Raises InputError for a setting that is out of range."""
    check_bounds(config.seed, config.limits, config.caps)
    if config.number is not None and not 1 <= config.number <= MOST:
        raise InputError(f"--number: {config.number} is out of range; give 1 to {MOST:,}")


def longer(
    graph: Graph, schema: Schema, splits: Mapping[str, Sequence[Item]], config: Config, workers: int = 1
) -> Longer:
    """Make the longer test sets of a graph.

    Args:
        splits: every split made from the graph; no pair of their ends is asked again.
        workers: processes; the result does not depend on it.

    Raises:
        InputError: a setting out of range.
    """
    check(config)
    closure, dropped = Closure(graph, schema), Counter[str]()
    paths = work.find_paths(closure, LENGTHS, config.limits, dropped, workers)
    taken = {_pair(item) for items in splits.values() for item in items}
    fresh = {hops: _fresh(part, taken, dropped) for hops, part in paths.items()}
    draw = work.Draw(closure, [path for part in fresh.values() for path in part], config.seed, workers)
    found = draw.questions()
    dropped.update(found.dropped)
    made = Longer({}, {}, dropped)
    for name, hops in zip(LONGER, LENGTHS, strict=True):
        made.paths[name] = len(paths[hops])
        candidates = [one for one in found.candidates if len(one.path.hops) == hops and one.path.pair not in taken]
        made.items[name] = _chosen(draw, candidates, config, dropped)
        taken |= {_pair(item) for item in made.items[name]}
    return made


def _pair(item: Item) -> tuple[str, str]:
    first, second = sorted((item["source_id"], item["target_id"]))
    return first, second


def _fresh(paths: Sequence[Path], taken: Collection[tuple[str, str]], dropped: Counter[str]) -> list[Path]:
    """The paths whose ends no split asks about."""
    kept = [path for path in paths if path.pair not in taken]
    if paths:
        dropped[f"{work.named(len(paths[0].hops))}: its ends are asked in another split"] += len(paths) - len(kept)
    return kept


def _proven(candidate: Candidate) -> bool:
    return any(one.verdict.status != "absent" for one in candidate.distractors)


def _chosen(draw: work.Draw, found: Sequence[Candidate], config: Config, dropped: Counter[str]) -> list[Item]:
    """The questions of one length: blocks first, under the caps."""
    proven = [one for one in found if _proven(one)]
    if not proven:
        return []
    name = work.named(len(found[0].path.hops))
    dropped[f"{name}: no wrong option has a proof"] += len(found) - len(proven)
    room = len(capped(in_turns(proven), config.number or NUMBER, config.caps, dropped, name))
    fours = blocks.find(draw.distractors, proven, round(BLOCKS * room), draw.workers)
    fours = [block for block in fours if all(map(_proven, block))]
    shares = [(name, room), ("left out", len(proven) - room)]
    written = draw.written([one._replace(item=None) for one in cut(proven, shares, config.caps, fours)[0].candidates])
    dropped.update(written.dropped)
    return [{**(one.item or {}), "split": "test"} for one in written.candidates]


def summary(made: Longer, splits: Mapping[str, Sequence[Item]]) -> str:
    """How many there are, how known to be false the wrong options are, and what of them training has seen."""
    seen = {hop["edge_id"] for name in ("sft", "grpo") for item in splits[name] for hop in item["path"]}
    rows = []
    for name, items in made.items.items():
        proofs = Counter(proof for item in items for proof in item["option_proofs"])
        known = sum(all(hop["edge_id"] in seen for hop in item["path"]) for item in items)
        metapaths, answers = ({item[column] for item in items} for column in ("metapath", "target_id"))
        counts = (made.paths[name], len(items), len(metapaths), len(answers))
        rows.append((name, *counts, known, proofs["contradicted"], proofs["closed"], proofs["absent"]))
    header = ("set", "paths", "questions", "metapaths", "answers", "all facts trained", *PROOFS)
    return table(rows, header)
