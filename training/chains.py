"""A slice of the graph that a small model can learn, and the product's own questions made of it.

A slice is a set of facts and the two-hop chains over them. Chains are split three ways by the unordered pair of
their ends: for SFT, for GRPO, held out. Every fact is told closed-book, and every hop of a GRPO or held-out chain is
also walked, in the same direction, in a chain for SFT: such a chain is a composition of known facts that was never
trained on. (Small models do not compose a hop that they have only been told: Wang et al. 2024.) Each chain gives several questions with options drawn afresh: another stem,
other distractors, another letter. Distractors come from the slice, so that they are known entities too.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from generation.candidates import find_paths
from generation.distractors import Distractors
from generation.item import ITEM, Candidate, Item
from generation.phrases import definite
from generation.reasoning import Thought, sentence
from generation.stems import Asked, Stems, clause, pick, statement
from generation.write import Writer
from kg.closure import Closure
from kg.errors import ShortfallError
from kg.graph import Fact
from kg.paths import Hop, Limits, digest
from kg.paths import Path as Walk
from kg.schema import Step
from kg.store import replacing, write_table
from training.recipe import Slice

SPLITS = ("sft", "grpo", "test")
LEAST = 3  # chains a bridge must carry to be taken


@dataclass(frozen=True)
class Chosen:
    """Facts and chains of a slice. chains: split -> two-hop walks."""

    facts: tuple[Fact, ...]
    chains: dict[str, tuple[Walk, ...]]


def choose(closure: Closure, config: Slice) -> Chosen:
    """Facts that carry many chains: bridges in order of chains a fact, until `config.facts` are used.

    Raises:
        ShortfallError: fewer than 12 chains are left.
    """
    walks = [
        w
        for w in find_paths(closure, (2,), Limits(fan_out=config.fan_out), Counter())[2]
        if w.metapath in config.metapaths
    ]
    taken = _dense(walks, config.facts)
    finder = Distractors(closure, _asked(taken), config.seed)
    taken = [walk for walk in taken if finder.find(walk).distractors]
    if len(taken) < 12:
        raise ShortfallError(
            f"slice: only {len(taken)} chains of {', '.join(config.metapaths)}; allow more metapaths or facts"
        )
    facts = {hop.fact.edge_id: hop.fact for walk in taken for hop in walk.hops}
    return Chosen(tuple(facts[key] for key in sorted(facts)), _split(taken, config))


def _dense(walks: Iterable[Walk], most: int) -> list[Walk]:
    by_bridge: dict[str, list[Walk]] = defaultdict(list)
    for walk in walks:
        by_bridge[walk.bridges[0]].append(walk)
    edges = {bridge: {hop.fact.edge_id for walk in part for hop in walk.hops} for bridge, part in by_bridge.items()}
    used: set[str] = set()
    taken: list[Walk] = []
    for bridge in sorted(by_bridge, key=lambda b: (-len(by_bridge[b]) / len(edges[b]), b)):
        if len(by_bridge[bridge]) >= LEAST and len(used | edges[bridge]) <= most:
            used |= edges[bridge]
            taken += by_bridge[bridge]
    return taken


def _asked(walks: Sequence[Walk]) -> list[Walk]:
    """Chains and, for every fact, both one-hop walks: whatever ends one of them may be a distractor."""
    facts = {hop.fact.edge_id: hop.fact for walk in walks for hop in walk.hops}
    return [*walks, *(Walk((Hop(facts[key], inverse),)) for key in sorted(facts) for inverse in (False, True))]


def _split(walks: Sequence[Walk], config: Slice) -> dict[str, tuple[Walk, ...]]:
    """All walks of a pair of ends fall into one split; shares count pairs.

    Held-out ones are taken first, then those for GRPO; a pair whose hops no other chain for SFT would walk stays there.
    """
    by_pair: dict[tuple[str, str], list[Walk]] = defaultdict(list)
    for walk in walks:
        by_pair[walk.pair].append(walk)
    most = {name: round(share * len(by_pair)) for name, share in zip(SPLITS, config.shares, strict=True)}
    pairs: dict[str, list[tuple[str, str]]] = {name: [] for name in SPLITS}
    left = Counter(directed(walks))
    for pair in sorted(by_pair, key=lambda pair: digest(str(config.seed), *pair)):
        name = next((name for name in ("test", "grpo") if len(pairs[name]) < most[name]), "sft")
        used = Counter(directed(by_pair[pair]))
        name = name if all(left[hop] > count for hop, count in used.items()) else "sft"
        left -= used if name != "sft" else Counter()
        pairs[name].append(pair)
    return {name: tuple(walk for pair in part for walk in by_pair[pair]) for name, part in pairs.items()}


def directed(walks: Iterable[Walk]) -> list[tuple[str, bool]]:
    """Facts with the direction in which they are walked."""
    return [(hop.fact.edge_id, hop.inverse) for walk in walks for hop in walk.hops]


class Questions:
    """Writes the questions of a slice."""

    def __init__(self, closure: Closure, chosen: Chosen, config: Slice) -> None:
        self.closure, self.chosen, self.config = closure, chosen, config
        walks = [walk for part in chosen.chains.values() for walk in part]
        self.asked = _asked(walks)
        self.walked = sorted({(hop.fact.edge_id, hop.inverse): hop for walk in walks for hop in walk.hops}.items())

    def split(self, name: str) -> list[Item]:
        """All questions of a split, one-hop ones (SFT only) first, each draw a round; equal items once."""
        chains, draws = self.chosen.chains[name], self.config.draws[SPLITS.index(name)]
        rows = self._rounds(self._singles(), self.config.singles, name) if name == "sft" else []
        return _once(rows + self._rounds(chains, draws, name))

    def _singles(self) -> list[Walk]:
        """One-hop walks, as the chains walk them: the other way a nerve has many muscles, and none is the one to recall."""
        askable = self.closure.schema.predicates
        walks = [Walk((hop,)) for _, hop in self.walked]
        return [walk for walk in walks if walk.steps[0].direction in askable[walk.steps[0].predicate].askable]

    def _rounds(self, walks: Sequence[Walk], draws: int, split: str) -> list[Item]:
        rows = []
        for draw in range(draws):
            seed = self.config.seed * 1_000 + draw
            finder = Distractors(self.closure, self.asked, seed)
            writer = Writer(self.closure, seed, finder.foils)
            for walk in walks:
                choice = finder.find(walk)
                if choice.distractors:
                    rows.append(
                        self._short(
                            {**writer.write(Candidate(walk, choice.category, choice.distractors)), "split": split}, walk
                        )
                    )
        return rows

    def _short(self, item: Item, walk: Walk) -> Item:
        """The item with its reasoning in the slice's style, with or without the evidence."""
        draw = f"{item['seed']}:{walk.path_id}:{walk.source}"
        told = tuple(
            sentence(statement(self.closure, hop.fact, pick(draw, str(n), of=7))) for n, hop in enumerate(walk.hops)
        )
        why = tuple(item["option_evidence"]) if self.config.why else ("",) * 4
        thought = Thought(told, tuple(item["options"]), why, "ABCD".index(item["answer"]), self.config.style)
        item["reasoning"] = "\n".join(line.rstrip() for line in thought.render().splitlines())
        return item

    def statements(self) -> list[dict[str, str]]:
        """Closed-book forms of every fact: told from either end, and asked as the chains walk it, without options."""
        told = [form for fact in self.chosen.facts for form in told_forms(self.closure, fact)]
        return told + [form for _, hop in self.walked for form in asked_forms(self.closure, hop)]


def told_forms(closure: Closure, fact: Fact) -> list[dict[str, str]]:
    """Every wording of a fact, from either end: `{"question": "", "statement": ...}`."""
    head, tail = (definite(closure.graph.nodes[node], closure.schema) for node in (fact.head_id, fact.tail_id))
    back = Step(fact.predicate, inverse=True)
    wordings = range(len(closure.schema.predicates[fact.predicate].backward.verb))
    behind = [sentence(clause(closure, back, tail, head, n)) for n in wordings]
    return [{"question": "", "statement": text} for text in _ahead(closure, fact) + behind]


def asked_forms(closure: Closure, hop: Hop) -> list[dict[str, str]]:
    """Every question for the end of a hop, with the fact as the answer."""
    nodes, told = closure.graph.nodes, _ahead(closure, hop.fact)
    asked = Asked(nodes[hop.end].category, several=False)
    stems = Stems(closure).questions(hop.step, definite(nodes[hop.start], closure.schema), asked)
    texts = [stem.text for stem in stems if stem.skeleton.endswith(" a")]
    return [{"question": text, "statement": told[n % len(told)]} for n, text in enumerate(texts)]


def _ahead(closure: Closure, fact: Fact) -> list[str]:
    """Every wording of a fact in the direction in which it is true."""
    verbs = closure.schema.predicates[fact.predicate].forward.verb
    return [sentence(statement(closure, fact, n)) for n in range(len(verbs))]


def _once(rows: Iterable[Item]) -> list[Item]:
    seen: set[str] = set()
    return [row for row in rows if not (row["item_id"] in seen or seen.add(row["item_id"]))]  # type: ignore[func-returns-value]


def write(closure: Closure, config: Slice, out: Path, metadata: dict[str, str]) -> dict[str, int]:
    """Write {sft,grpo,test}.parquet and facts.jsonl; returns counts."""
    chosen = choose(closure, config)
    questions = Questions(closure, chosen, config)
    counts = {"facts": len(chosen.facts)}
    for name in SPLITS:
        rows = questions.split(name)
        counts |= {f"{name} chains": len(chosen.chains[name]), f"{name} questions": len(rows)}
        write_table(out / f"{name}.parquet", rows, ITEM, metadata)
    lines = questions.statements()
    counts["closed-book statements"] = len(lines)
    with replacing(out / "facts.jsonl") as temporary:
        temporary.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return counts


__all__ = ["Chosen", "Questions", "choose", "write"]
