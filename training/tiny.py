"""Models made on the spot: a Qwen3 architecture from a config with a tokenizer trained on the texts it will see."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib import resources
from typing import Any

from training.recipe import Network

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")  # pad, start and end of a turn, as Qwen3 has them


def tokenizer_for(texts: Iterable[str], vocabulary: int, names: Collection[str] = ()) -> Any:
    """A byte-level BPE tokenizer trained on texts, with a chat template; the tags of the format are plain text.

    Args:
        names: strings that are one token each, alone and after a space; then other tokens go from space or
            line end to the next (an option's `\\nB.` is one, in the prompt and in the reply alike). To a large model a name is a unit that it has met a thousand times; a small one
            would spend most of its steps on spelling and comparing names.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = _pieces(pre_tokenizers, bool(names))
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    if names:
        whole = ["user", "assistant", *(space + name for name in sorted(set(names)) for space in ("", " "))]
        raw.add_tokens([AddedToken(text, normalized=False) for text in whole])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token=SPECIAL[0], eos_token=SPECIAL[2], model_max_length=4096
    )
    tokenizer.chat_template = (
        resources.files("training").joinpath("data/chat.jinja").read_text(encoding="utf-8").rstrip()
    )
    return tokenizer


def _pieces(kinds: Any, long: bool) -> Any:
    """What may become one token: GPT-2's words, or whatever stands between spaces and line ends."""
    from tokenizers import Regex

    if not long:
        return kinds.ByteLevel(add_prefix_space=False)
    cut = kinds.Split(Regex(r"[ \n]"), "merged_with_next")
    return kinds.Sequence([cut, kinds.ByteLevel(add_prefix_space=False, use_regex=False)])


def qwen3(network: Network, tokenizer: Any, seed: int) -> Any:
    """A Qwen3ForCausalLM with random fp32 weights; embeddings tied."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=network.hidden, intermediate_size=network.intermediate, num_hidden_layers=network.layers,
        num_attention_heads=network.heads, num_key_value_heads=network.kv_heads, head_dim=network.head_dim, tie_word_embeddings=True,
        initializer_range=network.spread, max_position_embeddings=4096, bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config).float()
    model.generation_config.update(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    return model
