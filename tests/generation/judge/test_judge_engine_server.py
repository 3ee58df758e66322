"""A real vLLM server process: killed, restarted, lost, misnamed, too short, and behind a proxy that goes wrong.

No verdict may be lost or invented: the table at the end is that of an undisturbed run. The whole file skips where vLLM is not
installed.
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
from real_engine import GREEDY, config, judge_there, said
from scripted_judges import World

from generation.judge import judge
from generation.judge.ask import asks
from generation.judge.local import LocalServer
from kg.errors import InputError, ShortfallError

vllm = pytest.importorskip(
    "vllm", reason="vLLM is not installed (pip install 'neuro-si[judge]' or 'neuro-si[judge-cpu]')"
)
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.engine]


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
    from generation.judge.server import Server

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
        while not list(questions.rglob("shard-*.parquet")):
            time.sleep(0.05)
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
        while not list(questions.rglob("shard-*.parquet")):
            time.sleep(0.05)
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
from pathlib import Path
from generation.judge import Asking, Config, Judge, judge
if __name__ == "__main__":
    judge(Config(questions=Path({questions!r}), graph=Path({graph!r}), splits=["test"], judges=[{judge!r}], asking={asking!r}, batch=2, fill=False))
"""


def test_killed_at_ten_random_moments_the_table_is_that_of_an_undisturbed_run(
    questions: Path, graph_folder: Path, server: LocalServer, undisturbed: list[dict[str, object]]
) -> None:
    script = RUN.format(
        questions=str(questions), graph=str(graph_folder), judge=judge_there(server, parallel=4), asking=GREEDY
    )
    dice, kills = random.Random(0), 0
    for _ in range(40):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(list(questions.rglob("shard-*.parquet")))
        while (
            process.poll() is None
            and len(list(questions.rglob("shard-*.parquet"))) == before
            and not (questions / "verdicts.parquet").exists()
        ):
            time.sleep(0.01)
        time.sleep(dice.uniform(0.0, 0.3))
        if kills < 10 and process.poll() is None:
            process.kill()
            kills += 1
        if process.wait() == 0:
            break
    judge(config(questions, graph_folder, judge_there(server)))
    assert said(questions) == undisturbed
    assert kills >= 5, f"only {kills} kills came in time"


def test_faults_in_front_of_a_real_server_change_no_verdict(
    questions: Path,
    graph_folder: Path,
    server: LocalServer,
    undisturbed: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Busy, broken, cut, HTML and lost replies among real ones."""
    from flaky_server import flaky

    monkeypatch.setattr("generation.judge.server._FIRST_WAIT", 0.02)
    kinds = ("429", "", "", "html", "", "503", "", "", "reset", "", "500", "", "cut", "", "", "")
    with flaky(lambda number: kinds[number % len(kinds)], server.url, server.name) as proxy:
        judge(config(questions, graph_folder, judge_there(server, urls=[proxy.url], tries=8)))
    assert said(questions) == undisturbed
