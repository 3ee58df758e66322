"""The learning experiment: `python -m training learn`. Do the mission's two stages work, at a size that two cores can learn?

The product's own stages with the recipe tiny-cpu: a slice of the graph, a base model that knows its facts, SFT, GRPO on
other chains, and held-out chains: two-hop compositions of known facts that were never trained on. Controls start from
the same SFT model: further SFT for the time that GRPO took, and GRPO with another path reward. Everything done is kept
under <out>; a second call goes on where the first ended.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from generation.item import Item
from generation.prompt import parse_reply
from kg.errors import InputError
from kg.graph import Graph
from kg.schema import Schema
from kg.store import write_table
from training import answers, checkpoints, examples, grpo, learn_report, made, recipe, sft, weights
from training.folders import Folders, write_json
from training.path_reward import Item as Scoreable
from training.path_reward import score
from training.recipe import Grpo, Made, Sft
from training.rewards import cut_by_words
from training.statements import Lexicon

CONTROLS = ("sft", "none", "statements", "shuffled")
PROMPTS = 924  # held-out prompts that are answered, the same for every model
REPLIES = pa.schema([("item_id", pa.string()), ("path_id", pa.string()), ("reply", pa.string()), ("parsed", pa.string()), ("right", pa.bool_()),
                     ("valid", pa.bool_()), ("facts", pa.float64())])  # fmt: skip
FURTHER_RATE = 3e-4  # of the control that goes on with SFT: about the mean of the last third of SFT's cosine


class Recipes(NamedTuple):
    made: Made
    sft: Sft
    grpo: Grpo


class StoppedError(Exception):
    """A signal ended a stage; it has a checkpoint."""


def load_recipes(seed: int, name: str = "tiny-cpu") -> Recipes:
    """A recipe with another seed for weights, order and rollouts; the slice and its split stay."""
    read = Recipes(*(recipe.load(recipe.path_of(name, stage), kind) for stage, kind in recipe.STAGES.items()))
    return Recipes(replace(read.made, seed=seed), replace(read.sft, seed=seed), replace(read.grpo, seed=seed))


def run(load_graph: Callable[[], tuple[Graph, Schema]], out: Path, seeds: Sequence[int], controls: Sequence[str],
        recipes: Callable[[int], Recipes] = load_recipes, prompts: int = PROMPTS, say: Callable[[str], None] = print) -> dict[str, Any]:  # fmt: skip
    """Run what is missing, then report.

    Args:
        out: models, replies and the report go here.
        recipes: seed -> recipes (tiny-cpu by default).

    Raises:
        InputError: an unknown control.
    """
    for control in controls:
        if control not in CONTROLS:
            raise InputError(f"--controls: unknown {control!r}; choose from {', '.join(CONTROLS)}")
    schema = Schema.load()
    for seed in seeds:
        one = Seed(Folders(out, f"seed{seed}"), recipes(seed), Lexicon.load(schema), schema, prompts, say)
        try:
            one.run(load_graph, controls)
        except StoppedError as stage:
            say(f"learn: stopped in {stage}; the same command goes on from there")
            break
    return learn_report.write(out, say)


@dataclass(frozen=True)
class Seed:
    """One seed's run."""

    folders: Folders
    recipes: Recipes
    lexicon: Lexicon
    schema: Schema
    prompts: int
    say: Callable[[str], None]

    def run(self, load_graph: Callable[[], tuple[Graph, Schema]], controls: Sequence[str]) -> None:
        self._stage("base", lambda: made.run(self.recipes.made, self.folders, load_graph, self.say))
        self.measure("base", self.folders.base)
        self._stage("sft", lambda: self._sft(self.recipes.sft, self.folders))
        self.measure("sft", self.folders.merged)
        self._stage("grpo", lambda: self._grpo("grpo", self.recipes.grpo))
        self.measure("grpo", self.arm("grpo").grpo)
        for control in controls:
            if control == "sft":
                self._stage("control-sft", self._further_sft)
                self.measure("control-sft", self.arm("control-sft").merged)
            else:
                name = f"control-{control}"
                self._stage(
                    name,
                    lambda name=name, control=control: self._grpo(
                        name, replace(self.recipes.grpo, path_reward=control)
                    ),
                )  # type: ignore[misc]
                self.measure(name, self.arm(name).grpo)

    def arm(self, name: str) -> Folders:
        return Folders(self.folders.root / "arms", name)

    def _stage(self, name: str, work: Callable[[], Path | None]) -> None:
        """Do it once; keep how long it took, over all calls that worked on it.

        Raises:
            StoppedError: a signal ended it.
        """
        file = self.folders.root / "times" / f"{name}.json"
        before = json.loads(file.read_text()) if file.exists() else {"wall": 0.0, "cpu": 0.0, "done": False}
        if before["done"]:
            return
        wall, cpu, done = time.perf_counter(), time.process_time(), False
        try:
            done = work() is not None
        finally:
            wall, cpu = (before["wall"] + time.perf_counter() - wall, before["cpu"] + time.process_time() - cpu)
            write_json(file, {"wall": wall, "cpu": cpu, "done": done})
        if not done:
            raise StoppedError(f"{self.folders.recipe} {name}")
        self.say(f"{self.folders.recipe} {name}: {wall / 60:.1f} minutes, {cpu / 60:.1f} of one core")

    def _sft(self, settings: Sft, folders: Folders) -> Path | None:
        resume = checkpoints.last_good(folders.sft / "checkpoints") is not None
        return sft.run(settings, folders, resume, say=self.say)

    def _grpo(self, name: str, settings: Grpo) -> Path | None:
        settings = replace(settings, model=str(self.folders.merged), questions=str(self.folders.questions))
        resume = checkpoints.last_good(self.arm(name).grpo / "checkpoints") is not None
        return grpo.run(settings, self.arm(name), self.schema, resume, say=self.say)

    def _further_sft(self) -> Path | None:
        """SFT again from the SFT model for the CPU time that GRPO took."""
        times = {
            name: json.loads((self.folders.root / "times" / f"{name}.json").read_text())["cpu"]
            for name in ("sft", "grpo")
        }
        steps = max(1, round(self.recipes.sft.max_steps * times["grpo"] / times["sft"]))
        self.say(f"control-sft: {steps} further steps of SFT take about as long as GRPO did")
        settings = replace(self.recipes.sft, model=str(self.folders.merged), questions=str(self.folders.questions), max_steps=steps,
                           learning_rate=FURTHER_RATE, schedule="constant_with_warmup", seed=self.recipes.sft.seed + 100)  # fmt: skip
        return self._sft(settings, self.arm("control-sft"))

    # --- measuring ------------------------------------------------------------------------------------

    def held_out(self) -> list[Item]:
        """The same prompts for every model: as many as `prompts`, the same number of each chain as nearly as can be."""
        rows = examples.read_items(self.folders.questions / "test.parquet")
        turn: dict[str, int] = {}
        ranked = []
        for place, row in enumerate(rows):
            turn[row["path_id"]] = turn.get(row["path_id"], -1) + 1
            ranked.append((turn[row["path_id"]], place))
        return [rows[place] for _, place in sorted(ranked)[: self.prompts]]

    def measure(self, name: str, folder: Path) -> None:
        """Answer the held-out prompts greedily and keep the replies; the base model by forced choice."""
        file = self.folders.root / "replies" / f"{name}.parquet"
        if file.exists():
            return
        items = self.held_out()
        tokenizer, model = weights.load_tokenizer(str(folder)), weights.load_model(str(folder), "float32", "sdpa")
        if name == "base":
            letters = answers.option_scores(model, tokenizer, items)
            rows = [self._row(item, "", letter) for item, letter in zip(items, letters, strict=True)]
        else:
            replies = answers.generate(
                model,
                tokenizer,
                [examples.chat(item, False).prompt for item in items],
                self.recipes.grpo.max_completion,
            )
            rows = [self._row(item, texts[0], None) for item, texts in zip(items, replies, strict=True)]
        write_table(file, rows, REPLIES, {"model": str(folder)})
        self.say(f"{self.folders.recipe} {name}: {sum(row['right'] for row in rows) / len(rows):.1%} of {len(rows)} held-out prompts right, "
                 f"format valid {sum(row['valid'] for row in rows) / len(rows):.1%}")  # fmt: skip

    def _row(self, item: Item, reply: str, letter: str | None) -> dict[str, Any]:
        read = parse_reply(reply)
        parsed = letter or read.answer
        known = Scoreable((item["path"],), item["options"], item["option_ids"], item["answer"], item["bridge_foils"])
        facts = score(known, cut_by_words(read.thinking), self.lexicon).facts if reply else (0.0,)
        return {"item_id": item["item_id"], "path_id": item["path_id"], "reply": reply, "parsed": parsed or "", "right": parsed == item["answer"],
                "valid": read.format.valid, "facts": sum(value == 1 for value in facts) / len(facts)}  # fmt: skip
