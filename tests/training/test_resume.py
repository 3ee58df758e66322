"""Checkpoints: exact resume, other recipes, SIGTERM, a full disk."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError
from kg.schema import Schema
from tests.training.stage_output import Said, same
from training.folders import Folders
from training.recipe import Grpo, Sft

torch = pytest.importorskip("torch", reason="the training extra is not installed")
pytest.importorskip("trl", reason="the training extra is not installed")

from training import checkpoints, grpo, sft  # noqa: E402


def test_resuming_sft_is_bit_exact(sft_recipe: Sft, tmp_path: Path) -> None:
    whole, halves = Folders(tmp_path / "a", "t"), Folders(tmp_path / "b", "t")
    sft.run(sft_recipe, whole, say=Said())
    sft.run(sft_recipe, halves, say=Said())
    for name in ("checkpoint-4",):
        for file in sorted((halves.sft / "checkpoints" / name).iterdir()):
            file.unlink()
    sft.run(sft_recipe, halves, resume=True, say=Said())
    assert same(whole.merged, halves.merged)


def test_resuming_grpo_is_bit_exact(
    grpo_recipe: Grpo, small_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def distinct(completion_ids: list[list[int]], **_: Any) -> list[float]:
        """A random model never earns the real rewards; this one has spread in every group."""
        return [len(set(ids)) / len(ids) for ids in completion_ids]

    real = grpo.rewards
    monkeypatch.setattr(grpo, "rewards", lambda *args: real(*args) | {"correct": distinct})
    whole, halves = Folders(tmp_path / "a", "t"), Folders(tmp_path / "b", "t")
    grpo.run(grpo_recipe, whole, small_schema, say=Said())
    grpo.run(grpo_recipe, halves, small_schema, say=Said())
    (halves.grpo / "checkpoints" / "checkpoint-4" / "trainer_state.json").unlink()
    grpo.run(grpo_recipe, halves, small_schema, resume=True, say=Said())
    assert same(whole.grpo, halves.grpo)
    assert not same(whole.grpo, Path(grpo_recipe.model))


def test_a_checkpoint_of_another_recipe_is_refused(sft_recipe: Sft, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "t")
    sft.run(replace(sft_recipe, max_steps=2), folders, say=Said())
    with pytest.raises(InputError, match=r"another recipe: learning_rate was 0.001, is 0.002"):
        sft.run(replace(sft_recipe, learning_rate=2e-3), folders, resume=True, say=Said())


def test_resuming_without_a_checkpoint_is_refused(sft_recipe: Sft, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no whole checkpoint"):
        sft.run(sft_recipe, Folders(tmp_path, "t"), resume=True, say=Said())


def test_sigterm_saves_and_the_run_can_go_on(sft_recipe: Sft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import TrainerCallback

    class Kill(TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    whole, folders, said = Folders(tmp_path / "a", "t"), Folders(tmp_path / "b", "t"), Said()
    sft.run(sft_recipe, whole, say=Said())
    before = signal.getsignal(signal.SIGTERM)
    real: Callable[..., Any] = sft.trainer
    monkeypatch.setattr(sft, "trainer", lambda *args, **more: real(*args[:5], [*args[5], Kill()], **more))
    assert sft.run(sft_recipe, folders, say=said) is None
    assert "stopped by SIGTERM after step 3" in said.text
    assert signal.getsignal(signal.SIGTERM) == before
    assert not folders.merged.exists()
    monkeypatch.setattr(sft, "trainer", real)
    sft.run(sft_recipe, folders, resume=True, say=Said())
    assert same(whole.merged, folders.merged)


def test_a_disk_that_fills_while_saving_leaves_the_last_good_checkpoint(
    sft_recipe: Sft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = Folders(tmp_path, "t")
    real = torch.save

    def full(value: Any, target: Any, *args: Any, **more: Any) -> None:
        if "checkpoint-4" in str(target):
            Path(target).write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        real(value, target, *args, **more)

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(InputError, match=r"No space left.*the last good checkpoint is .*checkpoint-2; free space"):
        sft.run(sft_recipe, folders, say=Said())
    assert checkpoints.last_good(folders.sft / "checkpoints") == folders.sft / "checkpoints" / "checkpoint-2"
    monkeypatch.setattr(torch, "save", real)
    assert sft.run(sft_recipe, folders, resume=True, say=Said()) == folders.merged
