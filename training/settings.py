"""Recipes as TRL's configurations. Only device fields depend on the machine; everything else stands in the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg.errors import InputError
from training.recipe import Grpo, Lora, Sft


def on_cpu() -> bool:
    import torch

    return not torch.cuda.is_available()


def device_fields(bf16: bool) -> dict[str, Any]:
    """Fields that depend on the machine alone. On a CPU bf16 autocast is off: without native bf16 it is ten times slower."""
    cpu = on_cpu()
    return {"use_cpu": cpu, "bf16": bf16 and not cpu, "dataloader_pin_memory": not cpu}


def _shared(recipe: Sft | Grpo, out: Path) -> dict[str, Any]:
    return {
        "output_dir": str(out),
        "per_device_train_batch_size": recipe.per_device_batch,
        "gradient_accumulation_steps": recipe.accumulation,
        "num_train_epochs": recipe.epochs,
        "max_steps": recipe.max_steps,
        "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": recipe.schedule,
        "warmup_steps": recipe.warmup,
        "weight_decay": recipe.weight_decay,
        "max_grad_norm": recipe.max_grad_norm,
        "optim": recipe.optimizer,
        "gradient_checkpointing": recipe.checkpointing,
        "save_strategy": "steps" if recipe.save_steps else "no",
        "save_steps": recipe.save_steps or 1,
        "save_total_limit": recipe.keep,
        "logging_steps": recipe.log_steps,
        "report_to": [] if recipe.track == "none" else [recipe.track],
        "seed": recipe.seed,
        "shuffle_dataset": False,
        "train_sampling_strategy": "sequential",  # the curriculum's order is kept
        "disable_tqdm": False,
        **device_fields(recipe.bf16),
    }


def sft_config(recipe: Sft, out: Path, **device: Any) -> Any:
    """SFTConfig of a recipe. `device` overrides device fields (for tests and dry runs)."""
    from trl import SFTConfig

    if recipe.packing and "flash" not in recipe.attention:
        raise InputError(
            f"packing with attention {recipe.attention!r} would let examples see each other; set packing: false, or a flash attention"
        )
    fields = _shared(recipe, out) | {
        "max_length": recipe.max_length,
        "completion_only_loss": True,
        "packing": recipe.packing,
        "packing_strategy": "bfd",
    }
    return SFTConfig(**(fields | device))


def grpo_config(recipe: Grpo, out: Path, **device: Any) -> Any:
    """GRPOConfig of a recipe.

    Raises:
        InputError: the group size does not divide the batch, or save_steps breaks exact resume.
    """
    from trl import GRPOConfig

    check_grpo(recipe)
    vllm = recipe.rollouts.engine != "transformers"
    fields = _shared(recipe, out) | {
        "num_generations": recipe.generations,
        "max_completion_length": recipe.max_completion,
        "temperature": recipe.rollouts.temperature,
        "top_p": recipe.rollouts.top_p,
        "top_k": recipe.rollouts.top_k,
        "beta": recipe.beta,
        "num_iterations": recipe.iterations,
        "epsilon": recipe.epsilon,
        "epsilon_high": recipe.epsilon_high,
        "loss_type": recipe.loss,
        "scale_rewards": recipe.scale_rewards,
        "mask_truncated_completions": recipe.mask_truncated,
        "reward_weights": list(reward_weights(recipe).values()),
        "use_vllm": vllm,
        "vllm_importance_sampling_correction": recipe.rollouts.importance_correction,
        "log_completions": True,
        "num_completions_to_print": 0,
        "model_init_kwargs": {"dtype": recipe.weights, "attn_implementation": recipe.attention},
    }
    if vllm:
        fields |= {
            "vllm_mode": recipe.rollouts.engine,
            "vllm_gpu_memory_utilization": recipe.rollouts.memory,
            "vllm_tensor_parallel_size": recipe.rollouts.tensor_parallel,
            "vllm_enable_sleep_mode": recipe.rollouts.sleep,
        }
    return GRPOConfig(**(fields | device))


def reward_weights(recipe: Grpo) -> dict[str, float]:
    """Reward -> weight. Both path rewards are computed and logged; the one not in use has weight 0."""
    used = {"words": "path_f1", "shuffled": "path_f1", "statements": "path_statements", "none": ""}[recipe.path_reward]
    return {
        "correct": 1.0,
        "format": 1.0,
        "path_f1": float(used == "path_f1"),
        "path_statements": float(used == "path_statements"),
    }


def check_grpo(recipe: Grpo) -> None:
    """Arithmetic that must come out even, checked before anything is loaded."""
    if recipe.generations < 2:
        raise InputError(f"generations is {recipe.generations}; a group needs at least 2 completions to compare")
    if recipe.completions % recipe.generations:
        raise InputError(
            f"generations is {recipe.generations}, which does not divide the {recipe.completions} completions of an update "
            f"(per_device_batch {recipe.per_device_batch} x devices {recipe.devices} x accumulation {recipe.accumulation}); change one of them"
        )
    if recipe.save_steps and recipe.save_steps % recipe.iterations:
        raise InputError(
            f"save_steps is {recipe.save_steps}; resuming is exact only at multiples of iterations ({recipe.iterations}); change save_steps"
        )


def check_devices(recipe: Sft | Grpo) -> None:
    """The number of processes must be the recipe's `devices`, or its batch arithmetic is not what it says."""
    import os

    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if processes != recipe.devices:
        raise InputError(f"the recipe is for {recipe.devices} devices and {processes} were started; use `accelerate launch --num_processes {recipe.devices}`, "
                         f"or set devices={processes} and accumulation so that the batch stays the same")  # fmt: skip


def lora_config(lora: Lora | None) -> Any:
    """PEFT's LoraConfig, or None for full training."""
    if lora is None:
        return None
    from peft import LoraConfig

    targets: Mapping[str, Any] = {
        "target_modules": lora.targets if lora.targets == "all-linear" else lora.targets.split(",")
    }
    return LoraConfig(r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, task_type="CAUSAL_LM", **targets)
