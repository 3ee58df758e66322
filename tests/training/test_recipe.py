"""Recipes: every setting stands in the file, wrong ones are named; plans; what TRL makes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from kg.errors import InputError
from training import hardware, memory, plan, recipe
from training.recipe import Grpo, Made, Sft
from training.settings import check_devices, check_grpo, reward_weights

GPU_RECIPES = ("qwen3-14b", "qwen3-14b-lora", "qwen3-0.6b")


@pytest.mark.parametrize("name", recipe.names())
def test_every_recipe_loads_and_saves_to_the_same(name: str, tmp_path: Path) -> None:
    for stage, kind in recipe.STAGES.items():
        if (recipe.RECIPES / name / f"{stage}.yaml").exists():
            read = recipe.load(recipe.path_of(name, stage), kind)
            (tmp_path / f"{stage}.yaml").write_text(recipe.as_yaml(read))
            assert recipe.load(tmp_path / f"{stage}.yaml", kind) == read


def test_the_mission_recipe_holds_the_mission_settings() -> None:
    read = recipe.load(recipe.path_of("qwen3-14b", "grpo"), Grpo)
    assert (read.generations, read.beta, read.learning_rate, read.schedule, read.warmup) == (
        4,
        0.12,
        8e-7,
        "constant_with_warmup",
        0.05,
    )
    assert (read.max_completion, read.per_device_batch, read.devices, read.accumulation, read.epochs) == (
        1280,
        1,
        4,
        16,
        10,
    )
    assert read.prompts == 16


def test_an_unknown_key_is_named_with_the_nearest_known(tmp_path: Path) -> None:
    raw = yaml.safe_load(recipe.path_of("tiny-cpu", "grpo").read_text())
    (tmp_path / "grpo.yaml").write_text(yaml.safe_dump({**raw, "learning_rat": 1}))
    with pytest.raises(InputError, match="unknown key 'learning_rat'; did you mean 'learning_rate'"):
        recipe.load(tmp_path / "grpo.yaml", Grpo)
    with pytest.raises(InputError, match=r"'rollouts\.temprature'.*did you mean 'temperature'"):
        recipe.load(recipe.path_of("tiny-cpu", "grpo"), Grpo, ["rollouts.temprature=1"])


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    raw = yaml.safe_load(recipe.path_of("tiny-cpu", "grpo").read_text())
    del raw["beta"]
    (tmp_path / "grpo.yaml").write_text(yaml.safe_dump(raw))
    with pytest.raises(InputError, match="'beta' is not set"):
        recipe.load(tmp_path / "grpo.yaml", Grpo)


WRONG = [("beta=high", "'beta' is 'high'"), ("path_reward=word", "choose one of words"), ("generations=2.5", "it is a int"), ("lora=3", "group of settings"),
         ("beta", "write key=value"), ("lora.rank.x=1", "lora")]  # fmt: skip


@pytest.mark.parametrize(("override", "message"), WRONG)
def test_wrong_values_are_refused(override: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        recipe.load(recipe.path_of("qwen3-14b-lora", "grpo"), Grpo, [override])


def test_dotted_overrides_reach_groups() -> None:
    read = recipe.load(
        recipe.path_of("qwen3-14b-lora", "sft"), Sft, ["lora.rank=8", "--learning-rate=2e-4", "lora.dropout=0"]
    )
    assert read.lora is not None
    assert (read.lora.rank, read.lora.dropout, read.learning_rate) == (8, 0.0, 2e-4)


def test_an_unknown_recipe_and_a_missing_stage_are_named() -> None:
    with pytest.raises(InputError, match="did you mean 'tiny-cpu'"):
        recipe.path_of("tiny_cpu", "sft")
    with pytest.raises(InputError, match=r"has no made.yaml; it has grpo.yaml, sft.yaml"):
        recipe.path_of("qwen3-14b", "made")


def test_a_slice_comes_as_tuples() -> None:
    read = recipe.load(recipe.path_of("tiny-cpu", "made"), Made)
    assert read.slice is not None
    assert read.slice.shares == (0.5, 0.17, 0.33)
    assert read.slice.metapaths[0] == "^innervates > branch_of"


# --- arithmetic --------------------------------------------------------------------------------------


def test_a_group_size_that_does_not_divide_is_refused() -> None:
    read = recipe.load(recipe.path_of("qwen3-14b", "grpo"), Grpo)
    with pytest.raises(InputError, match="generations is 5, which does not divide the 64 completions"):
        check_grpo(replace(read, generations=5))
    with pytest.raises(InputError, match="at least 2"):
        check_grpo(replace(read, generations=1))


def test_save_steps_that_break_exact_resume_are_refused() -> None:
    read = recipe.load(recipe.path_of("qwen3-14b", "grpo"), Grpo)
    with pytest.raises(InputError, match="save_steps is 100"):
        check_grpo(replace(read, iterations=3))


def test_another_number_of_processes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match="--num_processes 4"):
        check_devices(recipe.load(recipe.path_of("qwen3-14b", "grpo"), Grpo))


def test_the_path_reward_not_in_use_has_weight_0() -> None:
    read = recipe.load(recipe.path_of("tiny-cpu", "grpo"), Grpo)
    assert reward_weights(read) == {"correct": 1, "format": 1, "path_f1": 1, "path_statements": 0}
    assert reward_weights(replace(read, path_reward="statements"))["path_f1"] == 0
    assert sum(reward_weights(replace(read, path_reward="none")).values()) == 2


# --- plans -------------------------------------------------------------------------------------------


def test_the_mission_plan_prints_its_numbers() -> None:
    text = plan.text("qwen3-14b/grpo")
    for line in ("prompts an update: 64 / 4 generations = 16", "5,000 prompts = 312 updates an epoch; 3,120 in all", "epoch at step 1,000: 3.2",
                 "reference model (beta > 0, float32)              14.77", "AdamW moments", "vLLM: cache for", "GPU-hours", "checkpoint: 236 GB"):  # fmt: skip
        assert line in text


def test_full_fine_tuning_takes_16_bytes_a_parameter() -> None:
    read = recipe.load(recipe.path_of("qwen3-14b", "grpo"), Grpo)
    states = memory.states(read, plan.SHAPES["Qwen/Qwen3-14B"])
    assert sum(states.values()) == pytest.approx(16 * 14.768 / 4)


@pytest.mark.parametrize("name", recipe.names())
def test_every_recipe_has_a_plan_that_fits_what_it_is_written_for(name: str) -> None:
    assert "memory a device" in plan.text(name)


def test_a_plan_that_cannot_fit_names_the_setting() -> None:
    with pytest.raises(InputError, match=r"needs 8\d\.\d GB a device and there are 80: set optimizer=adamw_8bit"):
        plan.text("qwen3-14b/grpo", memory=80)
    assert "59.8 GB of 80" in plan.text("qwen3-14b/grpo", ["optimizer=adamw_8bit"], memory=80)
    with pytest.raises(InputError, match="tensor_parallel is 3"):
        plan.text("qwen3-14b/grpo", ["rollouts.tensor_parallel=3"])
    with pytest.raises(InputError, match="leaves vLLM no cache"):
        plan.text("qwen3-14b/grpo", ["rollouts.memory=0.04"])
    with pytest.raises(InputError, match="does not divide"):
        plan.text("qwen3-14b/grpo", ["generations=7"])


def test_eight_devices_keep_the_mission_batch() -> None:
    assert "= 16\n" in plan.text("qwen3-14b/grpo", ["devices=8", "accumulation=8"])


def test_hardware_decides_the_recipe_and_says_why() -> None:
    assert hardware.choose([]) == ("tiny-cpu", "no GPU was found")
    assert [hardware.choose([gb] * n).recipe for gb, n in ((24, 1), (85, 1), (85, 4), (12, 2))] == [
        "qwen3-0.6b",
        "qwen3-14b-lora",
        "qwen3-14b",
        "tiny-cpu",
    ]
    assert "adamw_8bit" in hardware.choose([85] * 4).why
    assert "adamw_8bit" not in hardware.choose([151] * 4).why
