"""Is an option of a path wrong, and how is that known? `Court` gives the verdict, `Hearing` says whether it may serve.

An option falls when the statement about it is entailed or unsettled, when it is kin or namesake of the key, or when the
stem names it. If nothing shows that the last fact is false of it, it also falls when the predicate is `open` (schema) or
a layer of experts denies some of it (`kg.graph.DENYING`), when it goes together with the key elsewhere (another source
has both values), when it is of the key's protein family or goes together with a protein of the bridge's family, or
stands within two facts of the start of the last hop: what is so near may well be right, known or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.leaks import shared_words
from generation.likeness import alike
from kg.closure import Closure
from kg.paths import Path
from kg.verdict import PROOFS, Verdict

if TYPE_CHECKING:
    from generation.distractors import Distractors


class Court:
    """Judges options of one path: how is it known that the walk from its source does not end there?

    For several hops the verdict is about the last hop from the path's bridge. It counts as proof only if no unknown
    bridge can lead there: the values of every earlier hop are completely known, or the option's own bridges are
    completely known and none is reached from the source.
    """

    def __init__(self, closure: Closure, path: Path) -> None:
        self.closure, self.last, self.bridge = closure, path.hops[-1].step, path.nodes[-2]
        reached, self.known = frozenset((path.source,)), True
        for step in path.steps[:-1]:
            self.known = self.known and all(closure.settled(end, step) for end in reached)
            reached = frozenset().union(*(closure.linked(end, step) for end in reached))
        self.reached = reached
        self.others = sorted(reached - {self.bridge})

    def judge(self, node: str) -> Verdict:
        """The verdict on an option."""
        return self.sealed(self.of_last_hop(node), node)

    def of_last_hop(self, node: str) -> Verdict:
        """The weakest verdict on the last hop, from all bridges that are known."""
        verdict = self.closure.judge(self.bridge, self.last, node)
        for other in self.others:
            second = self.closure.judge(other, self.last, node)
            if _rank(second.status) > _rank(verdict.status):
                verdict = second
        return verdict

    def sealed(self, verdict: Verdict, node: str) -> Verdict:
        """The verdict as proof: absent, if a bridge that nobody told us of could lead to the option."""
        if not verdict.false or self.known:
            return verdict
        if self.closure.settled(node, self.last.back) and not self.closure.linked(node, self.last.back) & self.reached:
            return verdict
        return verdict._replace(status="absent")


def _rank(status: str) -> int:
    return PROOFS.index(status) if status in PROOFS else len(PROOFS)


class Hearing:
    """Which entities are sound distractors of one path; what is the same for all of them is worked out once."""

    def __init__(self, distractors: Distractors, path: Path) -> None:
        closure = distractors.closure
        self.distractors, self.path, self.court = distractors, path, Court(closure, path)
        bridges, last = distractors.bridges(path), path.steps[-1]
        self.entailed = frozenset().union(*(closure.entailed(bridge, last) for bridge in bridges))
        self.hinted = frozenset(path.nodes).union(*(closure.hinted(bridge, last) for bridge in bridges))
        self.key, self.shown = closure.graph.label(path.target), closure.graph.label(path.source)
        self.told = shared_words(self.shown, self.key)
        predicate = path.steps[-1].predicate
        self.open = closure.schema.predicates[predicate].open or predicate in closure.graph.denying
        self.provable = closure.provable(path.nodes[-2], path.steps[-1]) if self.open else None
        self.together = frozenset() if self.open else distractors.together(path.target, path.steps[-1])
        self.around = frozenset() if self.open else distractors.around(path.nodes[-2])

    def sound(self, node: str) -> Verdict | None:
        """The verdict that shows the entity to be a wrong option, or None if it may not serve."""
        if self._may_be_right(node) or (self.provable is not None and node not in self.provable):
            return None
        last = self.court.of_last_hop(node)
        if not last.false or (last.status == "absent" and (self.open or self._risky(node))):
            return None
        label = self.distractors.closure.graph.label(node)
        if alike(label, self.key) or shared_words(self.shown, label) - self.told:
            return None
        return self.court.sealed(last, node)

    def _may_be_right(self, node: str) -> bool:
        """Whether some bridge could lead to the option, or it is kin of what the path runs through."""
        return node in self.entailed or not self.distractors.closure.kin(node).isdisjoint(self.hinted)

    def _risky(self, node: str) -> bool:
        """Whether the option may be right, known or not: it stands near, or in the key's or the bridge's family."""
        related = self.distractors.related
        return (
            node in self.together
            or node in self.around
            or related(node, self.path.target)
            or any(related(value, self.path.nodes[-2]) for value in self._values(node))
        )

    def _values(self, node: str) -> frozenset[str]:
        """What the option has where the question has the start of its last hop."""
        return self.distractors.closure.linked(node, self.path.steps[-1].back)
