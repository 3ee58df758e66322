"""SFT, merge and GRPO on the tiny model, with TRL's real trainers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from generation.prompt import SYSTEM_PROMPT
from kg.errors import GateError, InputError
from kg.schema import Schema
from tests.training.stage_output import Said, same, weights_of
from training import examples, recipe
from training.folders import Folders, newest
from training.recipe import Grpo, Lora, Sft

torch = pytest.importorskip("torch", reason="the training extra is not installed")
pytest.importorskip("trl", reason="the training extra is not installed")

from training import answers, grpo, merge, sft, weights  # noqa: E402

LORA = Lora(rank=4, alpha=8, dropout=0.0, targets="all-linear")


# --- SFT and merge -----------------------------------------------------------------------------------


def test_sft_with_lora_merges_and_its_model_loads_with_plain_transformers(sft_recipe: Sft, tmp_path: Path) -> None:
    said, folders = Said(), Folders(tmp_path, "tiny")
    out = sft.run(replace(sft_recipe, lora=LORA), folders, say=said)
    assert out == folders.merged
    assert "merge: fp32: arg-max equal on 100.00% of 10,000 tokens" in said.text
    assert {
        "README.md",
        "chat_template.jinja",
        "config.json",
        "environment.json",
        "model.safetensors",
        "recipe.yaml",
        "tokenizer.json",
    } <= {p.name for p in out.iterdir()}
    assert (folders.adapter / "adapter_model.safetensors").exists()
    assert not same(out, Path(sft_recipe.model))
    assert not [*out.glob("*.bin"), *folders.adapter.glob("*.bin")]


def test_merge_to_bfloat16_is_cast_once_and_says_how_far_it_moved(sft_recipe: Sft, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "tiny")
    sft.run(replace(sft_recipe, lora=LORA, max_steps=2), folders, say=Said())
    said = Said()
    parity = merge.run(sft_recipe.model, folders.adapter, folders.merged, "bfloat16", say=said)
    assert parity.same >= 0.999
    assert "after the cast to bfloat16" in said.text
    assert {tensor.dtype for tensor in weights_of(folders.merged).values()} == {torch.bfloat16}


def test_a_merge_that_does_not_match_fails_the_gate(
    sft_recipe: Sft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = Folders(tmp_path, "tiny")
    sft.run(replace(sft_recipe, lora=LORA, max_steps=2), folders, say=Said())
    monkeypatch.setattr(merge, "parity", lambda *_: merge.Parity(0.95, 1.0, 10_000))
    before = (folders.merged / "model.safetensors").read_bytes()
    with pytest.raises(GateError, match=r"95\.00%"):
        merge.run(sft_recipe.model, folders.adapter, folders.merged, "float32", say=Said())
    assert (folders.merged / "model.safetensors").read_bytes() == before


def test_full_sft_learns_and_writes_the_merged_folder(sft_recipe: Sft, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "tiny")
    sft.run(replace(sft_recipe, max_steps=30, save_steps=30, limit=8), folders, say=Said())
    log = json.loads((folders.sft / "checkpoints" / "checkpoint-30" / "trainer_state.json").read_text())["log_history"]
    losses = [entry["loss"] for entry in log if "loss" in entry]
    assert losses[-1] < losses[0] - 1
    assert not folders.adapter.exists()
    assert newest(tmp_path) == folders.merged


def test_questions_over_the_token_limit_are_counted_and_named(
    sft_recipe: Sft, tiny_tokenizer: Any, tmp_path: Path
) -> None:
    said = Said()
    items = examples.in_order(examples.read_items(Path(sft_recipe.questions) / "sft.parquet"), "shuffled", 0)[:40]
    counts = examples.token_counts(tiny_tokenizer, [examples.chat(item, False) for item in items])
    limit = sorted(counts)[-3]
    ready = sft.prepare(replace(sft_recipe, max_length=limit), Folders(tmp_path, "t"), tiny_tokenizer, said)
    over = [item["item_id"] for item, count in zip(items, counts, strict=True) if count > limit]
    assert ready.too_long == over
    assert f"left out: {len(over)} of 40 questions over max_length" in said.text
    assert over[0] in said.text
    with pytest.raises(InputError, match="every question is longer"):
        sft.prepare(replace(sft_recipe, max_length=5), Folders(tmp_path, "t"), tiny_tokenizer, said)


def test_packing_without_flash_attention_is_refused(sft_recipe: Sft, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="packing with attention 'sdpa'"):
        sft.run(replace(sft_recipe, packing=True), Folders(tmp_path, "t"), say=Said())


def test_a_dry_run_shows_the_first_example_and_writes_nothing(
    sft_recipe: Sft, grpo_recipe: Grpo, small_schema: Schema, tmp_path: Path
) -> None:
    said = Said()
    assert sft.run(sft_recipe, Folders(tmp_path, "t"), dry_run=True, say=said) is None
    assert grpo.run(grpo_recipe, Folders(tmp_path, "t"), small_schema, dry_run=True, say=said) is None
    assert "<think>" in said.text
    assert list(tmp_path.iterdir()) == []


def test_buckets_hold_every_example_once_and_little_padding(small_made: Any) -> None:
    chats = [examples.chat(item, False) for item in small_made.items["sft"]]
    lengths = [len(one.completion[0]["content"]) for one in chats]
    found = sft.bucketed(chats, lengths, 8, 0)
    assert sorted(map(str, found)) == sorted(map(str, chats))
    waste = lambda order: sum(max(order[n : n + 8]) * len(order[n : n + 8]) for n in range(0, len(order), 8))  # noqa: E731
    assert waste([len(one.completion[0]["content"]) for one in found]) < waste(lengths)


# --- GRPO --------------------------------------------------------------------------------------------


def test_grpo_trains_logs_and_saves(grpo_recipe: Grpo, small_schema: Schema, tmp_path: Path) -> None:
    said, folders = Said(), Folders(tmp_path, "tiny")
    out = grpo.run(replace(grpo_recipe, beta=0.05), folders, small_schema, say=said)
    assert out == folders.grpo
    log = json.loads((out / "checkpoints" / "checkpoint-4" / "trainer_state.json").read_text())["log_history"][0]
    for name in ("rewards/correct/mean", "rewards/correct/std", "rewards/format/mean", "rewards/path_f1/mean", "rewards/path_statements/std", "answers/A",
                 "answers/none", "path_f1/ungated", "path_statements/ungated", "frac_reward_zero_std", "completions/clipped_ratio",
                 "completions/mean_length", "kl", "entropy"):  # fmt: skip
        assert name in log
    assert log["reward"] == pytest.approx(
        log["rewards/correct/mean"] + log["rewards/format/mean"] + log["rewards/path_f1/mean"]
    )
    table = pq.read_table(sorted((out / "checkpoints" / "completions").glob("*.parquet"))[0])
    assert {
        "prompt",
        "completion",
        "item_id",
        "path",
        "key",
        "parsed",
        "right",
        "correct",
        "format",
        "path_f1",
        "path_statements",
    } <= set(table.column_names)
    assert "ALARM, step 1: " in said.text  # a random model's completions are all cut
    assert (out / "README.md").exists()
    assert "completions were cut" in said.text


def test_rollout_tables_of_grpo_are_pass_rate_tables(grpo_recipe: Grpo, small_schema: Schema, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "tiny")
    grpo.run(replace(grpo_recipe, max_steps=2), folders, small_schema, say=Said())
    table = folders.grpo / "checkpoints" / "completions"
    band = replace(grpo_recipe.pass_rate, table=str(table), low=0.0, high=1.0)
    said = Said()
    items, _ = grpo.prepare(
        replace(grpo_recipe, pass_rate=band), folders, weights.load_tokenizer(grpo_recipe.model), said
    )
    assert 0 < len(items) < 10
    assert "not measured" in said.text


def test_shuffled_paths_are_those_of_other_items(grpo_recipe: Grpo, questions: Path) -> None:
    items = examples.read_items(questions / "grpo.parquet")
    moved = grpo.with_other_paths(items, 0)
    assert sorted(str(item["path"]) for item in moved) == sorted(str(item["path"]) for item in items)
    assert all(one["path"] != other["path"] for one, other in zip(items, moved, strict=True))
    assert [item["answer"] for item in moved] == [item["answer"] for item in items]


def test_too_few_prompts_are_refused(grpo_recipe: Grpo, tmp_path: Path, tiny_tokenizer: Any) -> None:
    with pytest.raises(InputError, match="an update takes 2"):
        grpo.prepare(replace(grpo_recipe, limit=1), Folders(tmp_path, "t"), tiny_tokenizer, Said())


# --- recipes for GPUs --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["qwen3-14b", "qwen3-14b-lora", "qwen3-0.6b"])
def test_configurations_of_gpu_recipes_are_built_by_trl(name: str, tmp_path: Path) -> None:
    from training.settings import grpo_config, sft_config

    first = sft_config(recipe.load(recipe.path_of(name, "sft"), Sft), tmp_path, use_cpu=True, bf16=False)
    second = grpo_config(recipe.load(recipe.path_of(name, "grpo"), Grpo), tmp_path, use_cpu=True, bf16=False)
    assert first.completion_only_loss is True
    assert second.use_vllm is True
    assert second.vllm_mode == "colocate"
    assert second.beta == 0.12
    assert second.num_generations == 4


@pytest.mark.parametrize("name", ["qwen3-14b", "qwen3-14b-lora", "qwen3-0.6b"])
def test_trainers_of_gpu_recipes_run_two_steps_with_the_tiny_model(
    name: str, tiny_model: Path, tiny_tokenizer: Any, questions: Path, small_schema: Schema, tmp_path: Path
) -> None:
    items = examples.read_items(questions / "grpo.parquet") * 4
    device = {
        "use_cpu": True,
        "bf16": False,
        "max_steps": 2,
        "report_to": [],
        "save_strategy": "no",
        "optim": "adamw_torch",
    }
    read = replace(recipe.load(recipe.path_of(name, "sft"), Sft), attention="sdpa", packing=False, accumulation=2)
    chats = [examples.chat(item, True) for item in items]
    first = sft.trainer(
        read, weights.load_model(str(tiny_model), "float32", "sdpa"), tiny_tokenizer, chats, tmp_path / "sft", **device
    )
    first.train()
    assert first.state.global_step == 2
    settings = replace(recipe.load(recipe.path_of(name, "grpo"), Grpo), attention="sdpa", weights="float32")
    second = grpo.trainer(
        settings,
        str(tiny_model),
        tiny_tokenizer,
        items,
        small_schema,
        tmp_path / "grpo",
        **device,
        use_vllm=False,
        max_completion_length=6,
    )
    second.train()
    assert second.state.global_step == 2
    assert "kl" in second.state.log_history[0]


# --- using a model -----------------------------------------------------------------------------------


def test_the_snippet_of_the_model_card_runs(
    sft_recipe: Sft, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = sft.run(replace(sft_recipe, max_steps=2), Folders(tmp_path, "t"), say=Said())
    assert out is not None
    card = (out / "README.md").read_text()
    snippet = card.split("```python\n")[1].split("```")[0].replace("max_new_tokens=1280", "max_new_tokens=4")
    exec(compile(snippet, "card", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_the_snippet_of_the_readme_is_that_of_the_card_and_runs(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from training import card

    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    snippet = readme.split("```python\n")[1].split("```")[0]
    folder = Path("build/models/tiny-cpu/grpo")
    assert f"```python\n{snippet}```" in card._USE.format(folder=folder)
    monkeypatch.chdir(tmp_path)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(tiny_model)
    exec(compile(snippet.replace("max_new_tokens=1280", "max_new_tokens=4"), "README", "exec"), {})
    options = ["trochlear nerve", "abducens nerve", "facial nerve", "vagus nerve"]
    asked = answers.ask(folder, "Which nerve innervates the superior oblique muscle?", options, 4)
    assert capsys.readouterr().out == f"{asked}\n"


def test_ask_shows_thinking_explanation_and_answer() -> None:
    text = answers.shown(
        "<think>\nBecause.\n</think>\n<explanation>\nSo.\n</explanation>\n<answer>B</answer>",
        ["one", "two", "three", "four"],
    )
    assert text == "Thinking:\nBecause.\n\nExplanation:\nSo.\n\nAnswer: B. two"
    assert answers.shown("what?", ["1", "2", "3", "4"]) == "(the reply does not keep the format)\nwhat?"


def test_generating_does_not_depend_on_the_batch(tiny_model: Path, tiny_tokenizer: Any, questions: Path) -> None:
    model = weights.load_model(str(tiny_model), "float32", "sdpa")
    prompts = [examples.chat(item, False).prompt for item in examples.read_items(questions / "grpo.parquet")[:5]]
    assert answers.generate(model, tiny_tokenizer, prompts, 6, batch=1) == answers.generate(
        model, tiny_tokenizer, prompts, 6, batch=5
    )
    drawn = answers.generate(model, tiny_tokenizer, prompts, 6, temperature=1.0, samples=3, batch=2)
    assert [len(one) for one in drawn] == [3] * 5


def test_ask_wants_four_options_and_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 given"):
        answers.ask(tmp_path, "Which?", ["a", "b", "c"], 5)
    with pytest.raises(InputError, match="there is no such folder"):
        answers.ask(tmp_path / "none", "Which?", ["a", "b", "c", "d"], 5)
    with pytest.raises(InputError, match="holds no model"):
        newest(tmp_path)


def test_the_system_prompt_is_in_what_a_model_card_shows() -> None:
    from training import card

    assert "SYSTEM_PROMPT" in card._USE
    assert SYSTEM_PROMPT.startswith("You are a neuroscience expert")
