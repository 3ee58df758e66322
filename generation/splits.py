"""Which candidates are used, and in which split.

Selection is by tiers of layers (core facts first, catalogue facts last) and, within a tier, by turns: every answer has
its candidates in hash order; first turns of all answers come first, so that rare entities are asked. Caps bound how
often one answer, bridge, metapath or layer group may occur; they are shares of the number reached, found by repeating
until it stands still.

Held-out splits are filled with blocks of four (generation/blocks.py); the test split takes questions whose core facts
have a reference, as far as there are any. What is left is cut by the hash of the unordered pair of ends, in order: all
questions of one pair, and so of one path, fall into one split. A fact added elsewhere moves a cut by a few places only.
Pairs whose questions rest on proofs and on a core fact lean towards the held-out end (LEAN).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

from generation.item import Candidate
from kg.paths import digest


@dataclass(frozen=True)
class Sizes:
    """How many questions are wanted. None means the mission's number, and all that is sound if that cannot be had.

    Args:
        sft_single: single-hop questions for SFT (12,500).
        sft: two-hop questions for SFT (30,750).
        grpo: two-hop questions for GRPO (5,000; a ranked reserve of another tenth is made besides).
        test: two-hop questions held out (5,000).
    """

    sft_single: int | None = None
    sft: int | None = None
    grpo: int | None = None
    test: int | None = None


MISSION = {"sft_single": 12_500, "sft": 30_750, "grpo": 5_000, "test": 5_000}
RESERVE = 0.1
LEAN = 10.0
LOOSER = 4.0  # times the caps that a split for GRPO keeps, so that its prompts find blocks; the whole keeps them once
FEW = {"metapath": 20.0, "HPO and GO": 20.0}  # a cap never goes below so many: small graphs have few kinds of walks


@dataclass(frozen=True)
class Caps:
    """Greatest share of the questions of one kind (single-hop, two-hop).

    Args:
        answer: for one answer entity. bridge: for one bridge. metapath: for one metapath.
        rare_disease: for paths all of whose facts are of HPO or GO.
    """

    answer: float = 0.005
    bridge: float = 0.01
    metapath: float = 0.08
    rare_disease: float = 0.40

    def times(self, factor: float) -> Caps:
        """So many times as much, up to all."""
        return Caps(*(min(1.0, factor * share) for share in astuple(self)))


CAPPED: dict[str, Callable[[Candidate], Iterable[str]]] = {  # what a cap counts of a question
    "answer": lambda one: (one.path.target,),
    "bridge": lambda one: one.path.bridges,
    "metapath": lambda one: (one.step,),
}


class Split(NamedTuple):
    """Name and candidates, in order."""

    name: str
    candidates: list[Candidate]


def in_turns(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by tier of their layers, then by turn of their answer, then by hash."""
    groups: dict[tuple[int, str], list[tuple[str, Candidate]]] = defaultdict(list)
    for candidate in candidates:
        key = digest(candidate.path.path_id, candidate.path.source)
        groups[tier(candidate), candidate.path.target].append((key, candidate))
    ranked: list[tuple[int, int, str, Candidate]] = []
    for (level, _), rows in groups.items():
        rows.sort(key=lambda row: row[0])
        ranked += [(level, turn, key, candidate) for turn, (key, candidate) in enumerate(rows)]
    ranked.sort(key=lambda row: row[:3])
    return [candidate for *_, candidate in ranked]


def tier(candidate: Candidate) -> int:
    """0 with a core fact, 1 without, 2 if all facts are of HPO or GO (catalogue facts come last)."""
    if touches_core(candidate):
        return 0
    return 2 if _rare(candidate) else 1


def touches_core(candidate: Candidate) -> bool:
    return any(hop.fact.layer == "core" for hop in candidate.path.hops)


def referenced(candidate: Candidate) -> bool:
    """Whether every core fact of the path has a reference that was read (facts of other layers name their database)."""
    return all(hop.fact.reference for hop in candidate.path.hops if hop.fact.layer == "core")


def capped(ordered: Sequence[Candidate], wanted: int, caps: Caps, dropped: Counter[str], name: str) -> list[Candidate]:
    """The first `wanted` candidates that keep the caps. Those over a cap are counted by reason, under `name`."""
    target, chosen, over = min(wanted, len(ordered)), list(ordered), Counter[str]()
    for _ in range(50):
        over = Counter()
        chosen = _under_caps(ordered, target, caps, over)
        if len(chosen) >= target:
            break
        target = len(chosen)
    dropped.update({f"{name}: {reason}": count for reason, count in over.items()})
    dropped[f"{name}: more than asked for"] += len(ordered) - sum(over.values()) - len(chosen)
    return chosen


def _under_caps(ordered: Sequence[Candidate], target: int, caps: Caps, over: Counter[str]) -> list[Candidate]:
    limits = [(kind, getattr(caps, kind), keys) for kind, keys in CAPPED.items()]
    limits.append(("HPO and GO", caps.rare_disease, lambda c: ("all",) if _rare(c) else ()))
    used: dict[str, Counter[str]] = {name: Counter() for name, _, _ in limits}
    chosen: list[Candidate] = []
    for candidate in ordered:
        if len(chosen) == target:
            break
        full = next(
            (
                n
                for n, share, keys in limits
                if any(used[n][k] + 1 > max(FEW.get(n, 1.0), share * target) for k in keys(candidate))
            ),
            None,
        )
        if full:
            over[f"cap: {full}"] += 1
            continue
        for name, _, keys in limits:
            used[name].update(keys(candidate))
        chosen.append(candidate)
    return chosen


def _rare(candidate: Candidate) -> bool:
    return all(hop.fact.layer in ("hpo", "go") for hop in candidate.path.hops)


def pair_order(candidate: Candidate) -> tuple[str, str]:
    """Sort key that keeps all questions of one pair of ends together."""
    return digest("pair", *candidate.path.pair), digest(*candidate.key)


def _leaning(pair: list[Candidate]) -> float:
    """Place of a pair between 0 and 1. Proven questions with a core fact stand LEAN times nearer to the held-out end."""
    place = int(digest("pair", *pair[0].path.pair), 16) / 2.0**64
    good = all(touches_core(c) and sum(d.verdict.status != "absent" for d in c.distractors) >= 2 for c in pair)
    return place / LEAN if good else place


def cut(
    candidates: Sequence[Candidate],
    shares: Sequence[tuple[str, int]],
    caps: Caps,
    blocks: Sequence[list[Candidate]] = (),
) -> list[Split]:
    """Cut candidates into splits; the questions of one pair of ends never fall into two.

    Args:
        shares: (split, number wanted), the training split last. If there are fewer candidates than wanted in all,
            every split gets its proportion. A pair that finds no room, or would break a cap within a split, waits
            for the next one.
        caps: kept by the test split by itself, by the whole when the training split fills up; by those for GRPO
            LOOSER times.
        blocks: of candidates (generation/blocks.py). All splits but the last are filled with whole blocks as far as
            there are any, then with what else asks about the ends of these (it could stand in no other split), and with
            pairs in their order after that; the split called test so with what is `referenced`, then with the rest.
    """
    pairs = sorted(_by_pair(candidates), key=_leaning)
    wanted = sum(number for _, number in shares)
    scale = min(1.0, len(candidates) / wanted) if wanted else 0.0
    splits: list[Split] = []
    for name, number in shares:
        last = name == shares[-1][0]
        own = caps.times(LOOSER) if name.startswith("grpo") else caps
        before = [one for split in splits for one in split.candidates] if last else []
        split = _Filling(round(number * scale), own, before, FEW if last else {})
        if name == "test":
            _hold_out(split, blocks, pairs, referenced)
        if last:
            split.fill(pairs)
        else:
            _hold_out(split, blocks, pairs, lambda _: True)
        pairs = [pair for pair in pairs if pair[0].path.pair not in split.ends]
        blocks = [block for block in blocks if all(one.path.pair not in split.ends for one in block)]
        splits.append(Split(name, split.taken))
    return splits


def _hold_out(
    split: _Filling, blocks: Iterable[list[Candidate]], pairs: list[list[Candidate]], fit: Callable[[Candidate], bool]
) -> None:
    """Fill a split with blocks, mates and pairs, of what is fit for it."""
    split.fill(split.scarce_first([block for block in blocks if all(map(fit, block))]))
    split.fill(list(filter(fit, mates)) for mates in _mates(pairs, split.taken))
    split.fill(pair for pair in pairs if pair[0].path.pair not in split.ends and all(map(fit, pair)))


def _mates(pairs: Iterable[list[Candidate]], taken: Iterable[Candidate]) -> list[list[Candidate]]:
    """Of each pair of ends that is asked about already, the questions that are not taken yet."""
    used: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for one in taken:
        used[one.path.pair].add(one.key)
    asked = (pair for pair in pairs if pair[0].path.pair in used)
    left = ([one for one in pair if one.key not in used[one.path.pair]] for pair in asked)
    return [pair for pair in left if pair]


class _Filling:
    """One split as it fills up with units (pairs or blocks) that are never parted.

    Args:
        before: questions that the caps count too. few: what a cap never goes below (1 where nothing is said).
    """

    def __init__(
        self, room: int, caps: Caps, before: Sequence[Candidate] = (), few: Mapping[str, float] | None = None
    ) -> None:
        self.room, self.caps, self.few = room, caps, few or {}
        self.of = room + len(before)
        self.taken: list[Candidate] = []
        self.keys: set[tuple[str, str]] = set()
        self.ends: set[tuple[str, str]] = set()
        self.used = {kind: Counter(key for one in before for key in keys(one)) for kind, keys in CAPPED.items()}

    def fill(self, units: Iterable[list[Candidate]]) -> None:
        """Take units in order as long as there is room, no cap is broken and nothing is taken twice."""
        for unit in units:
            if len(self.taken) == self.room:
                return
            if any(one.key in self.keys for one in unit):
                continue
            new = {kind: Counter(key for one in unit for key in keys(one)) for kind, keys in CAPPED.items()}
            if len(self.taken) + len(unit) <= self.room and not self._full(new):
                for kind, keys in new.items():
                    self.used[kind].update(keys)
                self.taken += unit
                self.keys.update(c.key for c in unit)
                self.ends.update(c.path.pair for c in unit)

    def scarce_first(self, units: list[list[Candidate]]) -> list[list[Candidate]]:
        """Units in an order in which more of them find room: those whose answers, bridges and metapaths are seldom first.

        How crowded a unit is counts by whole numbers, so that a candidate more changes little.
        """
        counts = {
            kind: Counter(key for unit in units for one in unit for key in keys(one)) for kind, keys in CAPPED.items()
        }

        def crowded(unit: list[Candidate]) -> int:
            shares = (
                counts[kind][key] / self._most(kind)
                for one in unit
                for kind, keys in CAPPED.items()
                for key in keys(one)
            )
            return round(sum(shares))

        return sorted(units, key=crowded)

    def _most(self, kind: str) -> float:
        share: float = getattr(self.caps, kind)
        return max(self.few.get(kind, 1.0), share * self.of)

    def _full(self, new: dict[str, Counter[str]]) -> bool:
        return any(
            self.used[kind][key] + count > self._most(kind) for kind, keys in new.items() for key, count in keys.items()
        )


def _by_pair(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    pairs: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=pair_order):
        pairs[candidate.path.pair].append(candidate)
    return list(pairs.values())
