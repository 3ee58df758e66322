"""Models made on the spot: a Qwen3 architecture from a config with a tokenizer trained on the texts it will see."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from typing import Any

from training.recipe import Network

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")  # pad, start and end of a turn, as Qwen3 has them


def tokenizer_for(texts: Iterable[str], vocabulary: int) -> Any:
    """A byte-level BPE tokenizer trained on texts, with a chat template; the tags of the format are plain text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token=SPECIAL[0], eos_token=SPECIAL[2], model_max_length=4096
    )
    tokenizer.chat_template = (
        resources.files("training").joinpath("data/chat.jinja").read_text(encoding="utf-8").rstrip()
    )
    return tokenizer


def qwen3(network: Network, tokenizer: Any, seed: int) -> Any:
    """A Qwen3ForCausalLM with random fp32 weights; embeddings tied."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=network.hidden, intermediate_size=network.intermediate, num_hidden_layers=network.layers,
        num_attention_heads=network.heads, num_key_value_heads=network.kv_heads, head_dim=network.head_dim, tie_word_embeddings=True,
        max_position_embeddings=4096, bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config).float()
    model.generation_config.update(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    return model
