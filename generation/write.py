"""A candidate in, a finished item out: stem, options in order, reasoning, explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generation import evidence
from generation.item import Candidate, Item, hop_row, topic_of
from generation.prompt import LETTERS
from generation.reasoning import Thought, explanation, sentence, style_for
from generation.stems import Asked, Stems, pick, several_answers, statement
from kg.closure import Closure
from kg.paths import digest


@dataclass(frozen=True)
class Writer:
    """Writes items over one graph with one seed."""

    closure: Closure
    seed: int
    foils: Any  # node id -> list of foil ids

    def write(self, candidate: Candidate) -> Item:
        """The row of a candidate, its split still open. It depends on the candidate and the seed alone."""
        path, nodes = candidate.path, self.closure.graph.nodes
        several = several_answers(self.closure, path, candidate.category)
        stem = Stems(self.closure).write(path, Asked(candidate.category, several), self.seed)
        draw = f"{self.seed}:{path.path_id}:{path.source}"
        key = pick(draw, "letter", of=4) if candidate.place is None else candidate.place
        ids = [one.node for one in candidate.distractors]
        ids.insert(key, path.target)
        evidences = [evidence.in_words(self.closure, path, one) for one in candidate.distractors]
        proofs = [one.verdict.status for one in candidate.distractors]
        told = tuple(
            sentence(statement(self.closure, hop.fact, pick(draw, str(n), of=7))) for n, hop in enumerate(path.hops)
        )
        evidences.insert(key, evidence.of_key(self.closure, path))
        proofs.insert(key, "key")
        options = [nodes[node].label for node in ids]
        thought = Thought(told, tuple(options), tuple(evidences), key, style_for(draw))
        return {
            "item_id": digest(path.path_id, path.source, stem.skeleton, *ids),
            "split": "",
            "hops": len(path.hops),
            "question": stem.text,
            "options": options,
            "answer": LETTERS[key],
            "reasoning": thought.render(),
            "explanation": explanation(told, nodes[path.target].label),
            "path_id": path.path_id,
            "path": [hop_row(self.closure, hop) for hop in path.hops],
            "source_id": path.source,
            "source": nodes[path.source].label,
            "target_id": path.target,
            "target": nodes[path.target].label,
            "bridge_ids": list(path.bridges),
            "bridge_foils": [self.foils(bridge)[:12] for bridge in path.bridges],
            "option_ids": ids,
            "option_proofs": proofs,
            "option_evidence": evidences,
            "metapath": path.metapath,
            "topic": topic_of(path),
            "skeleton": stem.skeleton,
            "seed": self.seed,
        }
