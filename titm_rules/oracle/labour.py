"""Long work in parts: who does it, and how what is done is kept."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.files import open_file, read_sealed, replace_file, sealed

BACKENDS = ("loky", "multiprocessing", "threading", "sequential", "dask", "ray")
BATCHED, BATCH = ("ray",), 16  # backends of joblib that give nothing back before all is done
Json = dict[str, Any]
Done = TypeVar("Done")


def shared_out(work: Callable[..., Done], calls: Sequence[tuple[Any, ...]], jobs: int, backend: str) -> Iterable[Done]:
    """Do calls side by side and yield what they give, in any order.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    from joblib import Parallel, delayed, parallel_config

    _connect(backend)
    task, boss = delayed(_work_for), os.getpid()
    with parallel_config(backend=backend, n_jobs=jobs):
        if backend not in BATCHED:
            yield from Parallel(return_as="generator_unordered")(task(boss, work, call) for call in calls)
            return
        for start in range(0, len(calls), BATCH):
            yield from Parallel()(task(boss, work, call) for call in calls[start : start + BATCH])


def _work_for(boss: int, work: Callable[..., Done], call: tuple[Any, ...]) -> Done:
    _end_with(boss)
    return work(*call)


@lru_cache(maxsize=1)
def _end_with(boss: int) -> None:
    """Let a worker end when the process that started it has ended, however that came to pass."""
    if os.name != "posix" or os.getppid() != boss:
        return

    def watch() -> None:
        while os.getppid() == boss:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _connect(backend: str) -> None:
    """Make a backend known that is not joblib's own."""
    if backend not in BACKENDS:
        raise InputError([Fault(f"unknown backend `{backend}`", "--backend", "", did_you_mean(backend, BACKENDS))])
    try:
        if backend == "dask":
            from distributed import Client

            Client()
        elif backend == "ray":
            from ray.util.joblib import register_ray

            register_ray()
    except ImportError as error:
        fix = f"pip install 'titm_rules[{backend}]', or leave --backend out"
        raise InputError([Fault(f"backend `{backend}` is not installed", "--backend", str(error), fix)]) from None


def write_part(path: Path, rows: Sequence[Json]) -> None:
    """Write the rows of a part, all or nothing, after a line with their digest."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    replace_file(path, sealed(text.encode("utf-8")))


def read_part(path: Path) -> list[Json] | None:
    """Read the rows of a part; nothing if it is not there, or not as it was written."""
    try:
        with open_file(path, "part") as file:
            data = read_sealed(file)
    except (OSError, InputError):
        return None
    return None if data is None else [json.loads(line) for line in data.decode("utf-8").split("\n")[:-1]]
