"""The process of one job: it runs commands of ``echelon``, tells how far they are, and ends.

It is started before there is a job, so that what is heavy has been imported by then.  The job is
the first line of standard input, which stays open: its end means that the server is gone, however
that came about, and then this process removes the folder of the session and ends, too.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from queue import Queue
from threading import Lock, Thread
from time import monotonic
from typing import Any

from echelon.cli import main
from echelon.cli._terminal import followed

HEAVY = ("echelon.cli._app", "echelon.cli._commands", "echelon.report", "jinja2", "numba",
         "sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection")  # fmt: skip
"""What nearly every job imports."""

SELDOM = 0.1
"""Seconds between two messages about the same thing."""


def run(session: str) -> None:
    """Wait for a job, do it, and end.

    Parameters
    ----------
    session : str
        The folder that is removed if the server ends.
    """
    channel = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print is no message
    jobs: Queue[bytes] = Queue()
    Thread(target=_listen, args=(session, jobs), daemon=True).start()
    for name in HEAVY:
        import_module(name)
    job = json.loads(jobs.get())
    os.chdir(job["folder"])
    lock = Lock()

    def tell(**message: Any) -> None:
        with lock:
            channel.write(json.dumps(message) + "\n")
            channel.flush()

    for arguments in job["commands"]:
        done = _done(arguments, tell)
        tell(**done)
        if done["code"]:
            break


def _done(arguments: list[str], tell: Callable[..., None]) -> dict[str, Any]:
    """What a command printed, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), followed(_Seldom(tell)):
        code = main(arguments)
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


class _Seldom:
    """Passes on how far a command has come, a few times per second at most."""

    def __init__(self, tell: Callable[..., None]):
        self._tell = tell
        self._words, self._told = "", 0.0

    def __call__(self, doing: str, done: float, expected: int) -> None:
        if doing != self._words or monotonic() - self._told > SELDOM or done == expected:
            self._words, self._told = doing, monotonic()
            self._tell(doing=doing, done=done, expected=expected)


def _listen(session: str, jobs: Queue[bytes]) -> None:
    """Pass the job on, and wait for the end of standard input."""
    jobs.put(sys.stdin.buffer.readline())
    while sys.stdin.buffer.readline():
        pass
    _leave(session)


def _leave(session: str) -> None:
    """Nobody is there any more: remove the files, and end with all processes of this job."""
    shutil.rmtree(session, ignore_errors=True)
    os.killpg(os.getpid(), signal.SIGKILL)  # which leads its group: see _jobs


if __name__ == "__main__":
    run(sys.argv[1])
