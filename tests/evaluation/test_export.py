"""Questions in other programs' forms, and the same replies scored alike by our evaluator and both harnesses."""

from __future__ import annotations

import json

import pytest

from evaluation.asking import asks
from evaluation.config import Asking, Engine, Model, Sampling
from evaluation.export import export
from evaluation.harness import answers
from evaluation.run import collect
from generation.prompt import SYSTEM_PROMPT, reply, user_turn
from kg.errors import InputError

outside = pytest.mark.filterwarnings("ignore")  # warnings of the harnesses are not ours
FEW = 24


def test_the_hugging_face_folder_loads_with_datasets(questions, items, tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    export("hugging-face", questions, tmp_path / "hf")
    loaded = datasets.load_dataset(str(tmp_path / "hf"), "neurobench", split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded["item_id"][:] == [item["item_id"] for item in items]
    assert loaded[0]["path"][0]["license"]
    card = (tmp_path / "hf" / "README.md").read_text()
    assert f"| neurobench | {len(items)} |" in card


def test_verl_lines_hold_prompt_and_ground_truth(questions, items, tmp_path):
    export("verl", questions, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "test.jsonl").read_text().splitlines()]
    assert len(rows) == len(items)
    assert rows[0]["reward_model"] == {"style": "rule", "ground_truth": items[0]["answer"]}
    assert [turn["role"] for turn in rows[0]["prompt"]] == ["system", "user"]
    assert rows[0]["prompt"][1]["content"] == user_turn(items[0]["question"], items[0]["options"])


def test_trl_lines_are_conversations(questions, items, tmp_path):
    export("trl-sft", questions, tmp_path / "sft")
    first = json.loads((tmp_path / "sft" / "test.jsonl").read_text().splitlines()[0])
    item = items[0]
    assert first["completion"][0]["content"] == reply(item["reasoning"], item["explanation"], item["answer"])
    export("trl-grpo", questions, tmp_path / "grpo")
    second = json.loads((tmp_path / "grpo" / "test.jsonl").read_text().splitlines()[0])
    assert second["prompt"][0]["content"] == SYSTEM_PROMPT
    assert second["answer"] == item["answer"]
    assert second["path"][0]["edge_id"] == item["path"][0]["edge_id"]


def test_an_unknown_form_is_named(questions):
    with pytest.raises(InputError, match="did you mean 'verl'"):
        export("verll", questions)


def test_the_filter_is_the_one_parser():
    assert answers([[reply("x", "y", "C")], ["A or B"]], None) == [["C"], ["none"]]


@pytest.fixture(scope="module")
def few(questions, tmp_path_factory):
    """A folder with a small test split."""
    from generation.files import read_items, write_split

    folder = tmp_path_factory.mktemp("few")
    write_split(folder / "test.parquet", read_items(questions / "test.parquet")[:FEW], {})
    return folder


def _ours(tiny, few, tmp_path, sampling):
    from generation.files import read_items

    items = read_items(few / "test.parquet")
    return collect(Model("tiny", str(tiny)), items, Asking(), Engine(dtype="float32"), sampling, tmp_path / "ours")


@outside
def test_lm_evaluation_harness_gives_the_same_replies_and_the_same_score(tiny, few, tmp_path):
    pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    greedy = Sampling(temperature=0.0, max_new_tokens=60)
    export("lm-eval", few, tmp_path / "task", greedy)
    model = HFLM(pretrained=str(tiny), dtype="float32", batch_size=4, device="cpu")
    found = simple_evaluate(
        model=model, tasks=["neurobench"], task_manager=TaskManager(include_path=str(tmp_path / "task"), include_defaults=False),
        apply_chat_template=True, log_samples=True, bootstrap_iters=0,
    )  # fmt: skip
    ours = _ours(tiny, few, tmp_path, greedy)
    theirs = {sample["doc"]["item_id"]: sample for sample in found["samples"]["neurobench"]}
    assert {row["item_id"]: row["reply"] for row in ours} == {key: one["resps"][0][0] for key, one in theirs.items()}
    assert found["results"]["neurobench"]["exact_match,answer_tag"] == sum(row["correct"] for row in ours) / FEW
    assert any(row["answer"] for row in ours)


@outside
def test_inspect_gives_the_same_replies_and_the_same_score(tiny, few, tmp_path):
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from evaluation.inspect_task import neurobench

    greedy = Sampling(temperature=0.0, top_p=1.0, repetition_penalty=1.0, max_new_tokens=60)
    model = get_model("hf/local", model_path=str(tiny), device="cpu", do_sample=False)
    task = neurobench(questions=str(few / "test.parquet"), temperature=0.0, max_new_tokens=60)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success", log.error
    ours = {f"{row['item_id']}-0": row for row in _ours(tiny, few, tmp_path, greedy)}
    theirs = {sample.id: sample for sample in log.samples}
    assert {key: row["reply"] for key, row in ours.items()} == {
        key: one.output.completion for key, one in theirs.items()
    }
    (score,) = log.results.scores
    assert score.metrics["accuracy"].value == pytest.approx(sum(row["correct"] for row in ours.values()) / FEW)
    assert all((one.scores["answer_tag"].value == "C") == ours[key]["correct"] for key, one in theirs.items())


def test_asks_of_a_rotation_are_what_inspect_is_shown(items):
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    from evaluation.inspect_task import samples

    shown = list(asks(items[:3], Asking(rotations=2)))
    found = samples(items[:3], 2)
    assert [(one.input, one.target) for one in found] == [(user_turn(a.question, a.options), a.answer) for a in shown]
