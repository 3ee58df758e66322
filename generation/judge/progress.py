"""How far a run is: items, rate, tokens, verdicts so far, time left. One line now and then, on standard error."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from generation.judge.verdict import VERDICTS, Row


@dataclass
class Progress:
    """Counts of one judge's run over `total` items, of which `known` had a verdict before."""

    name: str
    total: int
    known: int
    verdicts: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    tokens: int = 0
    began: float = field(default_factory=time.perf_counter)

    def add(self, rows: Sequence[Row], failed: Sequence[str], asked: int) -> None:
        """Take in a batch and print where the run is."""
        self.verdicts.update(row["verdict"] for row in rows)
        self.failed.update(failed)
        self.asked += asked
        self.tokens += sum(row["tokens_in"] + row["tokens_out"] for row in rows)
        print(self.line(), file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def line(self) -> str:
        """The run in one line."""
        fresh = sum(self.verdicts.values()) + sum(self.failed.values())
        rate = fresh / self.seconds if self.seconds else 0.0
        left = (self.total - self.known - fresh) / rate if rate else 0.0
        counts = " ".join(f"{word} {self.verdicts[word]}" for word in VERDICTS)
        lost = f" not judged {sum(self.failed.values())}" if self.failed else ""
        return (
            f"{self.name}: {self.known + fresh}/{self.total} items, {rate:.2f} items/s, {self.tokens / max(self.seconds, 1e-9):,.0f} tokens/s, "
            f"{counts}{lost}, {left:.0f} s left"
        )
