"""Replies by transformers, on a GPU or a CPU.

Sampling is exact and independent of the batch: the processors of transformers (repetition penalty, temperature,
nucleus) shape the scores, then each row gets Gumbel noise from a generator of its own and the largest wins (the
Gumbel-max trick draws from the softmax). So a reply depends on item, rotation, sample and seed, not on its company,
up to the floating-point differences that padding makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.asking import Ask
from evaluation.config import Engine, Model, Sampling
from evaluation.replies import Completion
from generation.prompt import parse_reply
from kg.errors import InputError
from training.rewards import FREE_TOKENS


class Local:
    """A loaded model and its tokenizer."""

    def __init__(self, model: Model, engine: Engine, sampling: Sampling) -> None:
        """Load.

        Raises:
            InputError: transformers is not installed, or the model cannot be loaded.
        """
        try:
            import torch
            from transformers import AutoModelForCausalLM
        except ImportError as error:
            raise InputError(
                f"backend transformers: {error.name} is not installed; pip install 'neuro-si[train]'"
            ) from error
        self.torch, self.sampling, self.batch = torch, sampling, engine.batch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = ("bfloat16" if self.device == "cuda" else "float32") if engine.dtype == "auto" else engine.dtype
        self.tokenizer = tokenizer_of(model)
        try:
            loaded: Any = AutoModelForCausalLM.from_pretrained(model.place, dtype=getattr(torch, dtype))
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"model {model.name}: {model.place} cannot be loaded: {_first_line(error)}") from error
        self.model = loaded.to(self.device).eval()
        self.ends = _end_tokens(self.model, self.tokenizer)

    def replies(self, asks: Sequence[Ask], think_switch: bool) -> Iterator[tuple[list[Ask], list[Completion]]]:
        """Batches of asks with their completions, prompts of like length together."""
        texts = [prompt(self.tokenizer, ask, think_switch) for ask in asks]
        ids = self.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        self._check_room(max(map(len, ids), default=0))
        order = sorted(range(len(asks)), key=lambda place: (len(ids[place]), asks[place].key))
        for start in range(0, len(order), self.batch):
            places = order[start : start + self.batch]
            some = [asks[place] for place in places]
            yield some, self._batch([ids[place] for place in places], [ask.draw(self.sampling.seed) for ask in some])

    def _check_room(self, longest: int) -> None:
        room = getattr(self.model.config, "max_position_embeddings", None)
        if room is not None and longest + self.sampling.max_new_tokens > room:
            raise InputError(
                f"the model reads {room} tokens; the longest prompt has {longest} and --sampling.max_new_tokens is "
                f"{self.sampling.max_new_tokens}; lower it to {max(1, room - longest)}"
            )

    def close(self) -> None:
        """Free the model's memory."""
        del self.model
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def _batch(self, ids: Sequence[Sequence[int]], seeds: Sequence[int]) -> list[Completion]:
        torch, longest = self.torch, max(map(len, ids))
        pad = self.tokenizer.pad_token_id if self.tokenizer.pad_token_id is not None else self.ends[0]
        prompts = torch.tensor([[pad] * (longest - len(one)) + list(one) for one in ids], device=self.device)
        mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in ids], device=self.device)
        with torch.inference_mode():
            made = self.model.generate(
                input_ids=prompts,
                attention_mask=mask,
                generation_config=self._generation(pad),
                logits_processor=self._processors(longest, mask, seeds),
            )
        return [self._completion(row.tolist()) for row in made[:, longest:]]

    def _generation(self, pad: int) -> Any:
        import transformers

        made: Any = transformers.GenerationConfig

        length = self.sampling.max_new_tokens
        return made(max_new_tokens=length, do_sample=False, pad_token_id=pad, eos_token_id=list(self.ends))

    def _processors(self, prompt_length: int, mask: Any, seeds: Sequence[int]) -> Any:
        from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopPLogitsWarper

        sampling = self.sampling
        steps: list[Any] = []
        if sampling.repetition_penalty != 1:
            steps.append(_repetition(self.torch, sampling.repetition_penalty, mask))
        if sampling.temperature > 0:
            if sampling.temperature != 1:
                steps.append(TemperatureLogitsWarper(sampling.temperature))
            if sampling.top_p < 1:
                steps.append(TopPLogitsWarper(sampling.top_p))
            steps.append(_gumbel(self.torch, seeds))
        return LogitsProcessorList(steps)

    def _completion(self, ids: list[int]) -> Completion:
        end = next((place for place, token in enumerate(ids) if token in self.ends), None)
        kept = ids if end is None else ids[:end]
        text = self.tokenizer.decode(kept, skip_special_tokens=True)
        return Completion(text, len(kept) + (end is not None), end is None, *thinking_cut(self.tokenizer, text))


def tokenizer_of(model: Model) -> Any:
    """The tokenizer of a model.

    Raises:
        InputError: it cannot be loaded, or has no chat template.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model.place)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"model {model.name}: no tokenizer in {model.place}: {_first_line(error)}") from error
    if not tokenizer.chat_template:
        raise InputError(
            f"model {model.name}: the tokenizer in {model.place} has no chat template; add chat_template.jinja"
        )
    return tokenizer


def prompt(tokenizer: Any, ask: Ask, think_switch: bool) -> str:
    """The rendered prompt, up to where the model begins to write."""
    text = tokenizer.apply_chat_template(ask.messages(think_switch), tokenize=False, add_generation_prompt=True)
    return str(text)


def thinking_cut(tokenizer: Any, text: str) -> tuple[int, int]:
    """Where the first 550 tokens of the thinking end (in characters), and the tokens of all of it."""
    thinking = parse_reply(text).thinking
    offsets = tokenizer(thinking, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return (len(thinking) if len(offsets) <= FREE_TOKENS else offsets[FREE_TOKENS - 1][1]), len(offsets)


def _end_tokens(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Every token that ends a reply, the tokenizer's own first."""
    known = model.generation_config.eos_token_id
    ends = [tokenizer.eos_token_id, *(known if isinstance(known, list) else [known])]
    return tuple(dict.fromkeys(end for end in ends if end is not None))


def _repetition(torch: Any, penalty: float, mask: Any) -> Any:
    """The penalty of transformers and vLLM (Keskar et al. 2019) over prompt and reply, padding left out."""

    def process(input_ids: Any, scores: Any) -> Any:
        own = torch.ones_like(input_ids, dtype=torch.bool)
        own[:, : mask.shape[1]] = mask.bool()
        seen = torch.zeros_like(scores, dtype=torch.bool)
        seen[torch.nonzero(own)[:, 0], input_ids[own]] = True
        return torch.where(seen, torch.where(scores < 0, scores * penalty, scores / penalty), scores)

    return process


def _gumbel(torch: Any, seeds: Sequence[int]) -> Any:
    """Adds each row's own noise, one draw a step."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def process(input_ids: Any, scores: Any) -> Any:
        drawn = torch.stack([torch.rand(scores.shape[1], generator=one, dtype=torch.float64) for one in generators])
        noise = -torch.log(-torch.log(drawn.clamp_(1e-300, 1 - 1e-16)))
        return scores.double() + noise.to(scores.device)

    return process


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
