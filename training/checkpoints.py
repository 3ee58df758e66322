"""Checkpoints: which one to resume from, what may be resumed, and how a run stops cleanly.

A checkpoint is whole when its trainer_state.json can be read: the trainer writes that file last, and removes older
checkpoints only after it. The recipe of the run lies beside the checkpoints; another recipe does not resume them.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from transformers import TrainerCallback

from kg.errors import InputError
from training.folders import write_text
from training.recipe import Grpo, Sft, as_yaml

FREE = ("keep", "log_steps", "track", "max_steps", "epochs", "save_steps")  # settings that may differ on resuming
_NUMBER = re.compile(r"checkpoint-(\d+)$")


def whole(folder: Path) -> bool:
    """Whether a checkpoint was written to its end."""
    try:
        return bool(json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))["global_step"])
    except (OSError, ValueError, KeyError):
        return False


def last_good(folder: Path) -> Path | None:
    """The newest whole checkpoint of a run; what a crash left half-written is skipped."""
    found = {
        int(match[1]): path
        for path in folder.glob("checkpoint-*")
        if (match := _NUMBER.search(path.name)) and whole(path)
    }
    return found[max(found)] if found else None


def begin(folder: Path, recipe: Sft | Grpo, resume: bool) -> Path | None:
    """Make a checkpoint folder ready; returns the checkpoint to resume from.

    Raises:
        InputError: resuming without a checkpoint or with another recipe; starting anew over an unfinished run.
    """
    file, last = folder / "recipe.yaml", last_good(folder)
    if not resume:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        write_text(file, as_yaml(recipe))
        return None
    if last is None:
        raise InputError(f"--resume: {folder} holds no whole checkpoint; start without --resume")
    before = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    now = yaml.safe_load(as_yaml(recipe))
    changed = [key for key in now if before.get(key) != now[key] and key not in FREE]
    if changed:
        key = changed[0]
        raise InputError(f"--resume: the checkpoints in {folder} are of another recipe: {key} was {before.get(key)!r}, is {now[key]!r}; "
                         "start without --resume, or use the recipe they were made with")  # fmt: skip
    return last


class StopOnSignal(TrainerCallback):  # type: ignore[misc]
    """SIGTERM: end after the step, with a checkpoint."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: Any) -> None:
        self.asked = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if self.asked:
            control.should_save = control.should_training_stop = True
        return control


@contextmanager
def stopping(callback: StopOnSignal) -> Iterator[None]:
    """SIGTERM goes to the callback while the block runs."""
    before = signal.signal(signal.SIGTERM, callback.ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def train(trainer: Any, resume: Path | None, stop: StopOnSignal, say: Callable[[str], None]) -> bool:
    """Run a trainer to its end. Returns False when a signal stopped it (a checkpoint was saved).

    Raises:
        InputError: the disk filled while saving; names the last good checkpoint.
    """
    try:
        with stopping(stop):
            trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    except Exception as error:
        if not _disk(error):
            raise
        last = last_good(Path(trainer.args.output_dir))
        kept = f"the last good checkpoint is {last}" if last else "no checkpoint had been saved"
        raise InputError(
            f"{trainer.args.output_dir}: saving failed: {error}; {kept}; free space and run again with --resume"
        ) from error
    if stop.asked:
        say(
            f"stopped by SIGTERM after step {trainer.state.global_step}; {last_good(Path(trainer.args.output_dir))} is saved; run again with --resume"
        )
    return not stop.asked


def _disk(error: BaseException) -> bool:
    """Whether an error, or one it came from, is a failed write."""
    seen: BaseException | None = error
    while seen is not None:
        text = str(seen)
        if (
            isinstance(seen, OSError)
            or "No space left" in text
            or "PytorchStreamWriter failed" in text
            or "SafetensorError" in type(seen).__name__
        ):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
