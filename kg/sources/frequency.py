"""How often a phenotype is seen in a disease, pooled over the rows of phenotype.hpoa.

A row's cell is a count (`7/13`), a percentage (`45%`), an HPO frequency class (`HP:0040282`), or empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Lower bound of each class: obligate, very frequent, frequent, occasional, very rare, excluded.
CLASSES = {
    "HP:0040280": 1.0, "HP:0040281": 0.8, "HP:0040282": 0.3, "HP:0040283": 0.05, "HP:0040284": 0.01, "HP:0040285": 0.0,
}  # fmt: skip
FEWEST_PATIENTS = 3
_COUNT = re.compile(r"^(\d+)\s*/\s*(\d+)$")
_PERCENT = re.compile(r"^(\d+(?:\.\d+)?)\s*%$")


@dataclass
class Frequency:
    """Pooled counts and the other statements about one phenotype of one disease."""

    with_it: int = 0
    patients: int = 0
    stated: list[float] = field(default_factory=list)

    def add(self, cell: str) -> None:
        """Take in one row's cell; an empty or unreadable one says nothing."""
        cell = cell.strip()
        if match := _COUNT.match(cell):
            self.with_it += int(match.group(1))
            self.patients += int(match.group(2))
        elif match := _PERCENT.match(cell):
            self.stated.append(float(match.group(1)) / 100)
        elif cell in CLASSES:
            self.stated.append(CLASSES[cell])

    def join(self, other: Frequency) -> None:
        """Take in all that another record says."""
        self.with_it += other.with_it
        self.patients += other.patients
        self.stated += other.stated

    def at_least(self, share: float) -> bool:
        """Whether every statement, and the pooled count of three patients or more, reaches `share`; one must exist."""
        counted = self.patients >= FEWEST_PATIENTS
        if counted and self.with_it < share * self.patients:
            return False
        return (counted or bool(self.stated)) and all(value >= share for value in self.stated)
