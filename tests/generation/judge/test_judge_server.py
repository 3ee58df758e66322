"""The HTTP backend against a server that goes wrong: nothing lost, nothing invented, and an end in bounded time."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import pytest
from flaky_server import flaky
from scripted_judges import World
from test_judge_ask import ITEM

from generation.judge import Asking, Config, Judge, judge
from generation.judge.ask import asks
from generation.judge.local import free_port
from generation.judge.server import Server
from generation.judge.verdict import VERDICT
from kg.errors import InputError, ShortfallError
from kg.store import read_rows

ASKING = Asking(samples=2)


def client(url: str, **changes: object) -> Judge:
    plain = Judge(model="a-model", backend="server", urls=[url], parallel=8, timeout=5.0, patience=3.0)
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def run(questions: Path, graph: Path, one: Judge) -> list[dict[str, object]]:
    settings = Config(questions, graph, ["test"], [one], ASKING, batch=5, fill="never")
    judge(settings).check()
    return rows(questions)


def rows(questions: Path) -> list[dict[str, object]]:
    kept = read_rows(questions / "verdicts.parquet", VERDICT)
    return [
        {name: row[name] for name in ("item_id", "verdict", "why", "own_answers", "also_right", "passes")}
        for row in kept
    ]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same waits, a tenth as long."""
    monkeypatch.setattr("generation.judge.server._FIRST_WAIT", 0.025)
    monkeypatch.setattr("generation.judge.server._LONGEST_WAIT", 1.5)


@pytest.fixture(scope="session")
def quiet(world: World, graph_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The verdicts of a run in which nothing goes wrong."""
    from generation.item import ITEM as COLUMNS
    from kg.store import write_table

    folder = tmp_path_factory.mktemp("quiet")
    write_table(folder / "test.parquet", world.rows[48:68], COLUMNS, {})
    with flaky() as server:
        return run(folder, graph_folder, client(server.url))


BURSTS = {
    "429": lambda number: "429" if 20 <= number < 40 else "",
    "503": lambda number: "503" if number % 3 == 0 else "",
    "502 and 504": lambda number: ("502", "504", "", "", "", "")[number % 6],
    "html": lambda number: "html" if number % 7 == 0 else "",
    "500": lambda number: "500" if number % 5 == 0 else "",
    "reset": lambda number: "reset" if number % 4 == 0 else "",
    "cut": lambda number: "cut" if number % 9 == 0 else "",
}


@pytest.mark.parametrize("name", BURSTS)
def test_after_a_burst_the_verdicts_are_those_of_a_quiet_run(
    name: str, questions: Path, graph_folder: Path, quiet: list[dict[str, object]]
) -> None:
    with flaky(BURSTS[name]) as server:
        assert run(questions, graph_folder, client(server.url, patience=30.0, tries=8)) == quiet


@pytest.mark.parametrize("fault", ["never", "drip"])
def test_a_reply_that_takes_for_ever_is_given_up_and_asked_again(
    fault: str, questions: Path, graph_folder: Path, quiet: list[dict[str, object]]
) -> None:
    with flaky(lambda number: fault if number in (3, 50) else "") as server:
        assert run(questions, graph_folder, client(server.url, timeout=0.7)) == quiet


def test_a_request_that_never_gets_a_reply_leaves_its_item_unjudged(
    world: World, questions: Path, graph_folder: Path
) -> None:
    with (
        flaky(lambda number: "html" if number >= 60 else "") as server,
        pytest.raises(ShortfallError, match="no JSON reply"),
    ):
        run(questions, graph_folder, client(server.url, tries=2))
    with flaky() as server:
        assert len(run(questions, graph_folder, client(server.url))) == 20


def test_some_failed_requests_are_counted_and_the_rest_is_judged(questions: Path, graph_folder: Path) -> None:
    late = client("", timeout=0.5, tries=1)
    with (
        flaky(lambda number: "never" if number == 0 else "") as server,
        pytest.raises(ShortfallError, match="1 items were not judged"),
    ):
        run(questions, graph_folder, dataclasses.replace(late, urls=[server.url]))
    assert len(rows(questions)) == 19


def test_a_server_that_is_not_there_ends_in_words_within_its_patience(questions: Path, graph_folder: Path) -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=r"no server answers; .*start one, or give other urls"):
        run(questions, graph_folder, client(f"http://127.0.0.1:{free_port()}/v1", patience=1.0))
    assert time.monotonic() - began < 20


def test_a_server_that_stays_busy_ends_in_a_shortfall_within_its_patience(questions: Path, graph_folder: Path) -> None:
    began = time.monotonic()
    with (
        flaky(lambda number: "503") as server,
        pytest.raises(ShortfallError, match="HTTP 503; what was judged is kept"),
    ):
        run(questions, graph_folder, client(server.url, patience=1.0))
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("401", "environment variable OPENAI_API_KEY"),
        ("404", "the name under which"),
        ("400", "change the judge's settings"),
    ],
)
def test_what_waiting_cannot_mend_ends_at_once(status: str, said: str, questions: Path, graph_folder: Path) -> None:
    with flaky(lambda number: status) as server, pytest.raises(InputError, match=said):
        run(questions, graph_folder, client(server.url))


def test_a_wrong_model_name_is_known_before_anything_is_asked(questions: Path, graph_folder: Path) -> None:
    with flaky() as server:
        with pytest.raises(InputError, match="does not serve 'a-modell'; did you mean 'a-model'"):
            run(questions, graph_folder, client(server.url, model="a-modell"))
        assert server.count == 0


def test_requests_are_spread_over_replicas_and_a_dead_one_is_avoided(
    questions: Path, graph_folder: Path, quiet: list[dict[str, object]]
) -> None:
    with flaky() as one, flaky() as two:
        dead = f"http://127.0.0.1:{free_port()}/v1"
        assert run(questions, graph_folder, client("", urls=[dead, one.url, two.url], patience=30.0)) == quiet
        assert one.count > 50
        assert two.count > 50


def test_the_constraint_goes_out_as_vllm_reads_it_today() -> None:
    """`guided_choice` is ignored without a word by vLLM since 0.12."""
    with flaky() as server:
        backend = Server(client(server.url))
        backend.answer(list(asks(ITEM, Asking(samples=1, rotations=1), 0)), 0)
        backend.close()
    said = [one["structured_outputs"] for one in server.seen]
    assert {"choice": ["A", "B", "C", "D", "none"]} in said
    assert any("json" in one for one in said)
    assert all(one["chat_template_kwargs"] == {"enable_thinking": False} for one in server.seen)


def test_the_key_comes_from_the_environment_and_is_never_said(
    questions: Path, graph_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    with flaky() as server:
        run(questions, graph_folder, client(server.url, key_variable="MY_KEY"))
    assert set(server.keys) == {"Bearer s3cret"}
    with flaky(lambda number: "401") as server, pytest.raises(InputError) as caught:
        run(questions, graph_folder, client(server.url, key_variable="MY_KEY", seed=1))
    shown = capsys.readouterr()
    kept = b"".join(file.read_bytes() for file in questions.rglob("*") if file.is_file())
    assert "s3cret" not in f"{shown}{caught.value}"
    assert b"s3cret" not in kept


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://host/v1", "http://user:word@host/v1", ""])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="urls"):
        Server(client(url))
