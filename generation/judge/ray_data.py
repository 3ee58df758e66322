"""Judging over many machines: Ray Data's vLLM batch processing, with the prompts, constraints and verdict rows of `engine`.

Ray starts `engine.replicas` vLLM engines over the cluster (all its GPUs by default), streams the requests through them and
restarts what dies. `engine.placement` is Ray's placement_group_config; other entries of `engine` go to vLLM.
docs/judging.md says what of this was run, and where.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from typing import Any

from generation.judge.answer import DOES_NOT_FIT, Answer
from generation.judge.ask import Ask
from generation.judge.config import Judge
from generation.judge.engine import engine_arguments, on_cpu, prepare_environment
from kg.errors import InputError

BATCH = 64  # requests in one of Ray's batches


class RayData:
    """The `ray` backend."""

    def __init__(self, judge: Judge) -> None:
        if importlib.util.find_spec("ray") is None or importlib.util.find_spec("vllm") is None:
            raise InputError(
                "backend ray needs Ray and vLLM on every node: pip install 'ray[data]' and 'neuro-si[judge]'"
            )
        prepare_environment(judge.model)
        import ray
        from ray.data.llm import build_processor, vLLMEngineProcessorConfig

        ray.init(ignore_reinit_error=True, log_to_driver=False)
        arguments = engine_arguments(judge)
        replicas = int(arguments.pop("replicas", ray.cluster_resources().get("GPU", 1) or 1))
        placement = arguments.pop("placement", {"bundles": [{"CPU": 1}]} if on_cpu() else None)
        model = arguments.pop("model")
        config = vLLMEngineProcessorConfig(
            model_source=model,
            engine_kwargs=arguments,
            concurrency=replicas,
            batch_size=BATCH,
            should_continue_on_error=True,
            placement_group_config=placement,
            chat_template_stage={"enabled": True, "chat_template_kwargs": judge.template},
        )
        self.judge = judge
        self.process = build_processor(config, preprocess=_request, postprocess=_answer)

    def answer(self, asks: Sequence[Ask], attempt: int) -> list[Answer]:
        """See `Backend.answer`."""
        import ray

        rows = [{"place": n, **_plain(ask, attempt)} for n, ask in enumerate(asks)]
        answers = [Answer(failed="no reply from Ray")] * len(asks)
        for row in self.process(ray.data.from_items(rows)).take_all():
            answers[row["place"]] = _read(row)
        return answers

    def close(self) -> None:
        """Leave the cluster."""
        import ray

        ray.shutdown()


def _plain(ask: Ask, attempt: int) -> dict[str, Any]:
    """A request as a flat row: JSON keeps Arrow from making one type of all constraints."""
    allowed = {"json": ask.schema} if ask.schema else {"choice": list(ask.choices)}
    sampling = {"temperature": ask.temperature, "max_tokens": ask.budget(attempt), "structured_outputs": allowed}
    if ask.temperature:
        sampling["seed"] = ask.seed
    return {"said": json.dumps(ask.messages), "sampling": json.dumps(sampling)}


def _request(row: dict[str, Any]) -> dict[str, Any]:
    return {"messages": json.loads(row["said"]), "sampling_params": json.loads(row["sampling"]), "place": row["place"]}


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    error = row.get("__inference_error__") or ""
    counts = {name: int(row.get(name) or 0) for name in ("num_input_tokens", "num_generated_tokens")}
    return {"place": row["place"], "text": row.get("generated_text") or "", "error": str(error), **counts}


def _read(row: dict[str, Any]) -> Answer:
    """Ray does not tell why a reply ended; the parser decides whether it is whole."""
    if row["error"]:
        too_long = any(words in row["error"] for words in ("context length", "maximum model length", "longer than"))
        return Answer(failed=DOES_NOT_FIT if too_long else row["error"].splitlines()[0][:200])
    return Answer(row["text"], "", int(row["num_input_tokens"]), int(row["num_generated_tokens"]))
