"""Which recipe this machine can run, and why."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    recipe: str
    why: str


def gpus() -> list[float]:
    """Memory of each CUDA device in GB (empty without a GPU or without torch)."""
    try:
        import torch
    except ImportError:
        return []
    return [torch.cuda.get_device_properties(n).total_memory / 1e9 for n in range(torch.cuda.device_count())]


def choose(memory: list[float]) -> Choice:
    """The largest recipe that fits, by number and memory of GPUs.

    >>> choose([]).recipe, choose([24.0]).recipe, choose([85.0]).recipe, choose([85.0] * 4).recipe
    ('tiny-cpu', 'qwen3-0.6b', 'qwen3-14b-lora', 'qwen3-14b')
    """
    if not memory:
        return Choice("tiny-cpu", "no GPU was found")
    least = min(memory)
    found = f"{len(memory)} GPU{'s' if len(memory) > 1 else ''} of {least:.0f} GB"
    if len(memory) >= 4 and least >= 75:
        tight = "" if least >= 100 else ", with --optimizer=adamw_8bit (`plan` says why)"
        return Choice("qwen3-14b", f"{found}: enough for full fine-tuning of 14 B parameters{tight}")
    if least >= 75:
        return Choice("qwen3-14b-lora", f"{found}: LoRA on 14 B fits one of them")
    if least >= 20:
        return Choice("qwen3-0.6b", f"{found}: 0.6 B in full fits")
    return Choice("tiny-cpu", f"{found}: under the 20 GB that qwen3-0.6b needs")
