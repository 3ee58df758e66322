"""Judging over HTTP: any OpenAI-compatible endpoint, or several replicas of one (`vllm serve` on several GPUs or machines).

A machine that only asks needs neither torch nor vllm. One thread a request in flight. A request goes to the replica with the
fewest in flight, those that were away last of all.

What can go wrong, and what becomes of it (all waits grow, are bounded, and have jitter):

  refused, reset, 429, 502, 503, 504   wait and go on, until `patience` has passed without any reply: ShortfallError
  late (`timeout`, a reply that drips counts too), 500, HTML or other non-JSON   again, `tries` times; then the item is not judged
  400 with the context's length        the item does not fit: not judged, and reported
  401, 403, 404, other 400             InputError, at once

What is not judged is never a verdict; the next run asks it again.
"""

from __future__ import annotations

import json
import queue
import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

from generation.judge.answer import DOES_NOT_FIT, Answer
from generation.judge.ask import Ask
from generation.judge.config import Judge
from generation.judge.connections import AwayError, Connections, LateError, Response, checked
from kg.errors import InputError, ShortfallError, nearest

_BUSY = frozenset((429, 502, 503, 504))
_TOO_LONG = ("context length", "maximum model length", "max_model_len", "too long", "longer than")
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 15.0


class _OddError(Exception):
    """A reply that is no JSON."""


class Server:
    """The `server` backend. Opening it makes sure that the model is served there."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.urls = [checked(url) for url in judge.urls]
        self._connections = Connections(self.urls, judge.key_variable, judge.timeout)
        self._busy = dict.fromkeys(self.urls, 0)
        self._rests_until = dict.fromkeys(self.urls, 0.0)
        self._lock = threading.Lock()
        self._last_reply = time.monotonic()
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(judge.parallel, thread_name_prefix="judge")
        try:
            self._preflight()
        except BaseException:
            self.close()
            raise

    def answer(self, asks: Sequence[Ask], attempt: int) -> list[Answer]:
        """See `Backend.answer`."""
        self._last_reply = time.monotonic()
        futures = [self._pool.submit(self._one, ask, attempt) for ask in asks]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        failed = next((future for future in done if future.exception()), None)
        if failed:
            self._stop.set()
            for future in futures:
                future.cancel()
            failed.result()
        answers = [future.result() for future in futures]
        odd = sum(bool(a.failed) and a.failed != DOES_NOT_FIT for a in answers)
        if answers and odd == len(answers):
            raise ShortfallError(
                f"judge {self.judge.name}: no request of {odd} got a reply ({answers[0].failed}); look at the server"
            )
        return answers

    def letter_logprobs(self, asks: Sequence[Ask], token_ids: Sequence[int]) -> list[list[float]]:
        """As `Engine.letter_logprobs`, from a vLLM server."""
        found = []
        for ask in asks:
            payload = self._payload(ask, 0) | {"max_tokens": 1, "logprobs": True, "return_tokens_as_token_ids": True}
            del payload["structured_outputs"]
            body = json.dumps(payload | {"logprob_token_ids": list(token_ids)}).encode()
            response = self._connections.send(self.urls[0], "/chat/completions", body)
            top = json.loads(response.body)["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            said = {entry["token"]: float(entry["logprob"]) for entry in top}
            found.append([said[f"token_id:{token}"] for token in token_ids])
        return found

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._connections.close()

    # --- one request ----------------------------------------------------------------------------------

    def _one(self, ask: Ask, attempt: int) -> Answer:
        body = json.dumps(self._payload(ask, attempt)).encode()
        dice = random.Random(f"{ask.item_id}{ask.kind}{ask.place}{ask.sample}")
        odd = away = 0
        while not self._stop.is_set():
            url = self._take()
            try:
                return self._read(url, self._connections.send(url, "/chat/completions", body))
            except (_OddError, LateError) as error:
                odd += 1
                if odd >= self.judge.tries:
                    return Answer(failed=str(error))
                pause = min(_LONGEST_WAIT, _FIRST_WAIT * 2**odd)
            except AwayError as error:
                away += 1
                self._patient(url, str(error))
                pause = max(error.after, min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(away, 8)))
                self._rests_until[url] = time.monotonic() + pause
            finally:
                self._give_back(url)
            self._stop.wait(pause * dice.uniform(0.5, 1.5))
        return Answer(failed="stopped")

    def _payload(self, ask: Ask, attempt: int) -> dict[str, Any]:
        allowed = {"json": ask.schema} if ask.schema else {"choice": list(ask.choices)}
        return {
            "model": self.judge.model,
            "messages": ask.messages,
            "temperature": ask.temperature,
            **({"seed": ask.seed} if ask.temperature else {}),
            "max_tokens": ask.budget(attempt),
            "structured_outputs": allowed,
            "chat_template_kwargs": self.judge.template,
        }

    def _read(self, url: str, response: Response) -> Answer:
        status, headers, body = response
        if status in _BUSY:
            raise AwayError(f"{url}: HTTP {status}", _seconds(headers.get("Retry-After")))
        text = body.decode("utf-8", "replace")
        if status == 400 and any(words in text for words in _TOO_LONG):
            self._last_reply = time.monotonic()
            return Answer(failed=DOES_NOT_FIT)
        if 400 <= status < 500 and status != 408:
            raise InputError(
                f"judge {self.judge.name}: {url} answered HTTP {status}: {text[:300]}; {self._remedy(status)}"
            )
        try:
            reply = json.loads(text)
            choice, usage = reply["choices"][0], reply.get("usage") or {}
            content = choice["message"]["content"] or ""
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise _OddError(f"no JSON reply (HTTP {status})") from error
        self._last_reply = time.monotonic()
        counts = (int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
        return Answer(str(content), str(choice.get("finish_reason") or ""), *counts)

    def _remedy(self, status: int) -> str:
        if status in (401, 403):
            return f"put the right key into the environment variable {self.judge.key_variable}"
        return (
            "give --judges.model the name under which the server serves it"
            if status == 404
            else "change the judge's settings"
        )

    def _patient(self, url: str, said: str) -> None:
        silent = time.monotonic() - self._last_reply
        if silent > self.judge.patience:
            raise ShortfallError(
                f"judge {self.judge.name}: no reply for {silent:.0f} s, last from {url}: {said}; what was judged is kept: start the server "
                "and run the same command again"
            )

    # --- replicas -------------------------------------------------------------------------------------

    def _take(self) -> str:
        with self._lock:
            now = time.monotonic()
            url = min(self.urls, key=lambda url: (self._rests_until[url] > now, self._busy[url]))
            self._busy[url] += 1
            return url

    def _give_back(self, url: str) -> None:
        with self._lock:
            self._busy[url] -= 1

    # --- before the run -------------------------------------------------------------------------------

    def _preflight(self) -> None:
        """One replica must answer within the patience, and serve the model."""
        faults: queue.SimpleQueue[str] = queue.SimpleQueue()
        wait_for, began = _FIRST_WAIT, time.monotonic()
        while True:
            for url in self.urls:
                try:
                    return self._served(url, self._connections.send(url, "/models", None))
                except (_OddError, LateError, AwayError) as error:
                    faults.put(f"{url}: {error}")
            if time.monotonic() - began > self.judge.patience:
                raise InputError(
                    f"judge {self.judge.name}: no server answers; {faults.get()}; start one, or give other urls"
                )
            time.sleep(min(wait_for, _LONGEST_WAIT) * random.uniform(0.5, 1.5))
            wait_for *= 2

    def _served(self, url: str, response: Response) -> None:
        status, _, body = response
        if status in _BUSY:
            raise AwayError(f"HTTP {status}")
        if status in (401, 403):
            raise InputError(f"judge {self.judge.name}: {url} answered HTTP {status}; {self._remedy(status)}")
        try:
            names = [str(model["id"]) for model in json.loads(body)["data"]]
        except (ValueError, KeyError, TypeError) as error:
            raise _OddError(f"no JSON list of models (HTTP {status})") from error
        if self.judge.model not in names:
            raise InputError(
                f"judge {self.judge.name}: {url} does not serve {self.judge.model!r}; {nearest(self.judge.model, names)}"
            )


def _seconds(text: str | None) -> float:
    try:
        return min(max(0.0, float(text or 0)), 60.0)
    except ValueError:
        return 0.0
