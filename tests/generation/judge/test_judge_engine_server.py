"""A real vLLM server process: killed, restarted, lost, misnamed, too short, and behind a proxy that goes wrong.

No verdict may be lost or invented: the table at the end is that of an undisturbed run.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from flaky_server import flaky
from real_engine import GREEDY, ODD_OPTIONS, config, judge_there, said
from scripted_judges import World

from generation.judge import judge
from generation.judge.ask import asks, read
from generation.judge.engine import Engine
from generation.judge.local import LocalServer
from generation.judge.server import Server
from kg.errors import InputError, ShortfallError

pytestmark = pytest.mark.vllm


def wait_for_a_shard(questions: Path) -> None:
    while not list(questions.rglob("shard-*.parquet")):
        time.sleep(0.02)


# --- through a server -----------------------------------------------------------------------------------


def test_the_server_gives_the_verdicts_of_the_engine(
    questions: Path, graph_folder: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    judge(config(questions, graph_folder, judge_there(server)))
    assert said(questions) == undisturbed


def test_a_wrong_model_name_names_what_is_served(questions: Path, graph_folder: Path, server: LocalServer) -> None:
    with pytest.raises(InputError, match="does not serve 'tiny-qwen'; did you mean 'tiny-qwen3'"):
        judge(config(questions, graph_folder, judge_there(server, model="tiny-qwen")))


def test_a_context_that_is_too_short_is_reported_item_by_item(world: World, server: LocalServer) -> None:
    backend = Server(judge_there(server))
    long = world.seen[0]._replace(reasoning="word " * 6000)
    answers = backend.answer(list(asks(long, GREEDY, 0)), 0)
    backend.close()
    assert [answer.failed for answer in answers] == [""] * (len(answers) - 1) + ["does not fit"]


def test_a_killed_server_that_comes_back_loses_no_verdict(
    questions: Path, graph_folder: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    """Killed with -9 in mid-run and started again on its port while the run goes on."""

    def kill_and_restart() -> None:
        wait_for_a_shard(questions)
        server.stop(signal.SIGKILL)
        server.start()

    nurse = threading.Thread(target=kill_and_restart)
    nurse.start()
    judge(config(questions, graph_folder, judge_there(server, patience=300.0), batch=2))
    nurse.join()
    assert said(questions) == undisturbed


def test_a_killed_server_that_stays_away_ends_the_run_with_what_was_judged(
    questions: Path, graph_folder: Path, model: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    def kill() -> None:
        wait_for_a_shard(questions)
        server.stop(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ShortfallError, match="start the server and run the same command again"):
        judge(config(questions, graph_folder, judge_there(server, patience=2.0), batch=2))
    killer.join()
    server.start()
    outcome = judge(config(questions, graph_folder, judge_there(server), batch=2))
    assert 0 < sum(outcome.asked.values()) < 20
    assert said(questions) == undisturbed


# --- killed with -9 -------------------------------------------------------------------------------------

RUN = """
import sys
from generation.judge import Asking, Bar, Config, Judge, judge
from pathlib import Path, PosixPath
judge({config!r})
"""


def test_killed_at_ten_random_moments_the_table_is_that_of_an_undisturbed_run(
    questions: Path, graph_folder: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    """Each life ends with -9 after a random number of the 13 requests an item, and a little later: ten are too few to finish."""
    dice, judged = random.Random(0), [0]
    with flaky(upstream=server.url, model=server.name) as proxy:
        one = judge_there(server, urls=[proxy.url], parallel=1)
        script = RUN.format(config=config(questions, graph_folder, one, batch=1))
        for _ in range(10):
            end = proxy.count + dice.randint(1, 39)
            process = subprocess.Popen([sys.executable, "-c", script])
            while proxy.count < end:
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(dice.uniform(0.0, 0.05))
            process.kill()
            assert process.wait() == -signal.SIGKILL
            judged.append(len(list(questions.rglob("shard-*.parquet"))))
    assert judged == sorted(judged)
    assert 5 <= judged[-1] < 20
    outcome = judge(config(questions, graph_folder, judge_there(server)))
    assert sum(outcome.asked.values()) == 20 - judged[-1]
    assert said(questions) == undisturbed


def test_faults_in_front_of_a_real_server_change_no_verdict(
    questions: Path,
    graph_folder: Path,
    server: LocalServer,
    undisturbed: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bursts of 429 and 503, a proxy's HTML, lost, broken, cut and endless replies among real ones."""
    monkeypatch.setattr("generation.judge.server._FIRST_WAIT", 0.02)
    singles = {5: "never", 9: "html", 40: "reset", 45: "500", 50: "cut", 55: "drip", 60: "html"}

    def fault(number: int) -> str:
        return "429" if 15 <= number < 35 else "503" if 70 <= number < 90 else singles.get(number, "")

    with flaky(fault, server.url, server.name) as proxy:
        judge(config(questions, graph_folder, judge_there(server, urls=[proxy.url], tries=8, timeout=8.0)))
    assert proxy.count > 260
    assert said(questions) == undisturbed


def test_a_real_server_that_hangs_and_goes_on_changes_no_verdict(
    questions: Path, graph_folder: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    """Its processes are stopped in mid-run for longer than a reply may take."""

    def hang() -> None:
        wait_for_a_shard(questions)
        server.send(signal.SIGSTOP)
        time.sleep(4.0)
        server.send(signal.SIGCONT)

    nurse = threading.Thread(target=hang)
    nurse.start()
    judge(config(questions, graph_folder, judge_there(server, timeout=2.0, tries=20), batch=2)).check()
    nurse.join()
    assert said(questions) == undisturbed


def test_texts_that_give_orders_or_look_like_the_schema_change_nothing_through_a_server(
    world: World, server: LocalServer, engine: Engine
) -> None:
    odd = world.seen[0]._replace(options=ODD_OPTIONS)
    wanted = list(asks(odd, GREEDY, 0))
    backend = Server(judge_there(server))
    there, here = backend.answer(wanted, 0), engine.answer(wanted, 0)
    backend.close()
    assert all(read(ask, answer.text) is not None for ask, answer in zip(wanted, there, strict=True))
    assert [(answer.text, answer.tokens_in) for answer in there] == [(answer.text, answer.tokens_in) for answer in here]
