"""What decides a judging run: which judges, what they are asked, and when a judge may be called validated.

A field that changes an answer is part of the key under which verdicts are kept (`generation/judge/shards.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kg.errors import InputError

SPLITS = ("grpo", "test", "sft")
Fill = Literal["validated", "always", "never"]


@dataclass(frozen=True)
class Judge:
    """One judge: a model and where it runs.

    Args:
        model: a model folder or hub name (engine, ray), or the name under which a server serves it.
        backend: `engine` is vLLM in this process; `server` any OpenAI-compatible endpoint; `ray` Ray Data over many nodes.
        urls: base URLs of the replicas of a server, such as `http://127.0.0.1:8000/v1`.
        key_variable: environment variable that holds the API key of a server. The key is never stored nor printed.
        dtype: of the weights. A server is not asked: state what it runs with.
        revision: of a hub model, or any word that tells two models of one name apart.
        seed: of sampled answers. Two seeds of one model can vote.
        template: arguments of the model's chat template.
        engine: further arguments of `vllm.LLM` (tensor_parallel_size, max_model_len, ...) or of Ray's engine_kwargs.
        parallel: requests in flight at a server, all replicas together.
        timeout: seconds that one reply may take from a server.
        patience: seconds to wait for a server that is gone or refuses, before the run ends.
        tries: times that a request is made whose reply is late or no JSON.
    """

    model: str = ""
    backend: Literal["engine", "server", "ray"] = "engine"
    urls: list[str] = field(default_factory=list)
    key_variable: str = "OPENAI_API_KEY"
    dtype: str = "bfloat16"
    revision: str = ""
    seed: int = 0
    template: dict[str, Any] = field(default_factory=lambda: {"enable_thinking": False})
    engine: dict[str, Any] = field(default_factory=dict)
    parallel: int = 64
    timeout: float = 120.0
    patience: float = 300.0
    tries: int = 4

    @property
    def name(self) -> str:
        """How the judge is called in tables: the model's short name, and the seed where it is not 0."""
        short = self.model.rstrip("/").rsplit("/", 1)[-1]
        return f"{short}#{self.seed}" if self.seed else short


@dataclass(frozen=True)
class Asking:
    """What is asked of every judge about every item.

    Args:
        rotations: times that an item is asked with its options turned on (1 to 4). A verdict must survive all.
        samples: closed-book answers for the estimate of difficulty (0 asks none).
        temperature: of the closed-book answers. All others are greedy.
        reason_chars: greatest length of a reason that the judge writes before its answer (0: the answer alone).
        fatal: flaws that reject an item; the others are only reported.
        retries: times that a cut or unreadable reply is asked again, each with twice the budget.
    """

    rotations: int = 2
    samples: int = 4
    temperature: float = 1.0
    reason_chars: int = 0
    fatal: list[str] = field(
        default_factory=lambda: ["ambiguous", "giveaway", "ungrammatical", "two_right", "reasoning"]
    )
    retries: int = 2


@dataclass(frozen=True)
class Bar:
    """When a judge may be called validated.

    Args:
        recall: least share of planted faults that it must reject.
        alarms: greatest share of good items that it may reject.
        least: items of either sort that the card must rest on; a card of a handful says little.
        trust: call its verdicts validated whatever the report card says, or without one.
    """

    recall: float = 0.95
    alarms: float = 0.10
    least: int = 50
    trust: bool = False


@dataclass(frozen=True)
class Config:
    """A judging run.

    Args:
        questions: folder with the splits; verdicts go there too.
        graph: folder of the graph that the questions were made from.
        splits: which splits are read.
        judges: one, or several that vote.
        asking: what is asked.
        bar: when a judge may be called validated.
        batch: items asked at a time, and kept together: what a crash can lose.
        limit: read only so many items of each split, by hash (all by default).
        fill: fill the grpo split with accepted items, from its reserve too: by a judge that is `validated`, `always`, or `never`.
    """

    questions: Path = Path("build/questions")
    graph: Path = Path("build/graph")
    splits: list[str] = field(default_factory=lambda: ["grpo", "test"])
    judges: list[Judge] = field(default_factory=list)
    asking: Asking = field(default_factory=Asking)
    bar: Bar = field(default_factory=Bar)
    batch: int = 256
    limit: int | None = None
    fill: Fill = "validated"


@dataclass(frozen=True)
class ReportConfig:
    """A report card: planted faults among good items, read by the judges.

    Args:
        questions: folder with the splits; the card goes there too.
        graph: folder of the graph that the questions were made from.
        split: where the good items are taken from.
        judges: each gets a card of its own.
        asking: what is asked; a card holds for the same asking only.
        bar: what the card is measured by.
        planted: faulty items of each kind.
        good: good items among them.
        batch: items asked at a time.
        seed: draws items and faults.
    """

    questions: Path = Path("build/questions")
    graph: Path = Path("build/graph")
    split: str = "grpo"
    judges: list[Judge] = field(default_factory=list)
    asking: Asking = field(default_factory=Asking)
    bar: Bar = field(default_factory=Bar)
    planted: int = 30
    good: int = 100
    batch: int = 256
    seed: int = 0


def check_judges(judges: list[Judge]) -> None:
    """Raises InputError for judges that cannot run, or two that are one."""
    if not judges:
        raise InputError("no judge was given; add one, for example --judges '[{model: Qwen/Qwen3-14B}]'")
    if len({judge.name for judge in judges}) < len(judges):
        raise InputError("two judges have the same model name and seed; give another seed to one of them")
    for judge in judges:
        if not judge.model:
            raise InputError(
                "a judge has no model; give a model folder, a hub name or the name a server serves it under"
            )
        if judge.backend == "server" and not judge.urls:
            raise InputError(f"judge {judge.name}: backend server needs urls, such as ['http://127.0.0.1:8000/v1']")
        if judge.parallel < 1 or judge.tries < 1 or judge.timeout <= 0:
            raise InputError(f"judge {judge.name}: parallel and tries must be at least 1, timeout above 0")


def check_asking(asking: Asking) -> None:
    """Raises InputError for a setting out of range."""
    from generation.judge.ask import FLAWS

    if not 1 <= asking.rotations <= 4:
        raise InputError(f"--asking.rotations: {asking.rotations} is out of range; give 1 to 4")
    if not 0 <= asking.samples <= 64:
        raise InputError(f"--asking.samples: {asking.samples} is out of range; give 0 to 64")
    if asking.temperature < 0:
        raise InputError(f"--asking.temperature: {asking.temperature} is below 0")
    if unknown := sorted(set(asking.fatal) - set(FLAWS)):
        raise InputError(f"--asking.fatal: {unknown[0]!r} is no flaw; known: {', '.join(FLAWS)}")


def check_bar(bar: Bar) -> None:
    """Raises InputError for a share that is none."""
    for name, value in (("recall", bar.recall), ("alarms", bar.alarms)):
        if not 0 <= value <= 1:
            raise InputError(f"--bar.{name}: {value:g} is no share; give 0 to 1, such as 0.95 for 95 %")


def check(config: Config) -> None:
    """Raises InputError for a run that makes no sense."""
    check_judges(config.judges)
    check_asking(config.asking)
    check_bar(config.bar)
    if unknown := sorted(set(config.splits) - set(SPLITS)):
        raise InputError(f"--splits: {unknown[0]!r} is no split; known: {', '.join(SPLITS)}")
    if config.batch < 1 or (config.limit is not None and config.limit < 1):
        raise InputError("--batch and --limit must be at least 1")
