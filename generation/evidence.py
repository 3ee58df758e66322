"""How a distractor is known to be false, in words.

Every sentence says something true of the field that a reader can check; none speaks of a graph, a path or a context.
"""

from __future__ import annotations

from generation.distractors import Distractor
from generation.phrases import definite
from generation.reasoning import sentence
from generation.stems import pick, statement
from kg.closure import Closure
from kg.graph import Fact
from kg.paths import Path
from kg.schema import Step

SHOWN = 4  # values of a complete list that are named


def in_words(closure: Closure, path: Path, distractor: Distractor) -> str:
    """The evidence against a distractor, as one sentence."""
    verdict, node = distractor.verdict, distractor.node
    draw = pick(path.path_id, node, of=97)
    if verdict.kind == "negated":
        return sentence(_denied(closure, verdict.facts[0]))
    if verdict.kind == "disjoint":
        return sentence(f"on the contrary, {statement(closure, verdict.facts[0], draw)}")
    if verdict.kind in ("functional", "inverse_functional") and verdict.facts[0] not in [hop.fact for hop in path.hops]:
        return sentence(statement(closure, verdict.facts[0], draw))
    if verdict.kind in ("complete head", "complete tail"):
        return _whole(closure, verdict.facts, head=verdict.kind == "complete head")
    return _elsewhere(closure, path, node, draw)


def _denied(closure: Closure, fact: Fact) -> str:
    nodes = closure.graph.nodes
    head, tail = definite(nodes[fact.head_id], closure.schema), definite(nodes[fact.tail_id], closure.schema)
    verb = infinitive(closure.schema.predicates[fact.predicate].forward.verb[0][1])
    return f"{head} {'have' if head.plural else 'has'} been found not to {verb} {tail}"


def infinitive(plural_verb: str) -> str:
    """`are innervated by` -> `be innervated by`; other plural verbs are infinitives already."""
    return f"be {plural_verb.removeprefix('are ')}" if plural_verb.startswith("are ") else plural_verb


def _whole(closure: Closure, facts: tuple[Fact, ...], head: bool) -> str:
    """A complete list: `The trochlear nerve innervates the superior oblique muscle and nothing else.`"""
    nodes, schema = closure.graph.nodes, closure.schema
    fact = facts[0]
    wording = schema.predicates[fact.predicate].wording(Step(fact.predicate, not head))
    known = definite(nodes[fact.head_id if head else fact.tail_id], schema)
    ends = sorted({f.tail_id if head else f.head_id for f in facts}, key=lambda node: nodes[node].label)
    verb = wording.verb[0][int(known.plural)]
    shown = [definite(nodes[end], schema) for end in ends[:SHOWN]]
    if len(ends) > SHOWN:
        return sentence(f"{known} {verb} {', '.join(shown)} and {len(ends) - SHOWN} more, and this is not one of them")
    return sentence(f"{known} {verb} {', '.join(shown)} and nothing else")


def _elsewhere(closure: Closure, path: Path, node: str, draw: int) -> str:
    """Nothing denies it, so tell what is known of the option in the same respect, or that nothing is."""
    last = path.hops[-1].step
    own = _own_facts(closure, node, last.back)
    if own:
        told = statement(closure, own[draw % len(own)], draw)
        return sentence(
            (f"{told} instead", f"it belongs elsewhere: {told}", f"what is known of it is different: {told}")[draw % 3]
        )
    subject = definite(closure.graph.nodes[node], closure.schema)
    verb = infinitive(closure.schema.predicates[last.predicate].wording(last.back).verb[0][1])
    start = definite(closure.graph.nodes[path.nodes[-2]], closure.schema)
    return sentence(f"{subject} {'are' if subject.plural else 'is'} not known to {verb} {start}")


def _own_facts(closure: Closure, node: str, step: Step) -> list[Fact]:
    table = closure.graph.into if step.inverse else closure.graph.out
    return [fact for fact in table.get(node, {}).get(step.predicate, ()) if fact.askable and not fact.qualifier][:8]
