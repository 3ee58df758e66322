"""The row of a question: its Arrow schema (docs/contract.md) and the candidate that becomes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from generation.distractors import Distractor
from kg.closure import Closure
from kg.paths import Hop, Path

SCHEMA_VERSION = "1"
_TEXT = pa.string()
_TEXTS = pa.list_(_TEXT)
HOP = pa.struct(
    [("edge_id", _TEXT), ("head_id", _TEXT), ("head", _TEXT), ("predicate", _TEXT), ("tail_id", _TEXT), ("tail", _TEXT),
     ("inverse", pa.bool_()), ("qualifier", _TEXT), ("head_synonyms", _TEXTS), ("tail_synonyms", _TEXTS),
     ("layer", _TEXT), ("source", _TEXT), ("license", _TEXT), ("reference", _TEXT)]
)  # fmt: skip
ITEM = pa.schema(
    [("item_id", _TEXT), ("split", _TEXT), ("hops", pa.int8()), ("question", _TEXT), ("options", _TEXTS), ("answer", _TEXT),
     ("reasoning", _TEXT), ("explanation", _TEXT), ("path_id", _TEXT), ("path", pa.list_(HOP)), ("source_id", _TEXT),
     ("source", _TEXT), ("target_id", _TEXT), ("target", _TEXT), ("bridge_ids", _TEXTS), ("bridge_foils", pa.list_(_TEXTS)),
     ("option_ids", _TEXTS), ("option_proofs", _TEXTS), ("option_evidence", _TEXTS), ("metapath", _TEXT), ("topic", _TEXT),
     ("skeleton", _TEXT), ("seed", pa.int64())]
)  # fmt: skip

Item = dict[str, Any]  # one row of ITEM


class Candidate(NamedTuple):
    """A path that can be asked: its distractors, the category whose noun the stem uses, and the finished row.

    `place` is that of the key among the options (0 to 3), where it is not left to a hash.
    """

    path: Path
    category: str = ""
    distractors: tuple[Distractor, ...] = ()
    item: Item | None = None
    place: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other: its path, and the end that it is asked from."""
        return self.path.path_id, self.path.source

    @property
    def step(self) -> str:
        """The metapath as walked, for caps and reports."""
        return self.path.metapath


def hop_row(closure: Closure, hop: Hop) -> dict[str, Any]:
    """One hop as stored: the fact in its true direction, and how it was walked."""
    fact, nodes = hop.fact, closure.graph.nodes
    head, tail = nodes[fact.head_id], nodes[fact.tail_id]
    return {
        "edge_id": fact.edge_id,
        "head_id": head.id,
        "head": head.label,
        "predicate": fact.predicate,
        "tail_id": tail.id,
        "tail": tail.label,
        "inverse": hop.inverse,
        "qualifier": fact.qualifier,
        "head_synonyms": list(head.synonyms),
        "tail_synonyms": list(tail.synonyms),
        "layer": fact.layer,
        "source": fact.source,
        "license": fact.license,
        "reference": fact.reference,
    }


def topic_of(path: Path) -> str:
    """The core's topic of the first core fact, or the layer of the first fact."""
    for hop in path.hops:
        if hop.fact.layer == "core":
            return hop.fact.source.partition("/")[2] or "core"
    return path.hops[0].fact.layer
