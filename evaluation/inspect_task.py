"""NeuroBench as an Inspect AI task (needs `pip install inspect-ai`).

    inspect eval evaluation/inspect_task.py --model hf/local -M model_path=build/models/tiny/grpo \\
        -T questions=build/questions/test.parquet
"""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate, system_message

from evaluation.asking import Item, asks, chosen
from evaluation.config import Asking, Sampling
from generation.files import read_items
from generation.prompt import SYSTEM_PROMPT, parse_reply, user_turn

MISSION = Sampling()


@task
def neurobench(
    questions: str = "build/questions/test.parquet",
    limit: int | None = None,
    rotations: int = 1,
    temperature: float = MISSION.temperature,
    max_new_tokens: int = MISSION.max_new_tokens,
) -> Task:
    """Multiple-choice questions of two facts.

    Args:
        questions: a split. limit: so many items, drawn by hash. rotations: orders of the options.
        temperature: 0 is greedy. max_new_tokens: where a reply is cut.
    """
    items = chosen(read_items(Path(questions)), limit)
    config = GenerateConfig(temperature=temperature, top_p=MISSION.top_p, max_tokens=max_new_tokens)
    return Task(
        dataset=MemoryDataset(samples(items, rotations)),
        solver=[system_message(SYSTEM_PROMPT), generate()],
        scorer=answer_tag(),
        config=config,
    )


def samples(items: list[Item], rotations: int) -> list[Sample]:
    """A sample for each item and order."""
    asking = Asking(rotations=rotations)
    return [
        Sample(id=f"{ask.item_id}-{ask.rotation}", input=user_turn(ask.question, ask.options), target=ask.answer)
        for ask in asks(items, asking)
    ]


@scorer(metrics=[accuracy(), stderr()])
def answer_tag() -> Scorer:
    """Right when the one parser reads the key from the reply."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = parse_reply(state.output.completion)
        right = reply.answer == target.text
        return Score(value=CORRECT if right else INCORRECT, answer=reply.answer, explanation=reply.explanation)

    return score
