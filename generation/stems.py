"""Stems: a path in, a question out.

Words come from the schema's wordings (data), patterns from templates/stems.j2. A stem never names a bridge: it speaks
of "the nerve that innervates the superior oblique muscle" (`the` only when there is no other) or, in two
sentences, of "a vesicle protein ... this protein". When several answers are right it asks "which of these". Variants
are drawn by a hash of the path, so a stem depends on nothing but its path.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import PackageLoader, StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment

from generation.phrases import Phrase, capital, definite, indefinite, noun_of
from kg.closure import Closure
from kg.graph import Fact
from kg.paths import Hop, Path, answers, digest
from kg.schema import Step


@lru_cache(maxsize=1)
def environment() -> SandboxedEnvironment:
    """Jinja2 as this package uses it: sandboxed, strict, no HTML escaping (stems are plain text)."""
    env = SandboxedEnvironment(
        loader=PackageLoader("generation"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    env.filters["cap"] = capital
    return env


@lru_cache(maxsize=4096)
def compiled(source: str) -> Template:
    """A wording of the schema as a template (schemas are the user's own files; labels never come here)."""
    return environment().from_string(source)


@lru_cache(maxsize=4)
def macros(name: str) -> Any:
    return environment().get_template(name).module


NESTED = 3  # stems in one sentence, for each in two
COUNTED = ("", "", "second ", "third ", "fourth ")  # of bridges in a row that go by one noun


class Stem(NamedTuple):
    """A question and its skeleton (pattern and variant)."""

    text: str
    skeleton: str


class Asked(NamedTuple):
    """What the question asks for: the category whose noun it uses, and whether several answers are right."""

    category: str
    several: bool


def pick(seed: str, *parts: str, of: int) -> int:
    """A number below `of`, from a hash."""
    return int(digest(seed, *parts), 16) % of


@dataclass(frozen=True)
class Stems:
    """Writes stems over one graph."""

    closure: Closure

    def write(self, path: Path, asked: Asked, seed: int) -> Stem:
        """The stem of a path.

        Args:
            asked: category and number of the answer.
            seed: of the run; another seed draws other variants.
        """
        draw = f"{seed}:{path.path_id}:{path.source}"
        if len(path.hops) == 1:
            return self._single(path, asked, draw)
        if len(path.hops) > 2:
            stem = self._stepwise(path, asked, draw)
            return stem._replace(skeleton=f"{path.metapath} | {stem.skeleton}")
        hand = self._hand_written(path)
        variants = self._chained(path, asked, draw) + hand * 2
        stem = variants[pick(draw, "stem", of=len(variants))]
        return stem._replace(skeleton=f"{path.metapath} | {stem.skeleton}")

    # --- one hop --------------------------------------------------------------------------------------

    def _single(self, path: Path, asked: Asked, draw: str) -> Stem:
        hop = path.hops[0]
        known = self._phrase(path.source)
        variants = self.questions(hop.step, known, asked)
        stem = variants[pick(draw, "stem", of=len(variants))]
        if hop.fact.qualifier:
            text = str(macros("stems.j2").qualified(hop.fact.qualifier, stem.text))
            return Stem(text, f"{hop.step} | qualified {stem.skeleton}")
        return stem._replace(skeleton=f"{hop.step} | {stem.skeleton}")

    def questions(self, step: Step, x: Phrase, asked: Asked) -> list[Stem]:
        """Every way to ask for the other end of a step from the known end `x`."""
        schema = self.closure.schema
        category = schema.categories[asked.category]
        predicate = schema.predicates[step.predicate]
        nouns = [f"of these {category.plural}"] if asked.several else [category.noun, f"of these {category.plural}"]
        found = []
        for form, noun in zip(("these", "those") if asked.several else ("a", "these"), nouns, strict=False):
            for number, source in enumerate(predicate.wording(step).ask):
                stranded = (" that " in x or " whose " in x) and not source.rstrip().endswith("{{ x }}?")
                if not stranded and (form == "a" or "ich {{ noun }}" in source):
                    found.append(Stem(_ask(source, x, noun), f"ask {number} {form}"))
            for number, (verb, _) in enumerate(predicate.wording(step.back).verb):
                if "," in verb:
                    continue
                found.append(Stem(str(macros("stems.j2").which(noun, verb, x)), f"which {number} {form}"))
        return found

    # --- several hops ---------------------------------------------------------------------------------

    def _chained(self, path: Path, asked: Asked, draw: str) -> list[Stem]:
        last = path.hops[-1].step
        chain, _ = self._chain(path, draw)
        told, pronoun = self._told(path, draw)
        nested = [stem._replace(skeleton=f"nested {stem.skeleton}") for stem in self.questions(last, chain, asked)]
        told_first = [
            Stem(str(macros("stems.j2").told_then(told, stem.text)), f"told {stem.skeleton}")
            for stem in self.questions(last, pronoun, asked)
        ]
        return [*nested * NESTED, *told_first]

    def _chain(self, path: Path, draw: str) -> tuple[Phrase, Phrase]:
        """The bridge in words, and how to point back at it."""
        hop, noun = path.hops[0], self._noun(path.bridges[0])
        article = f"the {noun}" if self._only(hop) else indefinite(noun)
        words = Phrase(f"{article} {self._relative(hop.step.back, draw)} {self._phrase(path.source)}")
        return words, Phrase(f"this {self._short(path.bridges[0])}")

    def _told(self, path: Path, draw: str) -> tuple[str, Phrase]:
        """The walk to the bridge as a statement, and how to point back at the bridge."""
        hop = path.hops[0]
        bridge = Phrase(indefinite(self._noun(hop.end)))
        told = clause(self.closure, hop.step, self._phrase(path.source), bridge, pick(draw, "told", of=97))
        return told, Phrase(f"this {self._short(hop.end)}")

    def _stepwise(self, path: Path, asked: Asked, draw: str) -> Stem:
        """Three and more hops, one sentence a hop; nested clauses of that depth cannot be read.

        The first sentence begins with the source or, by a draw, with the first bridge described by it.
        """
        begin = pick(draw, "begin", of=2)
        start = self._chain(path, draw)[0] if begin else self._phrase(path.source)
        told, row = [], 1  # bridges in a row that go by one noun
        for number, hop in enumerate(path.hops[begin:-1], begin):
            noun, back = self._noun(hop.end), self._short(hop.end)
            same = number > 0 and self._noun(hop.start) == noun
            row = row + 1 if same else 1
            if number > 0 and not same and self._short(hop.start) == back:
                back = noun  # of a nerve, a cranial nerve: "this nerve" could be either
            bridge = Phrase(f"another {noun}" if same else indefinite(noun))
            told.append(clause(self.closure, hop.step, start, bridge, pick(draw, "told", str(number), of=97)))
            start = Phrase(f"this {COUNTED[row]}{back}")
        questions = self.questions(path.hops[-1].step, start, asked)
        stem = questions[pick(draw, "stem", of=len(questions))]
        text = stem.text
        for sentence in reversed(told):
            text = str(macros("stems.j2").told_then(sentence, text))
        return Stem(text, f"stepwise {begin} {stem.skeleton}")

    def _hand_written(self, path: Path) -> list[Stem]:
        """Stems that the schema gives for the metapath itself."""
        nodes = self.closure.graph.nodes
        noun = self._noun(path.bridges[0])
        values = {"s": self._phrase(path.source), "b": noun, "a_b": indefinite(noun)}
        values |= {"do": "do" if values["s"].plural else "does", "be": "are" if values["s"].plural else "is"}  # type: ignore[attr-defined]
        found = []
        for metapath in self.closure.schema.by_steps.get(path.steps, ()):
            fits = zip(path.nodes, metapath.at, strict=True)
            if all(self.closure.schema.fits(nodes[node].category, allowed) for node, allowed in fits):
                found += [Stem(compiled(text).render(values), f"hand {n}") for n, text in enumerate(metapath.stems)]
        return found

    # --- pieces ---------------------------------------------------------------------------------------

    def _phrase(self, node: str) -> Phrase:
        return definite(self.closure.graph.nodes[node], self.closure.schema)

    def _noun(self, node: str) -> str:
        return noun_of(self.closure.graph.nodes[node], self.closure.schema)

    def _short(self, node: str) -> str:
        return self.closure.schema.categories[self.closure.graph.nodes[node].category].short

    def _relative(self, step: Step, draw: str) -> str:
        """`that innervates`, `whose lesion causes`."""
        wording = self.closure.schema.predicates[step.predicate].wording(step)
        clauses = wording.rel or tuple(f"that {verb}" for verb, _ in wording.verb)
        return clauses[pick(draw, "verb", "0", of=len(clauses))]

    def _only(self, hop: Hop) -> bool:
        """Whether the hop's end is the only value there is, as far as the field knows."""
        return self.closure.linked(hop.start, hop.step) == {hop.end} and self.closure.settled(hop.start, hop.step)


def _ask(source: str, x: Phrase, noun: str) -> str:
    return compiled(source).render(x=x, noun=noun, do="do" if x.plural else "does", be="are" if x.plural else "is")


def clause(closure: Closure, step: Step, x: Phrase, y: Phrase, draw: int = 0) -> str:
    """A step as a clause about two noun phrases, told from the end that is walked from."""
    wording = closure.schema.predicates[step.predicate].wording(step)
    if wording.say:
        return compiled(wording.say[draw % len(wording.say)]).render(x=x, y=y)
    return f"{x} {wording.verb[draw % len(wording.verb)][int(x.plural)]} {y}"


def statement(closure: Closure, fact: Fact, draw: int = 0) -> str:
    """A fact as a clause, in the direction in which it is true, without capital and full stop.

    Args:
        draw: chooses among the wordings of its predicate.
    """
    nodes = closure.graph.nodes
    head, tail = definite(nodes[fact.head_id], closure.schema), definite(nodes[fact.tail_id], closure.schema)
    told = clause(closure, Step(fact.predicate), head, tail, draw)
    return f"{told} {fact.qualifier}" if fact.qualifier else told


def several_answers(closure: Closure, path: Path, category: str) -> bool:
    """Whether more than one node of the asked category is a right answer."""
    right = answers(closure, path.source, path.steps)
    return sum(closure.schema.fits(closure.graph.nodes[node].category, frozenset((category,))) for node in right) > 1
