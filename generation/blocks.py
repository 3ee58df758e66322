"""Blocks of four questions that share their four options, each of which is the key of one of them.

Held-out questions come in such blocks, so that nothing about the options of a question tells its key: not the words,
not the length, not how often an entity is right elsewhere. Whoever looks at options alone gets one question in four.

A block is found from a question outwards: partners ask for the same category, in similar words if possible (a sibling as
the answer, the same metapath, the same last step), and every key must be a sound distractor of the three other
questions. Blocks that rest on references and on proof are tried for first. All is decided by hashes of what takes part, category by
category, so that a fact added elsewhere moves little.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from generation.court import Hearing
from generation.distractors import Distractor, Distractors
from generation.item import Candidate
from generation.splits import referenced, touches_core
from generation.workers import spread
from kg.paths import Path, digest
from kg.verdict import Verdict

SIZE = 4
LOOK_AT = 200  # partners tried for one question
LENGTHS = 3.0  # longest label of a block over the shortest


_state: dict[str, Any] = {}  # inherited by workers


def find(
    distractors: Distractors, candidates: Sequence[Candidate], wanted: int, workers: int = 1
) -> list[list[Candidate]]:
    """Blocks for about `wanted` questions, each answer category in proportion; the best proven come first.

    Candidates of a block have new distractors (the other keys) and no finished row.

    Args:
        workers: processes; the result does not depend on it.
    """
    nodes = distractors.closure.graph.nodes
    groups: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_hash):
        groups[nodes[candidate.path.target].category].append(candidate)
    tasks = [
        (members, -(-wanted * len(members) // (SIZE * len(candidates))))
        for members in sorted(groups.values(), key=len, reverse=True)
    ]
    _state.update(distractors=distractors, tasks=tasks)
    found = []
    for (members, _), blocks in zip(tasks, spread(_in_group, len(tasks), workers, "blocks", 1, "group"), strict=True):
        found += [[members[place]._replace(**new) for place, new in block] for block in blocks]
    return sorted(found, key=_order)


def _in_group(span: tuple[int, int]) -> list[list[tuple[int, dict[str, Any]]]]:
    """Blocks of one group: places of its members, with what is new of each."""
    members, most = _state["tasks"][span[0]]
    return _Group(_state["distractors"], members).blocks(most)


class _Group:
    """Questions for one category, in hash order, known by their places."""

    def __init__(self, distractors: Distractors, members: Sequence[Candidate]) -> None:
        self.distractors, self.label = distractors, distractors.closure.graph.label
        self.members = members
        self.keys = [one.path.target for one in self.members]
        self.pairs = [one.path.pair for one in self.members]
        self.lengths = [len(self.label(key)) for key in self.keys]
        self.free = set(range(len(members)))
        self.alike: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self.members):
            for name in (one.path.target, f"all {one.path.metapath}", f"last {one.path.steps[-1]}", ""):
                self.alike[name].append(place)
        self._hearings: dict[int, Hearing] = {}
        self._verdicts: dict[tuple[int, str], Verdict | None] = {}
        self._apart: dict[tuple[str, str], bool] = {}

    def blocks(self, most: int) -> list[list[tuple[int, dict[str, Any]]]]:
        """Up to so many blocks: of referenced facts first, and of distractors with proof first."""
        found: list[list[tuple[int, dict[str, Any]]]] = []
        unread = {place for place, one in enumerate(self.members) if not referenced(one)}
        for left_out, proven in ((unread, True), (unread, False), (set[int](), True), (set[int](), False)):
            self.free -= left_out
            for place in range(len(self.members)):
                if len(found) >= most:
                    return found
                if place in self.free and (block := self._around(place, proven)):
                    found.append([(one, self._new(one, block)) for one in block])
                    self.free.difference_update(block)
            self.free |= left_out
        return found

    def _around(self, first: int, proven: bool) -> list[int]:
        """A block with this question in it, or nothing."""
        block, taken = [first], {self.keys[first]}
        for other in islice(self._partners(first), LOOK_AT):
            if self.keys[other] not in taken and all(self._fit(one, other, proven) for one in block):
                block.append(other)
                taken.add(self.keys[other])
                if len(block) == SIZE:
                    return block
        return []

    def _partners(self, first: int) -> Iterator[int]:
        """Free questions, most alike first, each kind in hash order, going round from the place of `first`."""
        path, seen = self.members[first].path, {first}
        siblings = sorted(self.distractors.near(path.target))
        for name in (*siblings, f"all {path.metapath}", f"last {path.steps[-1]}", ""):
            places = self.alike.get(name, [])
            start = bisect(places, first)
            for other in (*places[start:], *places[:start]):
                if other in self.free and other not in seen:
                    seen.add(other)
                    yield other

    def _fit(self, one: int, other: int, proven: bool) -> bool:
        """Whether each key is a sound distractor of the other question, and both can stand side by side."""
        mine, yours = self.lengths[one], self.lengths[other]
        if mine > LENGTHS * yours or yours > LENGTHS * mine or self.pairs[one] == self.pairs[other]:
            return False
        ends = self.keys[one], self.keys[other]
        if ends not in self._apart:
            self._apart[ends] = self.distractors.apart(*ends)
        return self._apart[ends] and self._stands(one, ends[1], proven) and self._stands(other, ends[0], proven)

    def _stands(self, one: int, node: str, proven: bool) -> bool:
        """Whether an entity is a sound distractor of a question, with proof if that is asked."""
        verdict = self._verdict(one, node)
        return verdict is not None and not (proven and verdict.status == "absent")

    def _verdict(self, one: int, node: str) -> Verdict | None:
        if (one, node) not in self._verdicts:
            if one not in self._hearings:
                self._hearings[one] = Hearing(self.distractors, self.members[one].path)
            self._verdicts[one, node] = self._hearings[one].sound(node)
        return self._verdicts[one, node]

    def _new(self, one: int, block: Sequence[int]) -> dict[str, Any]:
        """What is new of a candidate: the other keys are its distractors, and each has its key at another letter."""
        path = self.members[one].path
        others = sorted(
            (self.keys[other] for other in block if other != one), key=lambda node: digest(_hash_of(path), node)
        )
        wrong = tuple(Distractor(node, verdict) for node in others if (verdict := self._verdict(one, node)))
        category = self.distractors.closure.graph.nodes[path.target].category
        place = sorted(block, key=lambda other: digest("letter", _hash(self.members[other]))).index(one)
        return {"category": category, "distractors": wrong, "item": None, "place": place}


def balanced(questions: Iterable[tuple[Sequence[str], str]]) -> float:
    """Share of questions whose set of options is asked equally often with each option as the key.

    Args:
        questions: the ids of the options, and that of the key, for every question of a split.
    """
    keys: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for options, key in questions:
        keys[frozenset(options)][key] += 1
    even = sum(count.total() for s, count in keys.items() if len(count) == len(s) and len(set(count.values())) == 1)
    return even / max(1, sum(count.total() for count in keys.values()))


def _hash(one: Candidate) -> str:
    return _hash_of(one.path)


def _hash_of(path: Path) -> str:
    return digest("block", path.path_id, path.source)


def _order(block: Sequence[Candidate]) -> tuple[bool, bool, str]:
    """Blocks of referenced facts first, those of core facts with mostly proven distractors before others, then by hash."""
    absent = sum(wrong.verdict.status == "absent" for one in block for wrong in one.distractors)
    good = absent <= SIZE and all(touches_core(one) for one in block)
    return not all(referenced(one) for one in block), not good, digest(*map(_hash, block))
