"""Work shared out over processes; results come in order, so they do not depend on how many there are.

Workers are forked: they see whatever the calling module holds at that moment, and nothing is sent to them but spans.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from tqdm import tqdm

Result = TypeVar("Result")
Span = tuple[int, int]
CHUNK = 400


def spread(
    work: Callable[[Span], Result], size: int, workers: int, name: str, chunk: int | None = None, unit: str = "item"
) -> Iterator[Result]:
    """Results of `work` over spans of `size`, in order, with a progress bar.

    Args:
        work: a function of a module (it goes to other processes by name).
        workers: processes; 1 works in this one.
        chunk: length of a span (CHUNK by default).
    """
    chunk = chunk or CHUNK
    spans = [(start, min(start + chunk, size)) for start in range(0, size, chunk)]
    with tqdm(total=size, desc=name, unit=unit, delay=2, disable=None) as bar:
        if workers <= 1:
            for span in spans:
                yield work(span)
                bar.update(span[1] - span[0])
            return
        with ProcessPoolExecutor(workers, mp_context=get_context("fork"), initializer=_end_with_parent) as pool:
            for span, result in zip(spans, pool.map(work, spans), strict=True):
                bar.update(span[1] - span[0])
                yield result


def _end_with_parent() -> None:
    """A worker ends when the run does, even if that was killed."""
    parent = parent_process()
    if parent is not None:
        Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def cpus() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
