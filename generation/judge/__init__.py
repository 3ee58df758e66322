"""The vLLM judge: every question read by a real engine, and the judge itself measured. See docs/judging.md.

    python -m generation judge-report  --judges '[{model: Qwen/Qwen3-14B}]'
    python -m generation judge         --judges '[{model: Qwen/Qwen3-14B}]'

`judge(config)` reads the splits and writes verdicts.parquet; `judge_report(config)` plants faults and measures the judge;
`merge_reviews(...)` takes in what people say; `label(questions)` says what may be said of the data.
"""

from __future__ import annotations

from generation.judge.config import Asking, Bar, Config, Judge, ReportConfig
from generation.judge.outcome import Outcome, label
from generation.judge.report import judge_report
from generation.judge.reviews import merge_reviews
from generation.judge.stage import judge

__all__ = [
    "Asking",
    "Bar",
    "Config",
    "Judge",
    "Outcome",
    "ReportConfig",
    "judge",
    "judge_report",
    "label",
    "merge_reviews",
]
