"""The dataset card (README.md of build/questions/)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from generation import figures as fig
from generation.stems import environment


class Terms(NamedTuple):
    """Whether a set that holds facts under a licence may be published under terms of one's own choice, and what follows."""

    free: bool
    follows: str


TERMS = {
    "Apache-2.0": Terms(True, "publish freely; keep LICENSE and NOTICE of Neuro-SI"),
    "CC-BY-4.0": Terms(
        True,
        "publish freely; name the sources in `path` (UniProt, Gene Ontology), the licence, and that facts were turned into "
        "questions",
    ),
    "ODbL-1.0 AND CC-BY-SA-4.0": Terms(
        False,
        "publish only under the same licences, naming the IUPHAR/BPS Guide to PHARMACOLOGY and what was changed",
    ),
    "HPO licence": Terms(
        False,
        "use at home; the licence asks to cite the Human Phenotype Ontology and its release and not to alter the content: ask "
        "its authors before publishing",
    ),
}
UNKNOWN = Terms(False, "not known to Neuro-SI: read the licence of `source` in `path` before publishing")


def card(data: Mapping[str, Any]) -> str:
    """The card of a report (generation/report.py)."""
    counts = data["counts"]
    splits = [
        {
            "name": name,
            "number": sum(row["hops"].values()),
            "one": row["hops"].get("1", 0),
            "two": row["hops"].get("2", 0),
            "absent": absent(data["proofs"][name]),
        }
        for name, row in counts.items()
    ]
    licenses = [
        {"split": name, "license": licence, "number": number, "follows": TERMS.get(licence, UNKNOWN).follows}
        for name, row in counts.items()
        for licence, number in row["license"].items()
    ]
    bound = {
        name: [licence for licence in row["license"] if not TERMS.get(licence, UNKNOWN).free]
        for name, row in counts.items()
    }
    text = (
        environment()
        .get_template("card.md.j2")
        .render(
            code=data["code_version"],
            seed=data["seed"],
            graph=data["graph_sha256"],
            judged=data["judged"],
            missed=missed(data),
            short=[row["short"] for row in data["asked"].values() if row["short"]],
            leaks=sum(data["leaks"].values()),
            overlap=data["fact_overlap"],
            splits=splits,
            licenses=licenses,
            bound=bound,
        )
    )
    return text.rstrip() + "\n"


def absent(proofs: Mapping[str, Mapping[str, int]]) -> str:
    """The share of wrong options that nothing but their absence speaks against."""
    of = sum(sum(row.values()) for row in proofs.values())
    return fig.percent(sum(row.get("absent", 0) for row in proofs.values()) / of) if of else "none"


def missed(data: Mapping[str, Any]) -> list[str]:
    """Targets of docs/quality.md that the questions miss, in words."""
    found = [
        f"{name}: {row['figure']} {row['shown']}, target {row['target']}"
        for name, values in data["figures"].items()
        for row in fig.as_rows(values)
        if row["verdict"] == "MISSED"
    ]
    found += [f"{number} {name}, target 0" for name, number in data["leaks"].items() if number]
    return found + [
        f"with {one['layer']} hidden {one['true']} of {one['distractors']:,} wrong options are true, upper 95 % bound "
        f"{fig.percent(one['upper'])}, target {fig.OPEN_WORLD.text}"
        for one in data["open_world"]
        if not fig.OPEN_WORLD.met(one["upper"])
    ]
