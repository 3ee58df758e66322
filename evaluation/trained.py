"""The models to evaluate when none are named: those of the recipe that was trained last."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

from evaluation.config import Model
from training.folders import Folders, newest


class Trained(NamedTuple):
    """base, sft and grpo as far as they are there; `questions` only where the recipe makes its own."""

    recipe: str
    models: list[Model]
    questions: Path | None


def trained(models: Path) -> Trained:
    """The stages of the recipe under `models` that was finished last.

    Raises:
        InputError: there is no finished model.
    """
    recipe = newest(models).relative_to(models).parts[0]
    folders = Folders(models, recipe)
    stages = [("sft", folders.merged), ("grpo", folders.grpo)]
    found = [Model(name, str(folder)) for name, folder in stages if (folder / "config.json").exists()]
    base = folders.base if folders.base.exists() else _started_from(folders.merged)
    own = folders.questions if (folders.questions / "test.parquet").exists() else None
    return Trained(recipe, [*([Model("base", str(base))] if base else []), *found], own)


def _started_from(merged: Path) -> str | None:
    """The model that SFT started from, as the resolved recipe beside it names it."""
    try:
        recipe = yaml.safe_load((merged / "recipe.yaml").read_text(encoding="utf-8"))
    except OSError:
        return None
    return str(recipe["model"])
