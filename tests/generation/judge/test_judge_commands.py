"""The command line: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from flaky_server import flaky
from scripted_judges import World

from generation.__main__ import COMMANDS
from generation.judge import label
from kg.command import run


def main(arguments: list[str]) -> int:
    """A command line, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["generation", *arguments])
        return run(COMMANDS, "generation")


def judges(url: str, model: str = "a-model") -> str:
    return f"[{{model: {model}, backend: server, urls: ['{url}'], patience: 2}}]"


def test_run_prints_the_table_and_a_second_run_asks_nothing(
    questions: Path, graph_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with flaky() as server:
        arguments = [
            "judge",
            "--questions",
            str(questions),
            "--graph",
            str(graph_folder),
            "--judges",
            judges(server.url),
            "--asking.samples",
            "1",
            "--fill",
            "never",
        ]
        assert main(arguments) == 0
        first, asked = capsys.readouterr().out, server.count
        assert main(arguments) == 0
        assert server.count == asked
    assert first.startswith("split  items  accept  reject  abstain  closed book")
    assert "a-model: asked 0 items in this run" in capsys.readouterr().out
    assert label(questions).startswith("proved, not judged (")


def test_a_judge_at_chance_cannot_replace_the_grpo_split(
    questions: Path, graph_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (questions / "grpo.parquet").read_bytes()
    folders = ["--questions", str(questions), "--graph", str(graph_folder)]
    with flaky() as server:
        assert main(["judge", *folders, "--judges", judges(server.url)]) == 4
    shown = capsys.readouterr()
    assert (questions / "grpo.parquet").read_bytes() == before
    assert "grpo: NOT FILLED" in shown.out
    assert "the grpo split was not filled: a judge that is not validated replaces nothing" in shown.err


def test_a_report_of_a_judge_that_guesses_ends_with_code_4(
    questions: Path, graph_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with flaky() as server:
        arguments = [
            "judge-report",
            "--questions",
            str(questions),
            "--graph",
            str(graph_folder),
            "--judges",
            judges(server.url),
            "--split",
            "sft",
        ]
        assert main([*arguments, "--planted", "2", "--good", "5", "--asking.samples", "0"]) == 4
    shown = capsys.readouterr()
    assert "Report card of a-model (server, bfloat16)" in shown.out
    assert "NOT validated" in shown.out
    assert shown.err.splitlines()[-1].startswith("generation: not validated: a-model")


def test_merge_takes_a_csv_file_in(
    world: World, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.csv").write_text(f"item_id,verdict,comment\n{world.rows[0]['item_id']},reject,no\n")
    assert main(["reviews", str(tmp_path / "r.csv"), "--questions", str(questions)]) == 0
    assert capsys.readouterr().out == "1 reviews read, 0 replaced an earlier one, 1 in all\n"
    assert main(["reviews", str(tmp_path / "none.csv"), "--questions", str(questions)]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["judge"], "no judge was given"),
        (["judge", "--judges", "[{backend: engine}]"], "a judge has no model"),
        (["judge", "--judges", "[{model: m, backend: server}]"], "needs urls"),
        (["judge", "--judges", "[{model: m}, {model: m}]"], "give another seed"),
        (["judge", "--judges", "[{model: m}]", "--splits", "[tset]"], "'tset' is no split"),
        (["judge", "--judges", "[{model: m}]", "--asking.fatal", "[trivia]"], "'trivia' is no flaw"),
        (["judge", "--judges", "[{model: m}]", "--questions", "/nowhere", "--graph", "/nowhere"], "/nowhere"),
        (["judge", "--judges", "[{model: m}]", "--bar.alarms", "10"], "--bar.alarms: 10 is no share"),
        (["judge-report", "--judges", "[{model: m}]", "--planted", "0"], "at least 1"),
    ],
)
def test_bad_settings_end_with_code_2_and_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--asking.sample", "3", "asking.sample"), ("--fill", "allways", "'validated', 'always', 'never'")],
)
def test_an_unknown_key_or_word_is_refused(
    option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["judge", option, value])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
