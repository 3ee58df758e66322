"""What a stage said and wrote, for the tests of the stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Said(list[str]):
    """Collects what a stage prints."""

    def __call__(self, text: str) -> None:
        self.append(text)

    @property
    def text(self) -> str:
        return "\n".join(self)


def weights_of(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def same(first: Path, second: Path) -> bool:
    import torch

    a, b = weights_of(first), weights_of(second)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
