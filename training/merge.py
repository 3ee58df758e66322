"""Merging an adapter into its base: in fp32, cast once, then checked.

Parity is measured on teacher-forced tokens: the adapter from disk on a fresh fp32 base against the reloaded merge, before
and after the cast. Inside the trainer's process autocast would hide or invent differences, so nothing is compared there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from generation.prompt import SYSTEM_PROMPT
from kg.errors import GateError
from training import weights
from training.folders import finished

LEAST = 0.999  # share of tokens whose arg-max must be equal in fp32
TOKENS = 10_000
PROBE = (
    SYSTEM_PROMPT,
    "The trochlear nerve innervates the superior oblique muscle and leaves the brainstem at its dorsal surface.",
)


class Parity(NamedTuple):
    """Share of equal arg-maxima, greatest difference of logits, tokens compared."""

    same: float
    furthest: float
    tokens: int

    def __str__(self) -> str:
        return f"arg-max equal on {self.same:.2%} of {self.tokens:,} tokens, logits at most {self.furthest:.1e} apart"


def parity(first: Any, second: Any, batches: Sequence[Any]) -> Parity:
    """Compare two models on the same teacher-forced tokens; `batches` are id tensors (rows, tokens)."""
    import torch

    same = count = 0
    furthest = 0.0
    with torch.inference_mode():
        for ids in batches:
            a, b = (model(input_ids=ids.to(model.device)).logits.float().cpu() for model in (first, second))
            same += int((a.argmax(-1) == b.argmax(-1)).sum())
            count += ids.numel()
            furthest = max(furthest, float((a - b).abs().max()))
    return Parity(same / count, furthest, count)


def probe_batches(tokenizer: Any, texts: Sequence[str] = PROBE, tokens: int = TOKENS) -> list[Any]:
    """At least `tokens` teacher-forced tokens in rows of 250, from texts repeated with other starts."""
    import torch

    ids = tokenizer(" ".join(texts), add_special_tokens=False)["input_ids"]
    stream: list[int] = []
    turn = 0
    while len(stream) < tokens:
        stream += ids[turn % len(ids) :] + ids[: turn % len(ids)]
        turn += 7
    rows = torch.tensor(stream[: tokens // 250 * 250]).view(-1, 250)
    return list(rows.split(8))


def run(
    base: str, adapter: Path, out: Path, dtype: str, revision: str | None = None, say: Callable[[str], None] = print
) -> Parity:
    """Merge, check, cast, check again, save. Returns the parity in fp32.

    Raises:
        GateError: fewer than 99.9 % of arg-maxima are equal in fp32.
    """
    import torch
    from peft import PeftModel

    tokenizer = weights.load_tokenizer(str(adapter))
    batches = probe_batches(tokenizer)
    merged = PeftModel.from_pretrained(
        weights.load_model(base, "float32", "sdpa", revision), str(adapter)
    ).merge_and_unload()
    weights.prepare(merged, tokenizer)
    with finished(out) as temporary:
        weights.save(merged, tokenizer, temporary)
        del merged
        fresh = PeftModel.from_pretrained(weights.load_model(base, "float32", "sdpa", revision), str(adapter)).eval()
        again = weights.load_model(str(temporary), "float32", "sdpa").eval()
        before = parity(fresh, again, batches)
        say(f"merge: fp32: {before}")
        if before.same < LEAST:
            raise GateError(
                f"merge of {adapter}: {before}; at least {LEAST:.1%} must be equal; check that the adapter belongs to {base}"
            )
        if dtype != "float32":
            again = again.to(getattr(torch, dtype))
            weights.save(again, tokenizer, temporary)
            say(f"merge: after the cast to {dtype}: {parity(fresh, again, batches)}")
    return before
