"""How an entity stands in an English sentence: article, number, capital.

A `Phrase` is a string that also knows whether it is plural, so that a template can make the verb agree:
`{{ x }} {{ 'are' if x.plural else 'is' }}`. Labels are data: they are inserted, never rendered.
"""

from __future__ import annotations

import re

from kg.graph import Node
from kg.names import GREEK
from kg.schema import Schema, pluralise

# Head words that end in s but are singular, and plurals that do not end in s.
_SINGULAR_S = frozenset(
    """pons biceps triceps quadriceps forceps pancreas lens rabies stapes herpes diabetes measles mumps shingles series
    species caries atlas glans facies reuniens accumbens pyogenes perfringens sapiens elegans has was always tremens""".split()
)
_PLURAL = frozenset(
    """nuclei ganglia colliculi gyri sulci fasciculi peduncles mitochondria astrocytes cilia dendrites axons villi
    stimuli thalami foramina vertebrae cerebella bronchi spermatozoa media alveoli mucosae fibrae laminae hyphae
    papillae maculae cristae otoconia bacteria feet teeth hairs people children data criteria phenomena drusen""".split()
)
_NO_ARTICLE = re.compile(
    r"^(area [A-Z0-9]\w*|(lamina|layer|zone|sector) [IVX0-9]+[a-z]?( of .*)?|(Broca|Wernicke) area|Meyer loop|Brodmann area.*|"
    r"(CA|V|M|S)\d[a-z]?|[CTLS]\d+|spinal segment .*|MT|LIP|FEF)$"
)
_NAMED_KIND = re.compile(r" (test|task|manoeuvre|sign|stain|scale|phenomenon)$")
# Findings and disorders that are counted: `an egg-yolk macular lesion`, but `oscillopsia`.
_COUNTED = frozenset(
    """lesion period toxidrome overdose fracture dislocation aneurysm haematoma fistula spot star notch rash scotoma
    goitre pupil gait posture interval twitch deformity response hemidiaphragm metatarsal incisor forelock philtrum
    tongue bladder pattern appearance collection stroke malformation cataract coloboma lurch grip urge need fundus disc
    nerve aqueduct cyst""".split()
)
_FINDINGS = frozenset(("sign", "pathology", "disease"))
_PROTEIN_NOUN = re.compile(r" (receptor|transporter|exchanger|pump|cotransporter)$")
_COMMON_NOUN = re.compile(r" [a-z]+( \(.*\))?$")  # `dopamine transporter`, but `prestin`, `VMAT2`
_OF = re.compile(r" (of|in|to|for|from|with|by|at|on|due) ")


class Phrase(str):
    """A noun phrase with its number. `str(phrase)` is the text, `many` the same as a kind of which there are many."""

    __slots__ = ("many", "plural")
    plural: bool
    many: str

    def __new__(cls, text: str, plural: bool = False, many: str = "") -> Phrase:
        phrase = super().__new__(cls, text)
        phrase.plural = plural
        phrase.many = many or text
        return phrase


def head_word(label: str) -> str:
    """The word that decides number: the last one before `of`, brackets and commas left out."""
    core = _OF.split(re.sub(r"\s*\(.*?\)", "", label).split(",")[0], maxsplit=1)[0]
    return core.rsplit(" ", 1)[-1].rsplit("-", 1)[-1]


def is_plural(label: str) -> bool:
    """Whether a label takes a plural verb.

    >>> [is_plural(x) for x in ("deep cerebellar nuclei", "pons", "nucleus of the solitary tract", "mossy fibres")]
    [True, False, False, True]
    """
    word = head_word(label)
    lower = word.lower()
    if lower in _PLURAL:
        return True
    if lower in _SINGULAR_S or not word.islower():
        return False
    return lower.endswith("s") and not lower.endswith(("ss", "us", "is", "os"))


def noun_of(node: Node, schema: Schema) -> str:
    """What an entity is called when it is not named: `nerve`, `brain region`."""
    return schema.categories[node.category].noun


def definite(node: Node, schema: Schema) -> Phrase:
    """The entity as it stands in running text: `the red nucleus`, `dopamine`, `Broca area`, `a lucid interval`."""
    kinds, label, plural = schema.ancestors(node.category), node.label, is_plural(node.label)
    article = schema.categories[node.category].article
    if not article and _NAMED_KIND.search(label):
        article = "the"  # the Wada test, the Babinski sign
    if "protein" in kinds:
        article = "the" if _PROTEIN_NOUN.search(label) or (article and _COMMON_NOUN.search(label)) else ""
    many = pluralise(label) if "cell" in kinds and not plural else ""
    if not article and not plural and not _FINDINGS.isdisjoint(kinds) and head_word(label) in _COUNTED:
        return Phrase(indefinite(label))
    if not article or _NO_ARTICLE.match(label):
        return Phrase(label, plural, many)
    return Phrase(f"the {label}", plural, many or label)


def indefinite(noun: str) -> str:
    """`a nucleus`, `an artery`."""
    sound = noun.lower()
    an = (sound[:1] in "aeiou" and not sound.startswith(("uni", "use", "eu"))) or sound.startswith(("hour", "honest"))
    return f"{'an' if an else 'a'} {noun}"


def capital(text: str) -> str:
    """The text with a capital at its start, names with a case of their own left alone (`mGluR5`, `c-Fos`, `pH`).

    >>> [capital(x) for x in ("dopamine", "mGluR5", "α-synuclein", "netrin-1", "c-Fos", "p75")]
    ['Dopamine', 'mGluR5', 'α-Synuclein', 'Netrin-1', 'c-Fos', 'p75']
    """
    first = text.split(" ", 1)[0]
    begin = first.partition("-")[0]
    if (
        not begin
        or any(c.isupper() for c in begin[1:])
        or begin[1:2].isdigit()
        or (len(begin) == 1 and begin not in GREEK and begin != first)
    ):
        return text
    if first[0] in GREEK:
        return re.sub(r"^(.-)([a-z])", lambda m: m[1] + m[2].upper(), text, count=1)
    return text[0].upper() + text[1:]


def listing(names: list[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
