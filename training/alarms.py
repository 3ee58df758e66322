"""What is watched while GRPO runs: letters, pass rate and path logged with every batch; alarms on the console.

Rewards, groups without spread, truncation, lengths, KL and entropy are logged by TRL; `observer` is a reward of weight
0 that adds the answer-letter histogram and puts item, key, path and answer into the completions table
(<out>/completions/*.parquet), which opens in the notebook and is a rollout table for the pass-rate filter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from transformers import TrainerCallback

from generation.prompt import LETTERS, parse_reply
from training.rewards import Reward, text_of

TRUNCATED, SPREADLESS, ONE_LETTER = 0.5, 0.7, 0.6
KL_FACTOR, KL_LEAST = 10.0, 0.1  # an alarm at ten times the median of the last logs, above a floor in nats a token


def observer() -> Reward:
    """A reward of weight 0 that only logs. It comes last among the rewards."""

    def seen(completions: list[Any], answer: list[str], item_id: list[str], path: list[Any], hops: list[int],
             log_metric: Any = None, log_extra: Any = None, **_: Any) -> list[float]:  # fmt: skip
        replies = [parse_reply(text_of(completion)) for completion in completions]
        right = [reply.answer == key for reply, key in zip(replies, answer, strict=True)]
        if log_metric is not None:
            for letter in LETTERS:
                log_metric(f"answers/{letter}", sum(reply.answer == letter for reply in replies) / len(replies))
            log_metric("answers/none", sum(reply.answer is None for reply in replies) / len(replies))
            log_metric("answers/right", sum(right) / len(right))
        if log_extra is not None:
            log_extra("item_id", list(item_id))
            log_extra("hops", list(hops))
            log_extra("key", list(answer))
            log_extra("parsed", [reply.answer or "" for reply in replies])
            log_extra("right", right)
            log_extra(
                "path", [" > ".join(f"{hop['head']} {hop['predicate']} {hop['tail']}" for hop in hops) for hops in path]
            )
        return [0.0] * len(completions)

    return seen


def warnings_of(logs: Mapping[str, float], earlier_kl: list[float]) -> list[str]:
    """What is wrong with one step's logs, in words with the setting to change."""
    found = []
    if (share := logs.get("completions/clipped_ratio", 0.0)) > TRUNCATED:
        found.append(f"{share:.0%} of completions were cut: raise max_completion, or train the SFT stage longer")
    if (share := logs.get("frac_reward_zero_std", 0.0)) > SPREADLESS:
        found.append(
            f"{share:.0%} of groups have no spread and teach nothing: use more generations, or keep prompts of pass rate 0.2 to 0.8"
        )
    letter = max(LETTERS, key=lambda one: logs.get(f"answers/{one}", 0.0))
    if (share := logs.get(f"answers/{letter}", 0.0)) > ONE_LETTER:
        found.append(
            f"{share:.0%} of answers are {letter}: check the letter balance of the data, or lower learning_rate"
        )
    kl = logs.get("kl")
    if kl is not None and kl > KL_LEAST and len(earlier_kl) >= 5 and kl > KL_FACTOR * median(earlier_kl[-20:]):
        found.append(
            f"KL {kl:.3f} runs away (median before: {median(earlier_kl[-20:]):.3f}): lower learning_rate or raise beta"
        )
    return found


class Alarms(TrainerCallback):  # type: ignore[misc]
    """Prints warnings with their step, and keeps them."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.kl: list[float] = []
        self.raised: list[tuple[int, str]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **_: Any) -> None:
        for warning in warnings_of(logs or {}, self.kl):
            self.raised.append((state.global_step, warning))
            self.say(f"ALARM, step {state.global_step}: {warning}")
        if logs and "kl" in logs:
            self.kl.append(logs["kl"])
