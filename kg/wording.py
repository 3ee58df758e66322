"""A first wording for a predicate that nobody has worded: from its name to English, told from both ends.

`innervated_by`, `hasTarget`, `TREATS`, `adjacent to`, `agonist of` become verb phrases in the form that a schema wants
(kg/data/schema.yaml). A draft is meant to be read by a person: the importer prints a sentence for each. Where no
decent phrase for the tail's end can be formed, only the head is asked for (`askable: backward`).
"""

from __future__ import annotations

import re
from typing import Any

from kg.schema import pluralise


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PREPOSITIONS = _set(
    "by in of from to with at on into through for as during against via under over between within onto upon about above below near behind along across around inside outside"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORT = re.compile(
    r"[^aeiou]*[aeiou][bdgmnprt]"
)  # one short vowel before one consonant, which doubles: stopped, trapped
_SEPARATOR = re.compile(r"[\W_]+")
_PARTICIPLES = {
    "found": "find", "bound": "bind", "made": "make", "known": "know", "given": "give", "seen": "see",
    "driven": "drive",
    "fed": "feed", "led": "lead", "built": "build", "held": "hold", "born": "bear", "taken": "take",
    "broken": "break", "cut": "cut",
    "split": "split", "sent": "send", "set": "set", "shown": "show", "worn": "wear", "grown": "grow",
    "drawn": "draw", "written": "write",
}  # fmt: skip
_PAST = {verb: participle for participle, verb in _PARTICIPLES.items()} | {
    "arise": "arisen",
    "begin": "begun",
    "run": "run",
    "have": "had",
}
_ADJECTIVES = _set(
    """adjacent anterior posterior dorsal ventral medial lateral superior inferior proximal distal homologous
    similar equal connected related identical orthologous specific sensitive resistant responsive essential
    necessary sufficient toxic permeable upstream downstream contraindicated indicated active present absent
    deep superficial caudal rostral capable equivalent opposite parallel"""
)
_SYMMETRIC_HEADS = _set("adjacent homologous similar equal connected related identical orthologous equivalent parallel")
_NOUN_ENDS = ("ion", "ment", "ity", "ness", "ance", "ence", "ist", "or", "ology", "ship", "ome", "type")
_NOUNS = _set(
    """target location site gene drug symptom sign cause effect side part branch member component subunit
    ligand origin insertion function role class parent child risk marker biomarker phenotype treatment
    therapy tissue organ taxon dose route carrier substrate product precursor inhibitor activator agonist
    antagonist enzyme receptor author subclass"""
)
_OBJECTS = _set(
    """receptor channel enzyme transporter gene protein ion artery vein nerve muscle organ region disease
    symptom drug"""
)
_BY_END = {  # what the tail is to the head, for "VERB PREPOSITION"
    "from": "is the source of|are the sources of", "in": "is the site of|are the sites of", "into": "receives|receive",
    "through": "is the passage of|are the passages of", "at": "is the site of|are the sites of",
}  # fmt: skip
_SILENT_E = tuple(sorted(_set("ac ag am ar as at c ib ic id im in is iv iz od os ov ps rs uc ud ur us v ys yz")))


def words_of(name: str) -> list[str]:
    """The words of a predicate's name, in lower case.

    >>> words_of("hasDrugTarget"), words_of("IS_TREATED_BY")
    (['has', 'drug', 'target'], ['is', 'treated', 'by'])
    """
    return [word.lower() for word in _SEPARATOR.split(_CAMEL.sub(" ", name)) if word]


def wordable(name: str) -> bool:
    """Whether a name has a word to make a phrase of; `RO:0002202`, `r7` and a bare `is` have none.

    >>> wordable("interacts_with"), wordable("RO:0002202"), wordable("is")
    (True, False, False)
    """
    plain = set(words_of(name)) - {"is", "are", "be", "has", "have", "ro", "bfo", "bspo"} - PREPOSITIONS
    return any(len(word) > 2 and word.isalpha() for word in plain)


def noun(kind: str) -> str:
    """The noun for a type that a file names; acronyms keep their capitals.

    >>> noun("biolink:ClinicalTrial"), noun("ECG sign")
    ('clinical trial', 'ECG sign')
    """
    words = [word for word in _SEPARATOR.split(_CAMEL.sub(" ", kind.rpartition(":")[2])) if word]
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words) or "thing"


def draft(name: str, symmetric: bool = False) -> dict[str, Any]:
    """The entry of a schema for a predicate, without domain and range.

    >>> draft("treats")["backward"]["verb"], draft("innervated_by")["forward"]["verb"]
    (['is treated by|are treated by'], ['is innervated by|are innervated by'])
    """
    words = words_of(name) or ["related", "to"]
    adverb = words[0] if words[0].endswith("ly") and len(words) > 1 else ""
    words = words[1:] if adverb else words
    forward, ask = _forward(words)
    backward = forward if symmetric else _backward(words)
    if adverb:
        forward, backward, ask = _with(adverb, forward), _with(adverb, backward) if backward else None, None
    entry: dict[str, Any] = {"forward": {"verb": [forward]}, "backward": {"verb": [backward or _clumsy(forward)]}}
    if ask:
        entry["forward"]["ask"] = [ask]
    if symmetric:
        entry["symmetric"] = True
    elif backward is None:
        entry["askable"] = "backward"
    return entry


def _with(adverb: str, phrase: str) -> str:
    """An adverb put into both numbers of a verb phrase: after `is`/`are`, before another verb."""
    parts = (part.split(" ", 1) for part in phrase.split("|"))
    return "|".join(f"{p[0]} {adverb} {p[1]}" if p[0] in ("is", "are") else " ".join((adverb, *p)) for p in parts)


def reads_both_ways(name: str) -> bool:
    """Whether a name by itself says that the relation is symmetric (`adjacent_to`, `interacts_with`)."""
    words = [word for word in words_of(name) if word not in ("is", "are", "be")]
    return bool(words) and (words[0] in _SYMMETRIC_HEADS or words[-2:] in (["interacts", "with"], ["interact", "with"]))


def _forward(words: list[str]) -> tuple[str, str | None]:
    """The verb phrase, singular|plural, and a question for the tail."""
    first, rest = words[0], words[1:]
    after = " ".join(rest)
    if _names_its_object(words):
        single, several = _third_person(first)
        return f"{single}|{several}", f"Which {{{{ noun }}}} {{{{ do }}}} {{{{ x }}}} {several}?"
    if first in ("is", "are", "be") and rest:
        return f"is {after}|are {after}", None
    if first in ("has", "have"):
        return f"has {after}|have {after}".strip(), None
    if first in ("can", "may", "must", "should"):
        return f"{first} {after}|{first} {after}", None
    if first in PREPOSITIONS:
        return f"is {' '.join(words)}|are {' '.join(words)}", None
    if _is_participle(first) and rest and rest[0] in PREPOSITIONS:
        return f"is {first} {after}|are {first} {after}", None
    if first in _ADJECTIVES:
        return f"is {' '.join(words)}|are {' '.join(words)}", None
    if (words[-1] in PREPOSITIONS and _is_noun(words[:-1])) or (words[-1] == "of" and not _is_verb(first, rest)):
        return _noun_of(words[:-1], words[-1]), None
    if _is_noun(words):
        noun = " ".join(words)
        return f"has the {noun}|have the {noun}", None
    single, several = _third_person(first)
    asked = f"Which {{{{ noun }}}} {{{{ do }}}} {{{{ x }}}} {' '.join([several, *rest])}?"
    return " ".join([single, *rest]) + "|" + " ".join([several, *rest]), asked


def _noun_of(words: list[str], preposition: str = "of") -> str:
    noun = " ".join(words)
    if noun in ("part", "characteristic", "typical", "capable"):
        return f"is {noun} of|are {noun} of"
    article = "an" if noun[:1] in "aeiou" else "a"
    return (
        f"is {article} {noun} {preposition}|are {noun + 'es' if noun.endswith('ch') else pluralise(noun)} {preposition}"
    )


def _backward(words: list[str]) -> str | None:
    """The phrase from the tail's end, or None if none can be formed."""
    if words[0] in ("is", "are", "be") and len(words) > 1:
        words = words[1:]
    first, rest = words[0], words[1:]
    if _names_its_object(words):
        rest = []
    if _is_participle(first) and rest == ["by"]:
        single, several = _third_person(_infinitive(first))
        return f"{single}|{several}"
    if (
        (_is_participle(first) and rest and rest[0] in PREPOSITIONS)
        or first in ("can", "may", "must", "should")
        or first in _ADJECTIVES
        or first in PREPOSITIONS
    ):
        return None
    if len(words) > 1 and (
        (words[-1] in PREPOSITIONS and _is_noun(words[:-1])) or (words[-1] == "of" and not _is_verb(first, rest))
    ):
        noun = " ".join(words[:-1])
        return "includes|include" if noun == "part" else f"has the {noun}|have the {noun}"
    if first in ("has", "have") and rest:
        return _noun_of(rest) if rest[-1] not in PREPOSITIONS else None
    if _is_noun(words):
        return _noun_of(words)
    if rest:
        return _BY_END.get(rest[-1]) if rest[-1] in PREPOSITIONS else None
    past = _participle(_third_person(first)[1])
    return f"is {past} by|are {past} by"


def _clumsy(forward: str) -> str:
    """Correct but ungainly (`is projected to by`; `has, adjacent to it,`); used only where a sentence must be had."""
    several = forward.split("|")[1]
    if several.startswith("are "):
        several = several.removeprefix("are ")
        return f"has, {several} it,|have, {several} them,"
    verb, _, rest = several.partition(" ")
    return f"is {_participle(verb)} {rest} by|are {_participle(verb)} {rest} by".replace("  ", " ")


def denies(name: str) -> bool:
    """Whether a name says what is not so (`lacks part`, `not expressed in`)."""
    return bool({"lacks", "lack", "not", "never", "without", "excludes", "no"} & set(words_of(name)[:2]))


def noun_of_end(name: str, tail: bool) -> str:
    """The noun that a predicate's name gives to its tail or its head, or "".

    >>> noun_of_end("has adverse effect", tail=True), noun_of_end("agonist of", tail=False)
    ('adverse effect', 'agonist')
    """
    words = words_of(name)
    if tail and words and words[0] in ("has", "have") and len(words) > 1 and words[-1] not in PREPOSITIONS:
        return " ".join(words[1:])
    if tail and _names_its_object(words):
        return " ".join(words[1:])
    if not tail and len(words) > 1 and words[-1] == "of" and _is_noun(words[:-1]):
        return " ".join(words[:-1])
    return ""


def bare_verb(name: str) -> str:
    """The verb of a name that is a verb and a class of things (`blocks receptor` -> `blocks`), or ""."""
    words = words_of(name)
    return words[0] if _names_its_object(words) else ""


def _names_its_object(words: list[str]) -> bool:
    """Whether a name is a verb and a class of things (`blocks receptor`, `inhibits enzyme`)."""
    return (
        len(words) == 2
        and words[0] not in ("has", "have", "is", "are")
        and _is_verb(words[0], words[1:])
        and words[1] in _OBJECTS
    )


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3 and not word.endswith("eed"))


def _is_verb(first: str, rest: list[str]) -> bool:
    """Whether a name of several words starts with a verb (`reduces risk of`), not with a noun (`agonist of`)."""
    return bool(rest) and first.endswith("s") and not first.endswith(("ss", "us", "is"))


def _is_noun(words: list[str]) -> bool:
    if not words or _is_verb(words[0], words[1:]):
        return False
    last = words[-1]
    return last in _NOUNS or (last.endswith(_NOUN_ENDS) and len(last) > 4 and not last.endswith("s"))


def _third_person(verb: str) -> tuple[str, str]:
    """(singular, plural) of a verb given in either form."""
    if len(verb) < 4 or verb.endswith("ss") or not verb.endswith("s"):
        plural = verb
    elif verb.endswith("ies") and len(verb) > 4:
        plural = verb[:-3] + "y"
    elif verb.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        plural = verb[:-2]
    else:
        plural = verb[:-1]
    if plural.endswith("y") and plural[-2:-1] not in "aeiou":
        return plural[:-1] + "ies", plural
    return plural + ("es" if plural.endswith(("ch", "sh", "ss", "x", "zz", "o")) else "s"), plural


def _participle(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + verb[-1] + "ed" if _SHORT.fullmatch(verb) else verb + "ed"


def _infinitive(participle: str) -> str:
    if participle in _PARTICIPLES:
        return _PARTICIPLES[participle]
    stem = participle[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in "bdgmnpt":
        return stem[:-1]
    if stem.endswith(("eat", "oat")):
        return stem
    needs_e = stem.endswith(_SILENT_E)
    return (
        stem + "e"
        if needs_e and not stem.endswith(("tain", "gain", "train", "strain", "explain", "join", "ear"))
        else stem
    )
