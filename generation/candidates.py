"""From paths to questions: walks under the strict rule, leaks out, distractors, text, gates; every loss counted.

Work is shared out over processes by source entity; the result is the same for any number of workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from generation.checks import faults, truth
from generation.distractors import Distractors
from generation.item import Candidate
from generation.leaks import shared_words
from generation.phrases import noun_of
from generation.words import content_words
from generation.workers import Span, spread
from generation.write import Writer
from kg.closure import Closure
from kg.paths import Hop, Limits, Path, digest, in_hash_order, singles, walks
from kg.sources.gene_names import symbol_shows

GENERIC_SHARE = 0.03  # a word in this share of a category's labels is common there
TRIAL = 3  # one in so many paths, by hash, is drawn for on trial

_state: dict[str, Any] = {}  # inherited by workers


class Found(NamedTuple):
    """Candidates, and how many paths were dropped for what reason."""

    candidates: list[Candidate]
    dropped: Counter[str]


def find_paths(
    closure: Closure, hops: Sequence[int], limits: Limits, dropped: Counter[str], workers: int = 1
) -> dict[int, list[Path]]:
    """All paths of the wanted lengths, leaking ones left out."""
    sources, facts = in_hash_order(closure.graph.nodes), closure.graph.facts
    leaks = Leaks(closure)
    found: dict[int, list[Path]] = {}
    for length in hops:
        if length == 1:
            found[1] = list(_without_leaks(leaks, singles(closure, limits, dropped), 1, dropped))
            continue
        found[length] = []
        _state.update(closure=closure, leaks=leaks, limits=limits, sources=sources, length=length)
        for walked, lost in spread(_walk_chunk, len(sources), workers, f"paths of {length} facts", unit="node"):
            found[length] += (Path(tuple(Hop(facts[key], inverse) for key, inverse in path)) for path in walked)
            dropped.update(lost)
    return found


def _walk_chunk(span: Span) -> tuple[list[list[tuple[str, bool]]], Counter[str]]:
    """Paths from a span of sources, as the edge_id and the direction of each hop."""
    dropped, length = Counter[str](), _state["length"]
    sources = _state["sources"][span[0] : span[1]]
    paths = walks(_state["closure"], length, _state["limits"], dropped, sources)
    kept = _without_leaks(_state["leaks"], paths, length, dropped)
    return [[(hop.fact.edge_id, hop.inverse) for hop in path.hops] for path in kept], dropped


def _without_leaks(leaks: Leaks, paths: Iterator[Path], length: int, dropped: Counter[str]) -> Iterator[Path]:
    for path in paths:
        if reason := leaks.reason(path):
            dropped[f"{named(length)}: {reason}"] += 1
        else:
            yield path


def named(length: int) -> str:
    """A number of hops in words, as reasons begin with it."""
    return "1 hop" if length == 1 else f"{length} hops"


class Leaks:
    """Which paths cannot be asked because the stem would give the answer or a bridge away."""

    def __init__(self, closure: Closure) -> None:
        self.closure = closure
        self.common = lru_cache(maxsize=None)(self._common)

    def reason(self, path: Path) -> str | None:
        label = self.closure.graph.label
        shown = label(path.source)
        if shared_words(shown, label(path.target)) - self.common(path.target) - self.common(path.source):
            return "the stem gives the answer away"
        if self._symbol_shows(path.source, path.target) or self._symbol_shows(path.target, path.source):
            return "the symbol of the gene gives the answer away"
        for bridge in path.bridges:
            if shared_words(shown, label(bridge)) - self.common(bridge):
                return "the stem gives a bridge away"
            if shared_words(label(bridge), label(path.target)) - self.common(path.target) - self.common(bridge):
                return "the bridge's name gives the answer away"
            if content_words(noun_of(self.closure.graph.nodes[bridge], self.closure.schema)) & content_words(
                label(path.target)
            ) - self.common(path.target):
                return "what the bridge is called gives the answer away"
        return None

    def _symbol_shows(self, gene: str, other: str) -> bool:
        nodes = self.closure.graph.nodes
        return nodes[gene].category == "gene" and symbol_shows(nodes[gene].label, [nodes[other].label])

    def _common(self, node: str) -> frozenset[str]:
        return self.generic(self.closure.graph.nodes[node].category)

    @cache  # noqa: B019  (lives as long as one run)
    def generic(self, category: str) -> frozenset[str]:
        """Words so common among labels of a category that they tell nothing."""
        labels = [n.label for n in self.closure.graph.nodes.values() if n.category == category]
        counts = Counter(word for label in labels for word in content_words(label))
        least = max(3.0, GENERIC_SHARE * len(labels))
        noun = content_words(self.closure.schema.categories[category].noun)
        return frozenset(word for word, count in counts.items() if count >= least) | noun


class Draw:
    """Distractors for a set of paths, tried out on a part of it (one path in TRIAL, by hash).

    Attributes:
        yields: hops -> share of the paths that get three sound distractors.
    """

    def __init__(self, closure: Closure, paths: Sequence[Path], seed: int, workers: int) -> None:
        self.closure, self.paths, self.seed, self.workers = closure, paths, seed, workers
        self.distractors = Distractors(closure, paths, seed)
        tried = [path for path in paths if int(digest("trial", path.path_id, path.source), 16) % TRIAL == 0]
        _state.update(distractors=self.distractors, paths=tried)
        trial = _gathered(spread(_find_chunk, len(tried), workers, "balancing")).candidates
        self.distractors.balanced(Counter(d.node for one in trial for d in one.distractors), 1 / TRIAL)
        found = Counter(len(one.path.hops) for one in trial)
        self.yields = {hops: found[hops] / count for hops, count in Counter(len(p.hops) for p in tried).items()}

    def questions(self) -> Found:
        """A finished question for every path that allows one; the result does not depend on the number of workers."""
        writer = Writer(self.closure, self.seed, self.distractors.foils)
        _state.update(distractors=self.distractors, paths=self.paths, writer=writer)
        return _distinct(_gathered(spread(_write_chunk, len(self.paths), self.workers, "questions")))

    def written(self, candidates: Sequence[Candidate]) -> Found:
        """Candidates with their finished rows, those that pass every gate."""
        _state.update(candidates=candidates, writer=Writer(self.closure, self.seed, self.distractors.foils))
        return _gathered(spread(_write_given, len(candidates), self.workers, "questions of blocks"))


def _gathered(parts: Iterable[Found]) -> Found:
    whole = Found([], Counter())
    for part in parts:
        whole.candidates.extend(part.candidates)
        whole.dropped.update(part.dropped)
    return whole


def _distinct(found: Found) -> Found:
    """Without questions that two paths share: stem and options are the same, only the bridge differs."""
    kept: dict[tuple[str, frozenset[str]], Candidate] = {}
    for one in found.candidates:
        if one.item:
            kept.setdefault((one.item["question"], frozenset(one.item["options"])), one)
    found.dropped["gate: the same question by another path"] += len(found.candidates) - len(kept)
    return Found(list(kept.values()), found.dropped)


def _find_chunk(span: Span) -> Found:
    found = Found([], Counter())
    for path in _state["paths"][span[0] : span[1]]:
        choice = _state["distractors"].find(path)
        if choice.reason:
            found.dropped[f"{named(len(path.hops))}: {choice.reason}"] += 1
        else:
            found.candidates.append(Candidate(path, choice.category, choice.distractors))
    return found


def _write_chunk(span: Span) -> Found:
    found = _find_chunk(span)
    return _written(found.candidates, found.dropped)


def _write_given(span: Span) -> Found:
    return _written(_state["candidates"][span[0] : span[1]], Counter())


def _written(candidates: Sequence[Candidate], dropped: Counter[str]) -> Found:
    """Candidates with their finished rows, those that pass every gate."""
    writer: Writer = _state["writer"]
    kept = []
    for candidate in candidates:
        item = writer.write(candidate)
        if fault := faults(item) or truth(writer.closure, item):
            dropped[f"gate: {fault}"] += 1
        else:
            kept.append(candidate._replace(item=item))
    return Found(kept, dropped)
