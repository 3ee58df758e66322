"""Shares with their intervals, and agreement between judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

Z = 1.959963984540054  # 97.5 % point of the normal distribution


class Share(NamedTuple):
    """Hits among trials, with Wilson's 95 % interval (Wilson 1927; Newcombe 1998, method 3). All None without trials."""

    hits: int
    trials: int
    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "-"
        return f"{self.hits}/{self.trials} = {100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def share(hits: int, trials: int) -> Share:
    """A share and its interval.

    >>> str(share(19, 20))
    '19/20 = 95.0 % (76.4 to 99.1)'
    """
    if not trials:
        return Share(hits, trials, None, None, None)
    value, squared = hits / trials, Z * Z
    middle = (value + squared / (2 * trials)) / (1 + squared / trials)
    half = Z / (1 + squared / trials) * sqrt(value * (1 - value) / trials + squared / (4 * trials * trials))
    return Share(hits, trials, value, max(0.0, middle - half), min(1.0, middle + half))


def kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two raters over the same items (Cohen 1960). None where chance alone would agree always.

    >>> kappa(["accept", "accept", "reject", "reject"], ["accept", "accept", "reject", "accept"])
    0.5
    """
    count = len(first)
    if not count:
        return None
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / count
    left, right = Counter(first), Counter(second)
    chance = sum(left[word] * right[word] for word in left) / count**2
    return None if chance == 1 else (agreed - chance) / (1 - chance)
