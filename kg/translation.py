"""From a graph in its file's words to a layer under a schema, with every loss counted.

Left out: things whose type the mapping leaves out, blank and obsolete labels, facts without two ends. Kept and not
asked: facts whose ends do not suit the predicate, whose ends cannot stand in a question (placeholder labels, one
label for two things, one species only), whose qualifier is a code, wide classes (`WIDE_SHARE`), and facts that are
true of most things (`GENERIC`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from kg import contradictions
from kg.graph import Fact, Layer, Node, edge_id
from kg.kinds import Kinds
from kg.mapping import WordMap
from kg.names import key
from kg.roles import UNKNOWN
from kg.schema import Predicate, Schema
from kg.sources import clean
from kg.sources.raw import SUB_CLASS, Claim, Raw, Thing
from kg.vocabulary import OUT, Target

GENERIC_SHARE, GENERIC_LEAST = (
    0.04,
    40,
)  # a value of this share of a predicate's facts, and of so many, is too generic to ask
WIDE_SHARE, WIDE_LEAST = 0.01, 25  # kinds below a class, from which on it is too wide to ask
MAIN_SENSE = 0.9  # of two things of one name, the one with this share of their facts is meant
MISFIT = "ends do not suit the predicate (kept, not asked)"
_SPECIES = re.compile(
    r" \((mouse|mus|human|xenopus|danio|zebrafish|rat|drosophila|avian|fish|teleost|sensu [\w ]+)\)$", re.IGNORECASE
)
_CURIE = re.compile(r"^\w+:\w+$")
_WORDY = re.compile(r"[A-Za-zα-ω]{2}")


class Origin(NamedTuple):
    """What facts are stamped with where their rows say nothing."""

    layer: str
    source: str
    license: str


class Translated(NamedTuple):
    """A layer, how often each (file's predicate, our predicate) was used, and what did not suit, with examples."""

    layer: Layer
    used: Counter[tuple[str, str]]
    misfits: dict[tuple[str, str, str], list[str]]


def to_layer(raw: Raw, words: WordMap, schema: Schema, origin: Origin) -> Translated:
    """Apply a mapping to a graph."""
    return _Translator(raw, words, schema, origin).run()


class _Translator:
    def __init__(self, raw: Raw, words: WordMap, schema: Schema, origin: Origin) -> None:
        self.raw, self.words, self.schema, self.origin = raw, words, schema, origin
        self.kinds = Kinds(raw, words.categories, schema, words.ends).all()
        self.own = frozenset(words.schema.get("categories") or {}) | {UNKNOWN}
        self.dropped = Counter(raw.dropped)
        self.unasked: dict[str, str] = {}
        self.used: Counter[tuple[str, str]] = Counter()
        self.misfits: dict[tuple[str, str, str], list[str]] = {}
        self.chosen: dict[tuple[str, str, str], tuple[Target | None, bool]] = {}

    def run(self) -> Translated:
        nodes = dict(self._nodes())
        self._ambiguous(nodes.values())
        self._wide()
        facts: dict[str, Fact] = {}
        for fact in self._facts(nodes):
            known = facts.get(fact.edge_id)
            if known is not None:
                self.dropped["said twice"] += 1
            if known is None or (fact.askable and not known.askable):
                facts[fact.edge_id] = fact
        rows = self._not_generic(contradictions.settled(facts.values(), self.schema, self.dropped))
        layer = Layer(self.origin.layer, sorted(nodes.values(), key=lambda n: n.id), rows, self.dropped)
        return Translated(layer, self.used, self.misfits)

    # --- nodes ----------------------------------------------------------------------------------------

    def _nodes(self) -> Iterable[tuple[str, Node]]:
        for name, thing in self.raw.things.items():
            category = self.kinds[name]
            if category == OUT:
                self.dropped["thing of a type that is left out"] += 1
                continue
            node = self._node(thing, category)
            reason = clean.reject_reason(node.label)
            if reason in ("blank label", "obsolete term"):
                self.dropped[f"thing: {reason}"] += 1
                continue
            if why := thing.why or reason or self._unfit(thing, node):
                self.unasked[name] = why
            yield name, node

    def _node(self, thing: Thing, category: str) -> Node:
        label = clean.label(thing.label)
        match = _SPECIES.search(label)
        names = {clean.label(name) for name in thing.synonyms} - {label, ""}
        return Node(
            thing.id,
            label,
            category if category in self.schema.categories else UNKNOWN,
            tuple(sorted(name for name in names if clean.reject_reason(name) is None)),
            tuple(sorted(set(thing.xrefs) - {thing.id})),
            thing.taxon or (match[1] if match else None),
            thing.source or self.origin.source,
            thing.license or self.origin.license,
        )

    def _unfit(self, thing: Thing, node: Node) -> str | None:
        """Why a node may not stand in a question although its label is clean."""
        if _SPECIES.search(node.label):
            return "name of one species"
        if node.category == UNKNOWN and self.words.categories.get(thing.category) == UNKNOWN:
            return "type that says nothing (NamedThing)"
        if _CURIE.match(node.label) and (node.label == thing.id or ":" in node.label):
            return "identifier instead of a name"
        return None if _WORDY.search(node.label) else "label without a word"

    def _ambiguous(self, nodes: Iterable[Node]) -> None:
        """One label for two things of one kind: neither is asked, unless nearly all facts are of one of them."""
        uses = Counter(end for claim in self.raw.claims for end in (claim.head, claim.tail))
        by_label: dict[tuple[str, str], list[str]] = {}
        for node in nodes:
            by_label.setdefault((key(node.label), self.schema.ancestors(node.category)[-2:][0]), []).append(node.id)
        for ids in by_label.values():
            if len(ids) > 1:
                most = sum(uses[name] for name in ids) * MAIN_SENSE
                self.unasked.update(
                    {name: "one label for two things" for name in ids if uses[name] < most and name not in self.unasked}
                )

    def _wide(self) -> None:
        """Classes with very many kinds below them (`organ`) say too little to be asked."""
        children: dict[str, list[str]] = {}
        for claim in self.raw.claims:
            if claim.predicate == SUB_CLASS and not claim.negated:
                children.setdefault(claim.tail, []).append(claim.head)
        most = max(WIDE_LEAST, WIDE_SHARE * len(self.raw.things))
        for name in children:
            below, todo = {name}, [name]
            while todo and len(below) <= most:
                new = [child for child in children.get(todo.pop(), ()) if child not in below]
                below.update(new)
                todo += new
            if len(below) > most:
                self.unasked.setdefault(name, "class with very many kinds")

    # --- facts ----------------------------------------------------------------------------------------

    def _facts(self, nodes: dict[str, Node]) -> Iterable[Fact]:
        for claim in self.raw.claims:
            if claim.head not in nodes or claim.tail not in nodes:
                self.dropped["fact: an end has no entry or no name"] += 1
                continue
            if claim.head == claim.tail:
                self.dropped["fact of a thing with itself"] += 1
                continue
            target, suits = self._target(claim.predicate, nodes[claim.head], nodes[claim.tail])
            if target is None:
                self.dropped[f"predicate left out: {claim.predicate}"] += 1
                continue
            askable = claim.askable and suits and self._may_ask(claim.head, claim.tail, claim.qualifier)
            yield self._fact(claim, target, askable)
            if target.also:
                yield self._fact(claim, Target.parse(target.also), askable)

    def _fact(self, claim: Claim, target: Target, askable: bool) -> Fact:
        head, tail = (claim.tail, claim.head) if target.inverse else (claim.head, claim.tail)
        if self.schema.predicates[target.predicate].symmetric and tail < head:
            head, tail = tail, head
        self.used[claim.predicate, target.predicate] += 1
        layer, source, license = self.origin
        negated = claim.negated != target.denies
        return Fact(
            edge_id(layer, head, target.predicate, tail, claim.qualifier, negated),
            head,
            target.predicate,
            tail,
            layer,
            f"{source}: {claim.source}" if claim.source else source,
            claim.license or license,
            claim.qualifier,
            claim.reference,
            negated,
            askable and target.askable,
        )

    def _may_ask(self, head: str, tail: str, qualifier: str | None) -> bool:
        if why := self.unasked.get(head) or self.unasked.get(tail):
            self.dropped[f"not asked: {why}"] += 1
            return False
        if qualifier and not (" " in qualifier or qualifier.isalpha()):
            self.dropped["not asked: the qualifier is a code"] += 1
            return False
        return True

    def _target(self, name: str, head: Node, tail: Node) -> tuple[Target | None, bool]:
        """What a predicate becomes between these ends, and whether they suit it."""
        entry = (name, head.category, tail.category)
        if entry not in self.chosen:
            targets = self.words.predicates.get(name, ())
            fitting = next((one for one in targets if self._suits(one, head.category, tail.category)), None)
            self.chosen[entry] = (fitting, True) if fitting or not targets else (targets[-1], False)
        target, suits = self.chosen[entry]
        if not suits:
            self.dropped[MISFIT] += 1
            shown = self.misfits.setdefault(entry, [])
            if len(shown) < 3:
                shown.append(f"{head.label} -> {tail.label}")
        return target, suits

    def _suits(self, target: Target, head: str, tail: str) -> bool:
        predicate: Predicate = self.schema.predicates[target.predicate]
        if target.inverse:
            head, tail = tail, head
        return self._fits(head, predicate.domain) and self._fits(tail, predicate.range)

    def _fits(self, category: str, allowed: frozenset[str]) -> bool:
        """Within what is allowed, or so coarse that it may be within it (`structure` for `muscle`), or the user's
        own.
        """
        if category in self.own or self.schema.fits(category, allowed):
            return True
        return any(category in self.schema.ancestors(one) for one in allowed)

    # --- what is true of most things --------------------------------------------------------------------

    def _not_generic(self, rows: list[Fact]) -> list[Fact]:
        totals = Counter(fact.predicate for fact in rows if fact.askable)
        values = Counter((fact.predicate, fact.tail_id) for fact in rows if fact.askable)
        generic = {
            pair for pair, count in values.items() if count >= max(GENERIC_LEAST, GENERIC_SHARE * totals[pair[0]])
        }
        for place, fact in enumerate(rows):
            if fact.askable and (fact.predicate, fact.tail_id) in generic:
                self.dropped["not asked: true of too many things"] += 1
                rows[place] = replace(fact, askable=False)
        return rows
