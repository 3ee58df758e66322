"""Memory of a run by part and device, for the plan.

16 bytes a trained parameter (bf16 weight and gradient, fp32 master and two AdamW moments; 10 with 8-bit moments), sharded
over the devices in full fine-tuning (ZeRO-3 or FSDP2), whole on each in LoRA. The reference model that beta > 0 keeps is
counted. Activations are rough: one block's worth beside what is kept of each layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from training.recipe import Grpo, Lora, Sft

GB = 1e9
PROMPT = 320  # tokens of a prompt with Qwen3's tokenizer, assumed
OVERHEAD = 2.0  # CUDA context, NCCL buffers, fragmentation
ASLEEP = 1.5  # what a sleeping vLLM keeps


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
        pairs = (
            self.hidden + q,
            self.hidden + kv,
            self.hidden + kv,
            q + self.hidden,
            *[self.hidden + self.intermediate] * 3,
        )
        return lora.rank * sum(pairs) * self.layers


@dataclass(frozen=True)
class Phase:
    """Memory of one device in a phase of work: part -> GB."""

    name: str
    parts: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def states(settings: Sft | Grpo, shape: Shape) -> dict[str, float]:
    """Weights, gradients and optimizer, GB a device."""
    n, eight = shape.parameters, "8bit" in settings.optimizer
    moments = 2 if eight else 8
    if settings.lora:
        adapter, width = shape.adapter(settings.lora), 4 if settings.weights == "float32" else 2
        return {
            f"frozen weights ({settings.weights}, whole on each)": width * n / GB,
            "adapter, gradients, optimizer (fp32)": (8 + moments) * adapter / GB,
        }
    share = settings.devices
    compute = {"bf16 weights (compute)": 2 * n / share / GB} if settings.bf16 else {}
    grads = 2 if settings.bf16 else 4
    return {
        **compute,
        "fp32 masters": 4 * n / share / GB,
        "gradients": grads * n / share / GB,
        f"{'8-bit ' if eight else ''}AdamW moments": moments * n / share / GB,
    }


def _activations(settings: Sft | Grpo, shape: Shape, rows: int, tokens: int) -> dict[str, float]:
    width = 2 if settings.bf16 else 4
    count = rows * tokens
    kept = shape.layers * count * shape.hidden * width
    block = count * (8 * shape.hidden + 3 * shape.intermediate) * width
    stored = kept + block if settings.checkpointing else block * shape.layers
    gathered = (
        {}
        if settings.devices == 1 or settings.lora
        else {"layers gathered for compute": 3 * shape.parameters / shape.layers * 2 / GB}
    )
    return {
        "activations" + (" (recomputed)" if settings.checkpointing else ""): stored / GB,
        "logits": count * shape.vocabulary * (width + 4) / GB,
        **gathered,
    }


def sft_phase(settings: Sft, shape: Shape) -> Phase:
    """SFT has one phase."""
    parts = {
        **states(settings, shape),
        **_activations(settings, shape, settings.per_device_batch, settings.max_length),
    }
    return Phase("training", {**parts, **({"context and buffers": OVERHEAD} if settings.bf16 else {})})


def grpo_phases(settings: Grpo, shape: Shape, memory: float) -> list[Phase]:
    """Training, and rollouts where vLLM shares the GPUs. `memory`: GB of each."""
    kept = states(settings, shape)
    if settings.beta > 0 and not settings.lora:
        width = 4 if settings.weights == "float32" else 2
        kept[f"reference model (beta > 0, {settings.weights})"] = width * shape.parameters / settings.devices / GB
    if settings.bf16:
        kept["context and buffers"] = OVERHEAD
    vllm = settings.rollouts.engine == "colocate"
    tokens = PROMPT + settings.max_completion
    asleep = {"vLLM": ASLEEP if settings.rollouts.sleep else settings.rollouts.memory * memory} if vllm else {}
    train = Phase("training", {**kept, **_activations(settings, shape, settings.per_device_batch, tokens), **asleep})
    if not vllm:
        return [train]
    own = 2 * shape.parameters / settings.rollouts.tensor_parallel / GB
    cache = settings.rollouts.memory * memory - own
    room = int(max(cache, 0) * GB / (shape.kv_bytes / settings.rollouts.tensor_parallel))
    return [
        train,
        Phase(
            "rollouts",
            {
                **kept,
                f"vLLM: weights (TP {settings.rollouts.tensor_parallel})": own,
                f"vLLM: cache for {room:,} tokens": cache,
            },
        ),
    ]


def checkpoint_gb(settings: Sft | Grpo, shape: Shape) -> float:
    """Weights and optimizer states on disk."""
    if settings.lora:
        return 12 * shape.adapter(settings.lora) / GB
    return (16 if settings.bf16 else 12) * shape.parameters / GB
