"""Where a recipe's models lie (docs/contract.md), and how a finished one gets its name.

<models>/<recipe>/base, questions       only where a recipe makes its own
<models>/<recipe>/sft/{checkpoints, adapter, merged}
<models>/<recipe>/grpo                  with checkpoints/, completions/ (rollout tables), runs/ (tensorboard)
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from kg.errors import InputError
from kg.store import replacing

PACKAGES = ("torch", "transformers", "trl", "peft", "datasets", "accelerate", "tokenizers", "vllm", "neuro-si")


@dataclass(frozen=True)
class Folders:
    """The folders of one recipe under a folder of models."""

    models: Path
    recipe: str

    @property
    def root(self) -> Path:
        return self.models / self.recipe

    @property
    def base(self) -> Path:
        return self.root / "base"

    @property
    def questions(self) -> Path:
        return self.root / "questions"

    @property
    def sft(self) -> Path:
        return self.root / "sft"

    @property
    def adapter(self) -> Path:
        return self.sft / "adapter"

    @property
    def merged(self) -> Path:
        return self.sft / "merged"

    @property
    def grpo(self) -> Path:
        return self.root / "grpo"

    def resolve(self, text: str) -> str:
        """A path of a recipe: `{here}` stands for this recipe's folder."""
        return text.replace("{here}", str(self.root))


def newest(models: Path) -> Path:
    """The most recently finished model folder.

    Raises:
        InputError: there is none.
    """
    found = [
        card.parent
        for card in models.glob("*/**/README.md")
        if (card.parent / "config.json").exists() and "checkpoints" not in card.parts
    ]
    if not found:
        raise InputError(f"{models}: holds no model; run `make sft` first, or name one with --model")
    return max(found, key=lambda folder: (folder / "README.md").stat().st_mtime)


@contextmanager
def finished(folder: Path) -> Iterator[Path]:
    """A temporary folder beside `folder` that takes its name when the block ends well; the old one stays until then.

    Raises:
        InputError: the disk is full or the folder cannot be written.
    """
    temporary = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        _take_name(temporary, folder)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written: {error.strerror or error}; free space and run again with --resume"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _take_name(temporary: Path, folder: Path) -> None:
    """Move what is in `temporary` to `folder`; checkpoints, completions and runs that lie there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    for new in temporary.iterdir():
        new.replace(folder / new.name)


def data_hash(files: Mapping[str, Path]) -> dict[str, str]:
    """SHA-256 of each data file (first 16 hex digits)."""
    return {name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for name, path in sorted(files.items())}


def environment() -> dict[str, str]:
    """Versions of what matters, and the machine's kind."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def write_json(path: Path, value: object) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")


def write_text(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
