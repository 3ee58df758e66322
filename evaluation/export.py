"""NeuroBench and the training splits in the forms that other programs read.

python -m evaluation export hugging-face    a data-set folder with its card
python -m evaluation export lm-eval         a task folder for lm-evaluation-harness
python -m evaluation export verl            JSON lines for verl, a file a split
python -m evaluation export trl-sft         JSON lines for `trl sft` (prompt and completion messages)
python -m evaluation export trl-grpo        JSON lines for GRPO: prompt messages and the columns rewards read
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.config import QUESTIONS, Sampling
from evaluation.report import environment
from generation.files import SPLITS, prepare, read_items, read_metadata, write_split, write_text
from generation.item import Item
from generation.prompt import SYSTEM_PROMPT
from kg.errors import InputError, nearest
from training.examples import chat as conversation
from training.examples import grpo_rows, sft_rows

MISSION = Sampling()
OUT = Path("build/exports")


def verl_rows(items: Sequence[Item], split: str) -> Iterator[dict[str, Any]]:
    """Rows of verl's RL data sets."""
    for index, item in enumerate(items):
        yield {
            "data_source": "neurobench",
            "prompt": conversation(item, False).prompt,
            "ability": "neuroscience",
            "reward_model": {"style": "rule", "ground_truth": item["answer"]},
            "extra_info": {"split": split, "index": index, "item_id": item["item_id"], "hops": item["hops"]},
        }


def trl_sft_rows(items: Sequence[Item], split: str) -> Iterator[dict[str, Any]]:
    """Prompt and completion messages: loss on the completion only."""
    yield from sft_rows(conversation(item, False) for item in items)


def trl_grpo_rows(items: Sequence[Item], split: str) -> Iterator[dict[str, Any]]:
    """Prompt messages and the columns that the rewards read."""
    yield from grpo_rows(items, False)


LINES: dict[str, Callable[[Sequence[Item], str], Iterator[dict[str, Any]]]] = {
    "verl": verl_rows,
    "trl-sft": trl_sft_rows,
    "trl-grpo": trl_grpo_rows,
}
FORMS = ("hugging-face", "lm-eval", *LINES)


def export(form: str, questions: Path = QUESTIONS, out: Path | None = None, sampling: Sampling = MISSION) -> None:
    """Write the questions in another form.

    Args:
        form: hugging-face, lm-eval, verl, trl-sft or trl-grpo.
        questions: folder of the questions.
        out: folder to write to; build/exports/FORM by default.
        sampling: how replies are drawn (lm-eval only).
    """
    if form not in FORMS:
        raise InputError(f"export: unknown form {form!r}; {nearest(form, FORMS)}")
    folder = (out or OUT / form).absolute()
    prepare(folder)
    if form == "hugging-face":
        hugging_face(questions, folder)
    elif form == "lm-eval":
        lm_eval(questions, folder, sampling)
    else:
        for split in [name for name in SPLITS if (questions / f"{name}.parquet").exists()]:
            _lines(folder / f"{split}.jsonl", LINES[form](read_items(questions / f"{split}.parquet"), split))
    print(f"Written to {folder}")


def _lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def hugging_face(questions: Path, folder: Path) -> None:
    """The test split and the sets of longer paths, a configuration each, with a card.

    Raises:
        InputError: there is no test split.
    """
    found = {"neurobench": questions / "test.parquet"}
    found |= {path.stem: path for path in sorted(questions.glob("neurobench_*hop.parquet"))}
    items = {name: read_items(path) for name, path in found.items()}
    meta = read_metadata(found["neurobench"])
    for name, rows in items.items():
        prepare(folder / "data")
        write_split(folder / "data" / f"{name}.parquet", rows, meta)
    facts = {hop["edge_id"]: hop["license"] for rows in items.values() for item in rows for hop in item["path"]}
    env = environment().overlay(autoescape=False)
    card = env.get_template("neurobench_card.md.j2").render(
        files=list(items),
        counts={name: len(rows) for name, rows in items.items()},
        licenses=dict(Counter(facts.values()).most_common()),
        graph=meta.get("graph_sha256", "not known")[:12],
        seed=meta.get("seed", "not known"),
    )  # fmt: skip
    write_text(folder / "README.md", card.rstrip() + "\n")


def lm_eval(questions: Path, folder: Path, sampling: Sampling) -> None:
    """A task folder: `lm_eval --tasks neurobench --include_path FOLDER --apply_chat_template ...`."""
    sampling.check()
    kept = ("item_id", "question", "options", "answer")
    items = read_items(questions / "test.parquet")
    _lines(folder / "neurobench.jsonl", ({key: item[key] for key in kept} for item in items))
    values = {
        "data": json.dumps(str(folder / "neurobench.jsonl")),
        "system": json.dumps(SYSTEM_PROMPT),
        "sampling": sampling,
    }
    env = environment().overlay(autoescape=False)
    write_text(folder / "neurobench.yaml", env.get_template("lm_eval.yaml.j2").render(values) + "\n")
    write_text(
        folder / "neurobench.py",
        "from evaluation.harness import answers, doc_to_text\n\n__all__ = ['answers', 'doc_to_text']\n",
    )
