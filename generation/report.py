"""report.json and report.html: what was made, what was not and why, and how good it is.

The page is one self-contained file (plots are inline SVG). Labels are data: the page is rendered with escaping on.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup, escape

from generation import figures as fig
from generation.item import Item
from generation.make import Made
from generation.openworld import Hidden
from kg.paths import digest

SHOWN = 10
PARTS = {  # of what was asked for, in words
    "sft_single": "SFT, one hop",
    "sft": "SFT, two hops",
    "grpo": "GRPO, two hops",
    "test": "held-out test, two hops",
}
NOT_JUDGED = "proved, not judged"  # what is said of questions that no judge has read


def report(made: Made, hidden: Sequence[Hidden], judged: str, meta: Mapping[str, str]) -> dict[str, Any]:
    """Everything that report.json holds."""
    splits = {name: items for name, items in made.items.items() if name in ("sft", "grpo", "test")}
    return {
        "judged": judged,
        "judge": None,
        "graph_sha256": meta["graph_sha256"],
        "seed": int(meta["seed"]),
        "code_version": meta["code_version"],
        "asked": {
            name: {"asked": want, "reached": got, "short": max(0, want - got), "explicit": explicit}
            for name, (want, got, explicit) in made.asked.items()
        },
        "figures": _figures(splits),
        "leaks": fig.leaks(splits),
        "fact_overlap": fig.fact_overlap(splits["sft"], splits["test"]),
        "open_world": [one._asdict() for one in hidden],
        "counts": {name: fig.counts(items) for name, items in splits.items()},
        "proofs": {name: fig.proofs_by(items, "predicate") for name, items in splits.items()},
        "supply": fig.ranked(made.supply),
        "dropped": fig.ranked(made.dropped),
    }


def with_split(data: Mapping[str, Any], name: str, splits: Mapping[str, Sequence[Item]]) -> dict[str, Any]:
    """The report with the figures of one split told anew, after a judge has replaced some of its items."""
    items = splits[name]
    told = {"figures": fig.figures(items), "counts": fig.counts(items), "proofs": fig.proofs_by(items, "predicate")}
    return {
        **data,
        **{key: {**data[key], name: value} for key, value in told.items()},
        "leaks": fig.leaks(splits),
    }


def _figures(splits: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float]]:
    two = [item for item in splits["sft"] if item["hops"] > 1]
    one = [item for item in splits["sft"] if item["hops"] == 1]
    parts = {"SFT, one hop": one, "SFT, two hops": two, "grpo": list(splits["grpo"]), "test": list(splits["test"])}
    parts["all two hops"] = [*two, *splits["grpo"], *splits["test"]]  # of which the caps are shares
    found = {name: fig.figures(items) for name, items in parts.items() if items}
    if "core" in found.get("test", {}):
        found["test"]["core_held_out"] = found["test"].pop("core")  # a higher target
    if splits["test"] and splits["sft"]:
        found["test"] |= _attacks(splits["sft"], splits["test"])
    return found


def _attacks(train: Sequence[Item], test: Sequence[Item]) -> dict[str, float]:
    """Accuracy of the shortcuts that have a target; of the two classifiers on options alone, the better one's."""
    from generation import choices, shortcuts  # scikit-learn takes 2 s to load: not needed by `show`

    return {
        "choices_only": max(guess.accuracy for guess in choices.choices_only(train, test)),
        "stem_source_only": shortcuts.stem_source_only(train, test).accuracy,
        "most_prevalent": shortcuts.prevalence(train, test).accuracy,
        "nearest_item": shortcuts.nearest_item(train, test, most=1).accuracy,
    }


@lru_cache(maxsize=1)
def _page() -> Any:
    env = SandboxedEnvironment(loader=PackageLoader("generation"), undefined=StrictUndefined, autoescape=True)
    env.globals["table"] = html_table
    return env.get_template("report.html.j2")


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table that scrolls by itself where it is too wide; cells are escaped, numbers right-aligned."""
    lines = ['<div class="wide"><table><tr>' + "".join(f"<th>{escape(name)}</th>" for name in header) + "</tr>"]
    for row in rows:
        cells = (
            f'<td class="n">{cell:,}</td>' if isinstance(cell, int) else f"<td>{escape(cell)}</td>" for cell in row
        )
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return Markup("\n".join([*lines, "</table></div>"]))


def html(data: Mapping[str, Any], items: Mapping[str, Sequence[Item]]) -> str:
    """The page of a report on the items of the splits."""
    test = items["test"] or items["sft"]
    sample = sorted(test, key=lambda item: digest("shown", item["item_id"]))[:SHOWN]
    proofs = data["proofs"]["test"]
    return str(
        _page().render(
            judged=data["judged"],
            judge=data["judge"],
            graph=data["graph_sha256"],
            seed=data["seed"],
            code=data["code_version"],
            asked=[(PARTS[name], row["asked"], row["reached"], row["short"]) for name, row in data["asked"].items()],
            short=shortage(data),
            quality={name: fig.as_rows(values) for name, values in data["figures"].items()},
            leaks=list(data["leaks"].items()),
            overlap=list(data["fact_overlap"].items()),
            open_world=[
                (h["layer"], h["questions"], h["distractors"], h["true"], fig.percent(h["upper"]), verdict(h["upper"]))
                for h in data["open_world"]
            ],
            plots=plots(data, items),
            sample=sample,
            counts={
                name: list(data["counts"]["test"][name].items()) or []
                for name in ("metapath", "predicate", "topic", "layer", "license")
            },
            supply=list(data["supply"].items()),
            proofs=[
                (name, row.get("contradicted", 0), row.get("closed", 0), row.get("absent", 0))
                for name, row in proofs.items()
            ],
            dropped=list(data["dropped"].items()),
        )
    )


def verdict(upper: float) -> str:
    """On the open-world error of a hidden layer."""
    return "met" if fig.OPEN_WORLD.met(upper) else "MISSED"


def shortage(data: Mapping[str, Any]) -> str:
    """In words, what could not be had of the mission's sizes, or nothing."""
    parts = [f"{PARTS[name]} by {row['short']:,}" for name, row in data["asked"].items() if row["short"]]
    if not parts:
        return ""
    return f"Short of the sizes asked for: {', '.join(parts)}. All that is sound under the strict rule and the allow-list is here; nothing was padded."


def plots(data: Mapping[str, Any], splits: Mapping[str, Sequence[Item]]) -> list[str]:
    """Four pictures as SVG: letters, metapaths, proofs, reasoning lengths."""
    import matplotlib

    matplotlib.use("svg")
    items = [item for name in ("sft", "grpo", "test") for item in splits[name]]
    if not items:
        return []
    letters = {letter: sum(item["answer"] == letter for item in items) for letter in "ABCD"}
    meta = dict(list(data["counts"]["test"]["metapath"].items())[:15]) or dict(
        list(data["counts"]["sft"]["metapath"].items())[:15]
    )
    proofs: dict[str, int] = {}
    for item in items:
        for proof in item["option_proofs"]:
            if proof != "key":
                proofs[proof] = proofs.get(proof, 0) + 1
    words = [len(item["reasoning"].split()) for item in items]
    return [
        _bars("How often each letter is the key", letters),
        _bars("Most frequent metapaths (test)", meta, across=True),
        _bars("How distractors are known to be false", proofs),
        _histogram("Words of reasoning", words),
    ]


def _bars(title: str, values: Mapping[str, int], across: bool = False) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axes = figure.add_subplot()
    names, heights = [str(name).replace("_", " ").replace("$", r"\$") for name in values], list(values.values())
    if across:
        axes.barh(names[::-1], heights[::-1], color="#3b6ea5")
        axes.tick_params(axis="y", labelsize=7)
    else:
        axes.bar(names, heights, color="#3b6ea5")
    axes.set_title(title, fontsize=10)
    return _svg(figure)


def _histogram(title: str, values: Sequence[int]) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.hist(values, bins=40, color="#3b6ea5")
    axes.set_title(title, fontsize=10)
    return _svg(figure)


def _svg(figure: Any) -> str:
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "neuro-si"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[1] + text.getvalue().partition("<svg")[2]


def as_json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"  # ranked tables keep their order
