"""Loading and saving models as the stages hand them on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kg.errors import InputError


def load_tokenizer(source: str, revision: str | None = None) -> Any:
    """The tokenizer of a model folder or hub name.

    Raises:
        InputError: it cannot be found or read.
    """
    from transformers import AutoTokenizer

    _exists(source)
    try:
        return AutoTokenizer.from_pretrained(source, revision=revision)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"model {source!r}: its tokenizer cannot be loaded: {_first(error)}") from error


def load_model(source: str, weights: str, attention: str, revision: str | None = None) -> Any:
    """A causal language model in float32 or bfloat16.

    Raises:
        InputError: it cannot be found or read.
    """
    import torch
    from transformers import AutoModelForCausalLM

    _exists(source)
    try:
        return AutoModelForCausalLM.from_pretrained(
            source, revision=revision, dtype=getattr(torch, weights), attn_implementation=attention
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(f"model {source!r}: cannot be loaded: {_first(error)}") from error


def _exists(source: str) -> None:
    local = source.startswith((".", "/")) or source.count("/") > 1
    if local and not Path(source).is_dir():
        raise InputError(
            f"model {source!r}: there is no such folder; run the stage before it (`make sft` before `make grpo`), or name another"
        )


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Safetensors, tokenizer, chat template, generation config."""
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def prepare(model: Any, tokenizer: Any) -> None:
    """Model and tokenizer agree on pad and end tokens."""
    model.config.pad_token_id = tokenizer.pad_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    ends = model.generation_config.eos_token_id
    ends = [ends] if isinstance(ends, int) else list(ends or [])
    if tokenizer.eos_token_id not in ends:
        model.generation_config.eos_token_id = [tokenizer.eos_token_id, *ends]
