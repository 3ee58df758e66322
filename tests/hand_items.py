"""One finished two-hop item written by hand, for tests of what is made from items."""

from __future__ import annotations

from typing import Any

SOURCE = "neuro-si core 0.1.0/nerves"


def hop(edge: str, head: str, predicate: str, tail: str, inverse: bool = False, **more: Any) -> dict[str, Any]:
    return {
        "edge_id": f"core:{edge}",
        "head_id": f"core:{head.replace(' ', '-')}",
        "head": head,
        "predicate": predicate,
        "tail_id": f"core:{tail.replace(' ', '-')}",
        "tail": tail,
        "inverse": inverse,
        "qualifier": None,
        "head_synonyms": [],
        "tail_synonyms": [],
        "layer": "core",
        "source": SOURCE,
        "license": "Apache-2.0",
        "reference": None,
        **more,
    }


PATH = [
    hop("1", "trochlear nerve", "innervates", "superior oblique muscle", True, head_synonyms=["cranial nerve IV"]),
    hop("2", "trochlear nerve", "exits_from", "dorsal midbrain", reference="https://example.org/nerves"),
]
REASONING = """\
The trochlear nerve innervates the superior oblique muscle. The trochlear nerve leaves the brainstem at the dorsal midbrain.
Now the options, one by one.
A. lateral pons: no. The trigeminal nerve leaves the brainstem at the lateral pons instead.
B. dorsal midbrain: yes. This is where the facts lead.
C. preolivary sulcus: no. The trochlear nerve leaves the brainstem at the dorsal midbrain.
D. cerebellopontine angle: no. It belongs elsewhere: the facial nerve leaves the brainstem at the cerebellopontine angle.
The answer is B. dorsal midbrain."""


def item(**changes: Any) -> dict[str, Any]:
    """The item, with columns exchanged."""
    options = ["lateral pons", "dorsal midbrain", "preolivary sulcus", "cerebellopontine angle"]
    return {
        "item_id": "0123456789abcdef",
        "split": "test",
        "hops": 2,
        "question": "The nerve that drives the superior oblique muscle leaves the brainstem at which site?",
        "options": options,
        "answer": "B",
        "reasoning": REASONING,
        "explanation": "The trochlear nerve innervates the superior oblique muscle. It leaves at the dorsal midbrain.",
        "path_id": "feedfeedfeedfeed",
        "path": PATH,
        "source_id": "core:superior-oblique-muscle",
        "source": "superior oblique muscle",
        "target_id": "core:dorsal-midbrain",
        "target": "dorsal midbrain",
        "bridge_ids": ["core:trochlear-nerve"],
        "bridge_foils": [["core:abducens-nerve"]],
        "option_ids": [f"core:{option.replace(' ', '-')}" for option in options],
        "option_proofs": ["absent", "key", "contradicted", "closed"],
        "option_evidence": [
            "The trigeminal nerve leaves the brainstem at the lateral pons instead.",
            "This is where the facts lead.",
            "The trochlear nerve leaves the brainstem at the dorsal midbrain.",
            "It belongs elsewhere: the facial nerve leaves the brainstem at the cerebellopontine angle.",
        ],
        "metapath": "^innervates > exits_from",
        "topic": "nerves",
        "skeleton": "^innervates > exits_from | hand 0",
        "seed": 0,
        **changes,
    }
