"""Verdicts as they come: small files, each whole, keyed by everything that a verdict depends on.

A key is a hash of the item as shown, the prompt files, the model (a folder is known by its files, not by its name), the
dtype, the asking and the rule. So a rerun asks only what is missing, a changed prompt, item or model asks again, and
nothing stale is served. The backend is no part of the key: engine and server are to give the same verdict.

Each judge has a folder of its own, `<questions>/judge/<name>-<hash>/`. A batch becomes `shard-*.parquet` under a temporary
name and is renamed; at the end all become `all.parquet`, and what killed runs left is removed. A crash loses the batch in flight and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from generation.judge.ask import Material, prompt_hash
from generation.judge.config import Asking, Judge
from generation.judge.verdict import RULE, VERDICT, Row
from kg.store import read_rows, sweep, write_table

_WEIGHTS = ("*.safetensors", "*.bin", "*.gguf")
_PIECE = 1 << 20
_CHANGES_ANSWERS = ("quantization", "hf_overrides", "tokenizer", "tokenizer_revision", "chat_template")


def model_identity(model: str, revision: str = "") -> str:
    """What tells two models apart: for a folder its configuration, templates and pieces of its weights; else name and revision."""
    folder = Path(model)
    if not folder.is_dir():
        return f"{model}@{revision}"
    digest = hashlib.sha256(revision.encode())
    for file in sorted([*folder.glob("*.json"), *folder.glob("*.jinja")]):
        digest.update(file.name.encode() + file.read_bytes())
    for file in sorted(file for pattern in _WEIGHTS for file in folder.glob(pattern)):
        size = file.stat().st_size
        digest.update(f"{file.name}:{size}".encode())
        with file.open("rb") as weights:
            for place in (0, size // 2, max(0, size - _PIECE)):
                weights.seek(place)
                digest.update(weights.read(_PIECE))
    return digest.hexdigest()


def sampling(judge: Judge, asking: Asking) -> str:
    """Everything besides model and prompts that an answer depends on, as JSON."""
    changed = {name: judge.engine[name] for name in _CHANGES_ANSWERS if name in judge.engine}
    said = {**asdict(asking), "seed": judge.seed, "template": judge.template, **changed}
    return json.dumps(said, sort_keys=True)


def judge_key(judge: Judge, asking: Asking) -> str:
    """The part of a verdict's key that does not depend on the item."""
    parts = [prompt_hash(), RULE, model_identity(judge.model, judge.revision), judge.dtype, sampling(judge, asking)]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


@dataclass
class Shards:
    """The verdicts of one judge on disk and in memory (key -> row)."""

    folder: Path
    judge_key: str
    rows: dict[str, Row] = field(default_factory=dict)

    @classmethod
    def open(cls, questions: Path, judge: Judge, asking: Asking) -> Shards:
        """Read what there is."""
        key = judge_key(judge, asking)
        name = re.sub(r"[^\w.-]+", "-", judge.name)
        shards = cls(questions / "judge" / f"{name}-{key}", key)
        if shards.folder.is_dir():
            for file in sorted(shards.folder.glob("*.parquet")):
                shards.rows.update({row["key"]: row for row in read_rows(file, VERDICT)})
        return shards

    def key(self, shown: Material) -> str:
        """The key of an item's verdict by this judge."""
        return hashlib.sha256(f"{self.judge_key}\x1f{shown.sha}".encode()).hexdigest()[:32]

    def get(self, shown: Material) -> Row | None:
        return self.rows.get(self.key(shown))

    def append(self, rows: Sequence[Row]) -> None:
        """Keep a batch: on disk first, then in memory.

        Raises:
            InputError: the disk is full or the folder cannot be written; the verdicts kept before are whole.
        """
        write_table(self.folder / f"shard-{uuid.uuid4().hex}.parquet", rows, VERDICT, {"judge_key": self.judge_key})
        self.rows.update({row["key"]: row for row in rows})

    def compact(self) -> None:
        """Make one file of all, in order of key; a crash in between leaves rows twice, which does no harm."""
        old = sorted(self.folder.glob("shard-*.parquet"))
        if not old:
            return
        for file in old:
            self.rows.update({row["key"]: row for row in read_rows(file, VERDICT)})
        rows = [self.rows[key] for key in sorted(self.rows)]
        write_table(self.folder / "all.parquet", rows, VERDICT, {"judge_key": self.judge_key})
        for file in old:
            file.unlink(missing_ok=True)
        sweep(self.folder)
