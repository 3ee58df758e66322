"""Three wrong options for a path: plausible, matched, and each with a proof that it is wrong.

Candidates are entities of the category asked for that are the key of some question themselves, drawn with weights: as
often as they are keys of the same metapath (so that neither an entity nor an answer to a kind of question is known by
its role), nearer in label length, and more often when they stand in the same neighbourhood, begin alike, or answer the
same kind of question for a bridge's foil (so that skipping a hop picks them). The draw is by a hash per (item, entity),
best weighted score first (Efraimidis and Spirakis 2006), so that it depends on nothing but the item and the
candidates, and a fact added elsewhere moves almost nothing.

Which candidates are sound is decided by `Hearing` (generation/court.py); those with a proof (contradicted, closed) weigh
more than absent ones. A trial draw over a part of the paths shows which entities all this favours, and weighs them down
(`balanced`). A rank drawn by hash says how many distractors are shorter than the key, so that the key's length tells
nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generation.court import Hearing
from generation.likeness import alike, family
from kg.closure import Closure
from kg.memo import MOST, Memo
from kg.paths import Path, digest
from kg.schema import Step
from kg.verdict import Verdict

WANTED = 3
STEADY, MOST_UP, MOST_DOWN = 3.0, 3.0, 20.0  # balancing: prior count, bounds of the factor
LOOK_AT = 120  # candidates looked at in order of score
ENOUGH = 7  # sound ones among which three are picked
PROVEN = 3.0  # weight factor of a candidate with proof
HUB = 150  # facts of a node beyond which it ties its neighbours to nothing
SAME_STEP, SAME_METAPATH = 1.0, 8.0  # weight of being a key of the same last step, of the same metapath
NEAR, FOIL, NAMED = 4.0, 4.0, 4.0  # weight factors of siblings, of foils' answers, of names that begin alike
# Bounds of a draw of 100 for 0, 1, 2 or 3 shorter distractors: a little more than a quarter for 3, since long keys seldom
# find three that are shorter.
RANKS = (23, 46, 69)
BEGIN = 3  # letters in which names begin alike


class Distractor(NamedTuple):
    """A wrong option and the verdict that shows it, judged from the path's last bridge (or from the option)."""

    node: str
    verdict: Verdict


class Choice(NamedTuple):
    """What the search gives: three distractors, or none and the reason."""

    category: str
    distractors: tuple[Distractor, ...]
    reason: str


@dataclass(frozen=True)
class _Pool:
    """Entities of one category that are keys somewhere, in order of id."""

    ids: tuple[str, ...]
    place: dict[str, int]
    hashes: NDArray[np.uint64]
    lengths: NDArray[np.float64]
    frequency: NDArray[np.float64]
    balance: NDArray[np.float64]
    by_kind: dict[str, NDArray[np.float64]]  # keys of a last step or of a metapath
    by_beginning: dict[str, list[str]]  # first letters of the label -> ids
    _memo: dict[str | int, NDArray[np.float64]] = field(default_factory=dict)

    def by_metapath(self, path: Path) -> NDArray[np.float64]:
        """Weight of each entity as an answer to this kind of question."""
        if path.metapath not in self._memo:
            same_step = SAME_STEP * self.by_kind.get(str(path.steps[-1]), 0.0)
            same_walk = SAME_METAPATH * self.by_kind.get(f"all {path.metapath}", 0.0)
            self._memo[path.metapath] = (0.1 * self.frequency + same_step + same_walk) * self.balance
        return self._memo[path.metapath]

    def by_length(self, length: int) -> NDArray[np.float64]:
        """Factor of each entity beside a key of so many characters."""
        if length not in self._memo:
            self._memo[length] = np.exp(-(((self.lengths - length) / max(5.0, 0.4 * length)) ** 2))
        return self._memo[length]


class Distractors:
    """Finds distractors over one graph; `asked` are all paths that questions are to be made of."""

    def __init__(self, closure: Closure, asked: Iterable[Path], seed: int) -> None:
        self.closure = closure
        self.seed = seed
        self.keys: Counter[str] = Counter()
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        for path in asked:
            self.keys[path.target] += 1
            self.counts[path.target].update((str(path.steps[-1]), f"all {path.metapath}"))
        self.balance: dict[str, float] = {}
        self._pools: dict[str, _Pool] = {}
        self._near: Memo[str, frozenset[str]] = Memo(MOST // 2)
        self._balls: Memo[str, frozenset[str]] = Memo(MOST // 2)
        self._beside: Memo[tuple[str, Step], frozenset[str]] = Memo(MOST // 2)

    def find(self, path: Path) -> Choice:
        """Distractors for a path: from the answer's own category, or a wider one if that has too few."""
        schema, nodes = self.closure.schema, self.closure.graph.nodes
        reason, hearing = "", Hearing(self, path)
        for category in schema.ancestors(nodes[path.target].category)[:3]:
            if schema.categories[category].parent is None:
                break
            found = self._search(path, category, hearing)
            if len(found) == WANTED:
                return Choice(category, tuple(found), "")
            reason = f"fewer than {WANTED} sound distractors"
        return Choice("", (), reason)

    def balanced(self, shown: Counter[str], of: float) -> None:
        """Weigh down what a trial draw has shown too often as a distractor, and up what it has shown too seldom.

        Args:
            shown: entity -> times it was drawn in the trial.
            of: share of the paths that the trial drew for.
        """
        for node, keys in self.keys.items():
            factor = (WANTED * keys + STEADY) / (shown[node] / of + STEADY)
            self.balance[node] = min(MOST_UP, max(1 / MOST_DOWN, factor))
        self._pools.clear()

    # --- pools ----------------------------------------------------------------------------------------

    def _pool(self, category: str) -> _Pool:
        if category not in self._pools:
            schema, nodes = self.closure.schema, self.closure.graph.nodes
            ids = tuple(sorted(n for n in self.counts if category in schema.ancestors(nodes[n].category)))
            self._pools[category] = _Pool(
                ids,
                {node: place for place, node in enumerate(ids)},
                np.array([int(digest(node), 16) for node in ids], dtype=np.uint64),
                np.array([len(nodes[node].label) for node in ids], dtype=np.float64),
                np.array([self.keys[node] for node in ids], dtype=np.float64),
                np.array([self.balance.get(node, 1.0) for node in ids], dtype=np.float64),
                self._by_kind(ids),
                self._by_beginning(ids),
            )
        return self._pools[category]

    def _by_beginning(self, ids: tuple[str, ...]) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for node in ids:
            table.setdefault(self.closure.graph.label(node)[:BEGIN], []).append(node)
        return table

    def _by_kind(self, ids: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
        table: dict[str, NDArray[np.float64]] = {}
        for place, node in enumerate(ids):
            for kind, count in self.counts[node].items():
                if kind not in table:
                    table[kind] = np.zeros(len(ids))
                table[kind][place] = count
        return table

    def _order(self, path: Path, pool: _Pool) -> list[tuple[int, float]]:
        """Places in the pool with a weighted random score, lowest and best first (at most LOOK_AT)."""
        label = self.closure.graph.label(path.target)
        weight = pool.by_metapath(path) * pool.by_length(len(label))
        alike_ = pool.by_beginning.get(label[:BEGIN], ())
        for factor, ids in ((NEAR, self.near(path.target)), (FOIL, self._foil_answers(path)), (NAMED, alike_)):
            places = [pool.place[node] for node in ids if node in pool.place]
            weight[places] *= factor
        item = np.uint64(int(digest(str(self.seed), path.path_id, path.source), 16))
        uniform = (_mix(pool.hashes ^ item) >> np.uint64(11)).astype(np.float64) / float(1 << 53)
        with np.errstate(divide="ignore"):
            score = np.where(weight > 1e-12, -np.log(uniform + 1e-18) / weight, np.inf)
        few = min(LOOK_AT, len(score))
        best = np.argpartition(score, few - 1)[:few]
        best = best[np.isfinite(score[best])]
        best = best[np.lexsort((best, score[best]))]
        return list(zip(best.tolist(), score[best].tolist(), strict=True))

    def near(self, node: str) -> frozenset[str]:
        """Siblings: other values of a fact that the node shares with its neighbours."""
        if node not in self._near:
            graph, found = self.closure.graph, set()
            for table, back in ((graph.out, graph.into), (graph.into, graph.out)):
                for predicate, facts in table.get(node, {}).items():
                    for fact in facts[:20]:
                        other = fact.tail_id if table is graph.out else fact.head_id
                        siblings = back.get(other, {}).get(predicate, ())
                        if len(siblings) <= 60:
                            found |= {f.head_id if table is graph.out else f.tail_id for f in siblings}
            return self._near.keep(node, frozenset(found - {node}), len(found))
        return self._near[node]

    def foils(self, node: str) -> list[str]:
        """Siblings of the node's own category: what a guess could take for it, in order of id."""
        nodes = self.closure.graph.nodes
        category = nodes[node].category
        return sorted(
            other
            for other in self.near(node)
            if nodes[other].category == category and other not in self.closure.kin(node)
        )

    def _foil_answers(self, path: Path) -> set[str]:
        """Answers that the last step gives for foils of the node it starts from."""
        start = path.nodes[-2]
        return {end for foil in self.foils(start)[:40] for end in self.closure.linked(foil, path.steps[-1])}

    # --- search ---------------------------------------------------------------------------------------

    def _search(self, path: Path, category: str, hearing: Hearing) -> list[Distractor]:
        pool = self._pool(category)
        if len(pool.ids) <= WANTED:
            return []
        found: list[tuple[float, Distractor]] = []
        for place, score in self._order(path, pool):
            if verdict := hearing.sound(pool.ids[place]):
                weighed = score if verdict.status == "absent" else score / PROVEN
                found.append((weighed, Distractor(pool.ids[place], verdict)))
            if len(found) >= ENOUGH:
                break
        found.sort(key=lambda one: one[0])
        return self._pick(path, [one for _, one in found])

    def around(self, node: str) -> frozenset[str]:
        """Everything within two facts of a node: what stands so near may well have the asked relation to it, too."""
        if node not in self._balls:
            first = self._beside_by_any(node)
            ball = first.union(*(self._beside_by_any(other) for other in first))
            return self._balls.keep(node, ball, len(ball))
        return self._balls[node]

    def _beside_by_any(self, node: str) -> frozenset[str]:
        graph = self.closure.graph
        if graph.degree[node] > HUB:
            return frozenset()
        ends = (fact.tail_id for facts in graph.out.get(node, {}).values() for fact in facts)
        heads = (fact.head_id for facts in graph.into.get(node, {}).values() for fact in facts)
        return frozenset((*ends, *heads))

    def related(self, one: str, other: str) -> bool:
        """Whether two proteins are of one family by their names: those share ligands, known or not."""
        nodes, schema = self.closure.graph.nodes, self.closure.schema
        proteins = all("protein" in schema.ancestors(nodes[node].category) for node in (one, other))
        return proteins and not family(nodes[one].label).isdisjoint(family(nodes[other].label))

    def together(self, node: str, step: Step) -> frozenset[str]:
        """What other sources of the node have besides it under the same step."""
        if (node, step) not in self._beside:
            sources = self.closure.linked(node, step.back)
            beside = frozenset[str]().union(*(self.closure.linked(source, step) for source in sources))
            return self._beside.keep((node, step), beside, len(beside))
        return self._beside[node, step]

    def _pick(self, path: Path, found: list[Distractor]) -> list[Distractor]:
        """Three that can stand side by side; as many are shorter than the key as the rank says, if they are there."""
        label = self.closure.graph.label
        drawn = int(digest("rank", path.path_id, path.source), 16) % 100
        shorter = sum(drawn >= bound for bound in RANKS)
        sides = _Sides(len(label(path.target)), shorter)
        chosen: list[Distractor] = []
        for fitting in (True, False):
            for one in found:
                if len(chosen) == WANTED:
                    return chosen
                if (
                    one not in chosen
                    and all(self.apart(one.node, other.node) for other in chosen)
                    and (not fitting or sides.take(len(label(one.node))))
                ):
                    chosen.append(one)
        return chosen

    def apart(self, one: str, other: str) -> bool:
        """Whether two options can stand side by side: no kin, namesakes or twins."""
        label = self.closure.graph.label
        return other not in self.closure.kin(one) and not alike(label(one), label(other))

    def bridges(self, path: Path) -> frozenset[str]:
        """Every node that the last hop could start from."""
        ends = frozenset((path.source,))
        for step in path.steps[:-1]:
            ends = frozenset().union(*(self.closure.possible(end, step) for end in ends))
        return ends


class _Sides:
    """Room for distractors shorter and longer than the key; equal lengths go where there is more room."""

    def __init__(self, length: int, shorter: int) -> None:
        self.length, self.shorter, self.longer = length, shorter, WANTED - shorter

    def take(self, length: int) -> bool:
        if length <= self.length and self.shorter and (length < self.length or self.shorter >= self.longer):
            self.shorter -= 1
            return True
        if length >= self.length and self.longer:
            self.longer -= 1
            return True
        return False


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's finaliser, elementwise."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
