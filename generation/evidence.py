"""How a distractor is known to be false, in words.

Every sentence says something true of the field that a reader can check; none speaks of a graph, a path or a context.
What is merely absent is not denied: what is known of the option stands there, or that nothing is.
"""

from __future__ import annotations

from generation.distractors import Distractor
from generation.phrases import Phrase, definite, listing
from generation.reasoning import sentence
from generation.stems import clause, pick, statement
from kg.closure import Closure
from kg.graph import Fact
from kg.names import fold
from kg.paths import Path
from kg.schema import Step

SHOWN = 4  # values of a complete list that are named


def in_words(closure: Closure, path: Path, distractor: Distractor) -> str:
    """The evidence against a distractor, as one sentence that names it."""
    verdict, node = distractor.verdict, distractor.node
    draw = pick(path.path_id, node, of=97)
    if verdict.kind == "negated":
        own = _own_facts(closure, node, path.hops[-1].step.back)
        return _instead(closure, path, node, own, draw) if own and draw % 2 else _not_so(closure, path, node)
    if verdict.kind == "disjoint":
        return sentence(f"on the contrary, {statement(closure, verdict.facts[0], draw)}")
    own = [fact for fact in verdict.facts if node in (fact.head_id, fact.tail_id)]
    instead = own or _own_facts(closure, node, path.hops[-1].step.back)
    if verdict.kind.startswith("complete") and not own and (draw % 2 or not instead):
        return _not_among(closure, path, node, verdict.facts)
    if verdict.kind == "absent":
        return (
            _instead(closure, path, node, instead, draw, denied=False)
            if instead
            else _not_so(closure, path, node, known=False)
        )
    return _instead(closure, path, node, instead, draw) if instead else _not_so(closure, path, node)


def of_key(closure: Closure, path: Path) -> str:
    """Why the key fits: its last fact, told from the start of that hop."""
    hop = path.hops[-1]
    nodes = closure.graph.nodes
    start, end = definite(nodes[hop.start], closure.schema), definite(nodes[hop.end], closure.schema)
    told = clause(closure, hop.step, start, end)
    return sentence(f"{told} {hop.fact.qualifier}" if hop.fact.qualifier else told)


def _not_so(closure: Closure, path: Path, node: str, known: bool = True) -> str:
    """The statement about the option, denied or open: `Damage to the pons does not (is not known to) cause chorea.`"""
    step, start, nodes = path.hops[-1].step, path.nodes[-2], closure.graph.nodes
    head, tail = (node, start) if step.inverse else (start, node)
    subject, value = definite(nodes[head], closure.schema), definite(nodes[tail], closure.schema)
    wording = closure.schema.predicates[step.predicate].forward
    verb, plural = wording.verb[0]
    single, other = verb.partition(",")[0], plural.partition(",")[0]  # `causes, when damaged,`: the verb is `causes`
    if wording.say and " " not in single:
        told = clause(closure, Step(step.predicate), subject, value)
        if f" {single} " in told:
            return sentence(told.replace(f" {single} ", f" {negative((single, other), False, known)} ", 1))
    return sentence(f"{subject} {negative((verb, plural), subject.plural, known)} {value}")


def negative(verb: tuple[str, str], plural: bool, known: bool = True) -> str:
    """A verb phrase denied, or called not known.

    Args:
        verb: singular and plural.

    >>> negative(("is a branch of", "are branches of"), False), negative(("releases", "release"), True)
    ('is not a branch of', 'do not release')
    >>> negative(("is a branch of", "are branches of"), False, known=False)
    'is not known to be a branch of'
    """
    be = verb[1].startswith("are ")
    after = verb[int(plural)].removeprefix("are " if plural else "is ") if be else verb[1]
    if not known:
        return f"{'are' if plural else 'is'} not known to {'be ' if be else ''}{after}"
    if be:
        return f"{'are' if plural else 'is'} not {after}"
    return f"{'do' if plural else 'does'} not {after}"


def _not_among(closure: Closure, path: Path, node: str, facts: tuple[Fact, ...]) -> str:
    """The whole list of the start of the last hop, and that the option is not in it."""
    nodes, schema, hop = closure.graph.nodes, closure.schema, path.hops[-1]
    values = {f.head_id if hop.inverse else f.tail_id for f in facts}
    finest = (end for end in values if not any(end in closure.above(other) for other in values - {end}))
    once = {fold(nodes[end].label): end for end in sorted(finest, reverse=True)}  # of namesakes the first by id
    ends = sorted(once.values(), key=lambda end: nodes[end].label)
    shown = [str(definite(nodes[end], schema)) for end in ends[:SHOWN]]
    listed = f"{', '.join(shown)} and others" if len(ends) > SHOWN else listing(shown)
    told = clause(closure, hop.step, definite(nodes[hop.start], schema), Phrase(listed))
    return sentence(f"{told}, not {definite(nodes[node], schema)}")


def _instead(closure: Closure, path: Path, node: str, own: list[Fact], draw: int, denied: bool = True) -> str:
    """What the option does in the same respect: `GABA is released by the Martinotti cell, not the Renshaw cell.`"""
    nodes, schema, back = closure.graph.nodes, closure.schema, path.hops[-1].step.back
    subject, start = definite(nodes[node], schema), definite(nodes[path.nodes[-2]], schema)
    ends = [fact.head_id if back.inverse else fact.tail_id for fact in own]
    like = [end for end in ends if nodes[end].category == nodes[path.nodes[-2]].category]  # a nerve beside a nerve
    other = max(like or ends, key=lambda end: (closure.graph.degree[end], end))  # what it is best known for
    told = clause(closure, back, subject, definite(nodes[other], schema), draw)
    return sentence(f"{told}, not {start}" if denied else told)


def _own_facts(closure: Closure, node: str, step: Step) -> list[Fact]:
    table = closure.graph.into if step.inverse else closure.graph.out
    facts = [fact for fact in table.get(node, {}).get(step.predicate, ()) if fact.askable and not fact.qualifier]
    curated = [fact for fact in facts if fact.layer == "core"]  # what people know it for, before catalogues
    return (curated or facts)[:8]
