"""Disease names of catalogues in the order of speech: `seizures, benign familial infantile, 5` is what people call
benign familial infantile seizures 5.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from kg.graph import Layer, Node

MOST_WORDS = 5  # of one modifier; longer ones are clauses
_NUMBER = re.compile(r"(?:^|(?<= ))(\d+[A-Z]*\d*[A-Z]?)$")
_AFTER = re.compile(r"(with|without|due|plus)\b")
_BEFORE = re.compile(r"(autosomal|X-linked|Y-linked|[a-z])")
_CLAUSE = re.compile(r"(and|or|form|type)\b|.*\b(form|type|susceptibility to)$|susceptibility")


def natural(label: str) -> str:
    """A label with its modifiers before the noun, or as it is where that is not plain to see.

    >>> natural("seizures, benign familial infantile, 5"), natural("epilepsy, early-onset, 2, with or without ataxia")
    ('benign familial infantile seizures 5', 'early-onset epilepsy 2 with or without ataxia')
    >>> natural("microcephaly, epilepsy, and diabetes syndrome 1")
    'microcephaly, epilepsy, and diabetes syndrome 1'
    """
    head, *rest = label.split(", ")
    before: list[str] = []
    after: list[str] = []
    number = ""
    for part in rest:
        if _AFTER.match(part):
            after.append(part)
            continue
        found = _NUMBER.search(part)
        if found:
            if number or _NUMBER.search(head):
                return label
            number, part = found[1], part[: found.start()].strip()
        if part and (_CLAUSE.match(part) or not _BEFORE.match(part) or len(part.split()) > MOST_WORDS or after):
            return label
        before += [part] if part else []
    return " ".join(filter(None, [*reversed(before), head, number, *after]))


def renamed(layer: Layer, kinds: frozenset[str]) -> Layer:
    """A layer whose nodes of these categories have natural labels; the old ones become synonyms."""
    said = [natural(node.label) if node.category in kinds else node.label for node in layer.nodes]
    taken = Counter(said) + Counter(node.label for node in layer.nodes)

    def better(node: Node, label: str) -> Node:
        if label == node.label or taken[label] > 1:
            return node
        return replace(node, label=label, synonyms=tuple(sorted({*node.synonyms, node.label})))

    return replace(layer, nodes=[better(node, label) for node, label in zip(layer.nodes, said, strict=True)])
