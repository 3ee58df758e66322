"""Recipes: what a stage does, as YAML with a comment on every value. No field has a default that matters.

    training/recipes/<name>/made.yaml   how the recipe's own starting model is made (only where it makes one)
    training/recipes/<name>/sft.yaml
    training/recipes/<name>/grpo.yaml

`load` reads a file, applies dotted overrides (`lora.rank=8`), checks every key and type, and names the nearest known
key for an unknown one. The resolved recipe is saved beside the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml

from kg.errors import InputError, nearest
from training.typed import build

RECIPES = Path(__file__).parent / "recipes"
Curriculum = Literal["hops", "pass_rate", "shuffled"]
Schedule = Literal["constant", "constant_with_warmup", "linear", "cosine"]
PathReward = Literal["words", "statements", "shuffled", "none"]


@dataclass(frozen=True)
class Slice:
    """A part of the graph small enough to be learnt, and the questions made of it.

    Args:
        metapaths: two-hop metapaths whose chains are used.
        fan_out: values a hop may have as walked.
        facts: at most this many facts.
        shares: of the chains: SFT, GRPO, held out; cut by the unordered pair of ends. What SFT alone would teach a hop
            of stays with SFT.
        draws: questions a chain in each of the three, each with options drawn afresh.
        singles: one-hop questions a fact.
        style: of the reasoning (generation/reasoning.py); why: whether each option's verdict comes with its evidence.
    """

    metapaths: tuple[str, ...]
    fan_out: int
    facts: int
    shares: tuple[float, float, float]
    draws: tuple[int, int, int]
    singles: int
    style: str
    why: bool
    seed: int


@dataclass(frozen=True)
class Network:
    """A Qwen3 architecture from nothing.

    Args:
        spread: standard deviation of the first weights.
        names: whether names of entities, tags and verdicts are one token each.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    spread: float
    vocabulary: int
    names: bool


@dataclass(frozen=True)
class Made:
    """How a recipe's own starting model is made: from nothing on a slice's facts, or from a package that carries one.

    Args:
        package: import name of a package with a GGUF file, or null to build `network`.
        comparing: steps at the beginning that go to exercises of one option (is it the name asked for?).
        reading: steps after them that go to reading exercises alone (find a name among four options).
        refreshed: share of reading exercises in the steps after those; the rest are closed-book statements.
        steps, batch, learning_rate: of all that training; ignored for a package.
    """

    package: str | None
    network: Network | None
    slice: Slice | None
    comparing: int
    reading: int
    refreshed: float
    steps: int
    batch: int
    learning_rate: float
    seed: int


@dataclass(frozen=True)
class Lora:
    """Adapter settings (PEFT). `targets`: `all-linear`, or names of modules."""

    rank: int
    alpha: int
    dropout: float
    targets: str


@dataclass(frozen=True)
class Sft:
    """The SFT stage. `closed_book`: share of one-fact statements without options in the mixture (needs facts.jsonl)."""

    model: str
    revision: str | None
    questions: str
    limit: int | None
    closed_book: float
    curriculum: Curriculum
    think_switch: bool
    lora: Lora | None
    max_length: int
    packing: bool
    attention: str
    per_device_batch: int
    accumulation: int
    devices: int
    epochs: float
    max_steps: int
    learning_rate: float
    schedule: Schedule
    warmup: float
    weight_decay: float
    max_grad_norm: float
    optimizer: str
    weights: Literal["float32", "bfloat16"]
    bf16: bool
    checkpointing: bool
    save_steps: int
    keep: int
    log_steps: int
    track: str
    seed: int


@dataclass(frozen=True)
class Rollouts:
    """Who generates: `transformers`, or vLLM beside the trainer (`colocate`) or as a server."""

    engine: Literal["transformers", "colocate", "server"]
    temperature: float
    top_p: float
    top_k: int
    memory: float
    tensor_parallel: int
    sleep: bool
    importance_correction: bool


@dataclass(frozen=True)
class PassRate:
    """Keep prompts whose measured pass rate lies in [low, high]; `table` is a Parquet of rollouts or null."""

    table: str | None
    low: float
    high: float


@dataclass(frozen=True)
class Grpo:
    """The GRPO stage."""

    model: str
    questions: str
    limit: int | None
    curriculum: Curriculum
    pass_rate: PassRate
    think_switch: bool
    lora: Lora | None
    path_reward: PathReward
    generations: int
    per_device_batch: int
    accumulation: int
    devices: int
    iterations: int
    epochs: float
    max_steps: int
    beta: float
    learning_rate: float
    schedule: Schedule
    warmup: float
    weight_decay: float
    max_grad_norm: float
    optimizer: str
    loss: str
    scale_rewards: str
    epsilon: float
    epsilon_high: float
    mask_truncated: bool
    max_completion: int
    rollouts: Rollouts
    weights: Literal["float32", "bfloat16"]
    bf16: bool
    checkpointing: bool
    attention: str
    save_steps: int
    keep: int
    log_steps: int
    track: str
    seed: int

    @property
    def completions(self) -> int:
        """Completions an update."""
        return self.per_device_batch * self.devices * self.accumulation

    @property
    def prompts(self) -> int:
        """Prompts an update."""
        return self.completions // self.generations


STAGES: dict[str, type] = {"made": Made, "sft": Sft, "grpo": Grpo}
R = TypeVar("R")


def names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(
        folder.name for folder in RECIPES.iterdir() if (folder / "sft.yaml").exists() or (folder / "grpo.yaml").exists()
    )


def path_of(recipe: str, stage: str) -> Path:
    """The file of a stage: of a named recipe, or of a folder of the user's own.

    Raises:
        InputError: there is no such recipe or stage.
    """
    folder = Path(recipe) if "/" in recipe or Path(recipe).is_dir() else RECIPES / recipe
    if not folder.is_dir():
        raise InputError(
            f"recipe {recipe!r}: not found; {nearest(recipe, names())}; or give a folder with {stage}.yaml"
        )
    if not (file := folder / f"{stage}.yaml").exists():
        raise InputError(
            f"recipe {recipe!r}: has no {stage}.yaml; it has {', '.join(sorted(p.name for p in folder.glob('*.yaml')))}"
        )
    return file


def load(file: Path, kind: type[R], overrides: Sequence[str] = ()) -> R:
    """Read a recipe.

    Args:
        overrides: `key=value` or `group.key=value`, values in YAML.

    Raises:
        InputError: the file, a key or a value is wrong (named).
    """
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"recipe {file}: cannot be read: {error}") from error
    if not isinstance(raw, dict):
        raise InputError(f"recipe {file}: expected a mapping of settings")
    for override in overrides:
        _override(raw, override)
    return build(raw, kind, str(file))


def _override(raw: dict[str, Any], text: str) -> None:
    dotted, sign, value = text.removeprefix("--").partition("=")
    if not sign:
        raise InputError(f"override {text!r}: write key=value, for example learning_rate=1e-4")
    *groups, last = dotted.replace("-", "_").split(".")
    for group in groups:
        inner = raw.get(group)
        raw[group] = inner = {} if inner is None else inner
        if not isinstance(inner, dict):
            raise InputError(f"override {text!r}: {group!r} is not a group of settings")
        raw = inner
    try:
        raw[last] = yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise InputError(f"override {text!r}: {value!r} is not a value: {error}") from error


def as_yaml(recipe: Any) -> str:
    """The resolved recipe as YAML, to be saved beside the model."""
    return yaml.safe_dump(_plain(dataclasses.asdict(recipe)), sort_keys=False, allow_unicode=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
