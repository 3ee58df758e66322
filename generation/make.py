"""The main job: from build/graph/ to build/questions/.

Order of work: paths, caps, distractors, text, gates, caps again, blocks for the held-out splits, splits. Everything is
decided by hashes of what an item is made of and the seed, so that neither workers nor the order of input rows matter.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from generation import blocks
from generation import candidates as work
from generation.item import Candidate, Item
from generation.splits import MISSION, RESERVE, Caps, Sizes, capped, cut, in_turns
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.paths import Limits
from kg.schema import Schema

MOST = 1_000_000  # questions of one kind that may be asked for
SPARE, SPARE_LEAST = 1.08, 1000  # paths chosen for each question wanted, and besides: some get no distractors
SURPLUS, SURPLUS_LEAST = 1.02, 20  # candidates to cut splits from: some pairs find no room
BLOCKS = 4.0  # blocks looked for beyond those that held-out splits hold: some break a cap or share a pair


@dataclass(frozen=True)
class Config:
    """What decides the items.

    Args:
        seed: draws variants, letters and distractors.
        sizes: questions wanted a split.
        limits: bounds of a path (the strict rule).
        caps: greatest shares of an answer, a bridge, a metapath.
    """

    seed: int = 0
    sizes: Sizes = field(default_factory=Sizes)
    limits: Limits = field(default_factory=Limits)
    caps: Caps = field(default_factory=Caps)


@dataclass
class Made:
    """All that the main job gives, before it is written.

    items: split -> rows; `grpo_reserve` besides the three splits. dropped: reason -> count over all candidates.
    supply: metapath -> sound candidates before caps. asked: split part -> (wanted, reached, explicit).
    """

    items: dict[str, list[Item]] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    supply: Counter[str] = field(default_factory=Counter)
    asked: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def check(config: Config) -> None:
    """Raises InputError for a setting that is out of range."""
    check_bounds(config.seed, config.limits, config.caps)
    check_sizes(config.sizes)


def check_bounds(seed: int, limits: Limits, caps: Caps) -> None:
    """Raises InputError for a seed, a share or a bound that is out of range."""
    if not -(2**63) <= seed < 2**63:
        raise InputError(f"--seed: {seed} is out of range; give a number of at most 18 digits")
    for name, share in vars(caps).items():
        if not 0 < share <= 1:
            raise InputError(f"--caps.{name}: {share} is out of range; give a share above 0, at most 1")
    for name, bound in vars(limits).items():
        if bound < 1:
            raise InputError(f"--limits.{name}: {bound} is out of range; give 1 or more")


def check_sizes(sizes: Sizes) -> None:
    """Raises InputError for a count that is negative or absurd."""
    for name, wanted in vars(sizes).items():
        if wanted is not None and not 0 <= wanted <= MOST:
            raise InputError(f"--sizes.{name}: {wanted} is out of range; give 0 to {MOST:,}")


def make(graph: Graph, schema: Schema, config: Config, workers: int = 1) -> Made:
    """Make all items of a graph.

    Args:
        workers: processes; the result does not depend on it.

    Raises:
        InputError: a size out of range, or a graph without facts.
    """
    check(config)
    if not graph.facts:
        raise InputError("the graph has no facts; build one with `python -m kg build` or choose more layers")
    made, closure, clock = Made(), Closure(graph, schema), time.perf_counter()
    wanted = {name: getattr(config.sizes, name) for name in MISSION}
    numbers = {name: MISSION[name] if number is None else number for name, number in wanted.items()}
    draw, found = _candidates(closure, config, numbers, made, workers)
    kinds = _counted_off(found, _wanted(numbers), config.caps, made.dropped)
    made.seconds["paths, distractors, text"], clock = time.perf_counter() - clock, time.perf_counter()
    chosen = _split(draw, found, kinds, numbers, config.caps, made)
    made.seconds["blocks and splits"] = time.perf_counter() - clock
    for name, part in chosen.items():
        made.items[name] = [{**(one.item or {}), "split": name.partition("_")[0]} for one in part]
    _account(made, wanted, numbers)
    return made


def _wanted(numbers: Mapping[str, int]) -> dict[int, int]:
    """Questions wanted by number of hops."""
    return {1: numbers["sft_single"], 2: numbers["test"] + numbers["grpo"] + _reserve(numbers) + numbers["sft"]}


def _reserve(numbers: Mapping[str, int]) -> int:
    return round(RESERVE * numbers["grpo"])


def _candidates(
    closure: Closure, config: Config, numbers: Mapping[str, int], made: Made, workers: int
) -> tuple[work.Draw, list[Candidate]]:
    """Candidates of both kinds, and the draw that they come from.

    Paths are chosen first, with SPARE more than wanted, so that distractors are drawn from the answers of questions
    that are asked, as often as they are asked. If a trial shows that too few will get them, as many more paths are
    chosen as that calls for, as long as there are more.
    """
    paths = work.find_paths(closure, (1, 2), config.limits, made.dropped, workers)
    made.supply.update(path.metapath for part in paths.values() for path in part)
    turns = {hops: in_turns(Candidate(path) for path in part) for hops, part in paths.items()}
    wanted = _wanted(numbers)
    most = {hops: round(number * SPARE + SPARE_LEAST) if number else 0 for hops, number in wanted.items()}
    while True:
        dropped = Counter[str]()
        bare = {hops: capped(turns[hops], most[hops], config.caps, dropped, work.named(hops)) for hops in wanted}
        draw = work.Draw(closure, [one.path for part in bare.values() for one in part], config.seed, workers)
        need = {hops: round(number / max(draw.yields.get(hops, 0), 0.05) * SPARE) for hops, number in wanted.items()}
        short = [hops for hops in wanted if len(bare[hops]) >= most[hops] and most[hops] < need[hops]]
        if not short:
            break
        most |= {hops: need[hops] for hops in short}
    found = draw.questions()
    made.dropped.update(dropped + found.dropped)
    return draw, found.candidates


def _counted_off(
    candidates: Sequence[Candidate], wanted: Mapping[int, int], caps: Caps, dropped: Counter[str]
) -> dict[int, list[Candidate]]:
    kinds = {}
    for hops, number in wanted.items():
        rows = in_turns(one for one in candidates if len(one.path.hops) == hops)
        most = number if hops == 1 or not number else round(number * SURPLUS) + SURPLUS_LEAST
        kinds[hops] = capped(rows, most, caps, dropped, work.named(hops))
    return kinds


def _split(
    draw: work.Draw,
    found: Sequence[Candidate],
    kinds: Mapping[int, Sequence[Candidate]],
    numbers: Mapping[str, int],
    caps: Caps,
    made: Made,
) -> dict[str, list[Candidate]]:
    shares = [
        ("test", numbers["test"]),
        ("grpo", numbers["grpo"]),
        ("grpo_reserve", _reserve(numbers)),
        ("sft", numbers["sft"]),
    ]
    wanted, held_out = sum(number for _, number in shares), sum(number for _, number in shares[:-1])
    several = [one for one in found if len(one.path.hops) > 1]
    number = round(BLOCKS * held_out * min(1.0, len(kinds[2]) / max(1, wanted)))
    fours = blocks.find(draw.distractors, several, number, draw.workers)
    chosen = {split.name: split.candidates for split in cut(kinds[2], shares, caps, fours)}
    asked = {one.path.pair for split in chosen.values() for one in split}
    used = {one.key for split in chosen.values() for one in split}
    for one in kinds[2]:
        if one.key not in used:
            elsewhere = "its ends are asked in another split" if one.path.pair in asked else "more than the splits hold"
            made.dropped[f"2 hops: {elsewhere}"] += 1
    if len(chosen["sft"]) < numbers["sft"]:
        # what found no room has shrunk the whole, so that the caps bind anew; held-out splits keep them by themselves
        whole = [one for split in chosen.values() for one in split]
        kept = {one.key for one in capped(whole, len(whole), caps, made.dropped, work.named(2))}
        chosen["sft"] = [one for one in chosen["sft"] if one.key in kept]
    for name, candidates in chosen.items():
        if name != "sft":
            written = draw.written([one._replace(item=None) for one in candidates])
            chosen[name] = written.candidates
            made.dropped.update(written.dropped)
    chosen["sft"] = [*kinds[1], *chosen["sft"]]
    made.items = {name: [] for name in ("sft", "grpo", "test", "grpo_reserve")}
    return {name: chosen[name] for name in made.items}


def _account(made: Made, wanted: Mapping[str, int | None], numbers: Mapping[str, int]) -> None:
    reached = {name: len(made.items[name]) for name in ("grpo", "test")}
    reached["sft_single"] = sum(item["hops"] == 1 for item in made.items["sft"])
    reached["sft"] = len(made.items["sft"]) - reached["sft_single"]
    made.asked = {name: (numbers[name], reached[name], wanted[name] is not None) for name in MISSION}


def shortfalls(made: Made) -> list[str]:
    """Explicit counts that were not reached, in words."""
    return [
        f"{name}: asked for {want:,}, {got:,} sound questions were found"
        for name, (want, got, explicit) in made.asked.items()
        if explicit and got < want
    ]
