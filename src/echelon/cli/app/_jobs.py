"""Jobs of the page: commands of ``echelon``, each in a process of its own that can be ended.

A job that was ended, or that crashed, takes nothing else with it.  One process waits in advance, so
that a job begins at once.  Every process leads a group, which is ended as a whole.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Semaphore, Thread
from time import time
from typing import Any

from echelon.cli.app._asked import RUN, commands, outputs
from echelon.cli.app._files import File

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"

MOST_RUNS = 3
"""At a time; others wait."""

LOST = (
    "The process that worked on this ended unexpectedly, most likely for want of memory. Use fewer "
    "rows or columns."
)


class Job:
    """Commands on one file, how far they are, and what they said."""

    def __init__(self, kind: str, file: File, asked: Mapping[str, Any], folder: Path):
        self.id = secrets.token_hex(8)
        self.kind = kind
        self.name = file.name
        self.asked = dict(asked)
        self.commands = commands(kind, file.name, asked)
        self.folder = folder / self.id
        self.state = WAITING
        self.doing, self.done, self.expected = "", 0, 0
        self.began, self.ended = time(), 0.0
        self.said: list[str] = []
        self.error = ""
        self.result: dict[str, Any] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.folder.mkdir()
        _link(file.path, self.folder / file.name)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in (DONE, FAILED, CANCELLED)

    def as_dict(self) -> dict[str, Any]:
        """What the page knows of it."""
        keys = ("id", "kind", "name", "state", "doing", "done", "expected", "said", "error")
        known = {key: getattr(self, key) for key in keys}
        known["target"] = self.asked.get("target", "")
        known["seconds"] = (self.ended or time()) - self.began
        known["files"] = [what for what in outputs(self.name) if self.output(what)]
        return known | ({"answer": self.result.get("answer", "")} if self.kind == RUN else {})

    def output(self, what: str) -> Path | None:
        """A file that the job has written."""
        name = outputs(self.name).get(what) if self.kind == RUN else None
        path = self.folder / name if name else None
        return path if path is not None and path.is_file() else None

    def finished(self, place: int, end: Mapping[str, Any]) -> None:
        """A command has ended."""
        lines = [line.removeprefix("echelon: ") for line in end["err"].splitlines()]
        if end["code"]:
            error = lines.pop() if lines else LOST
            if place == 0:
                self.error = error
            else:  # the answer is there all the same
                lines.append(error)
        self.said += lines
        if place == 0 and not end["code"]:
            found = json.loads(end["out"])
            self.result = {"answer": found["words"]["answer"]} if self.kind == RUN else found


def _link(path: Path, other: Path) -> None:
    try:
        os.link(path, other)
    except OSError:  # a file system without links
        shutil.copyfile(path, other)


class Jobs:
    """All jobs of the session.

    Parameters
    ----------
    session : Path
        The folder of the session; jobs get a folder each in it.
    """

    def __init__(self, session: Path):
        self._session = session
        self._folder = session / "jobs"
        self._folder.mkdir()
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._room = Semaphore(MOST_RUNS)
        self._closed = False
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._spare: subprocess.Popen[bytes] | None = None
        self._prepare()

    def start(self, kind: str, file: File, asked: Mapping[str, Any]) -> Job:
        """Begin a job on a file."""
        job = Job(kind, file, asked, self._folder)
        self._jobs[job.id] = job
        Thread(target=self._work, args=(job,), daemon=True).start()
        return job

    def get(self, name: str) -> Job | None:
        """The job of that id."""
        return self._jobs.get(name)

    def all(self) -> list[Job]:
        """The oldest first."""
        return list(self._jobs.values())

    def end(self, job: Job) -> None:
        """Cancel a job; one that is over is forgotten, with its files."""
        with self._lock:
            over = job.is_over
            if not over:
                job.state, job.ended = CANCELLED, time()
                _kill(job.process)
        if over or job.kind != RUN:
            self._jobs.pop(job.id, None)
            shutil.rmtree(job.folder, ignore_errors=True)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        for process in processes:
            _kill(process)
        for process in processes:
            _over(process)

    # ------------------------------------------------------------------------ one job

    def _work(self, job: Job) -> None:
        room = self._room if job.kind == RUN else Semaphore()
        with room:
            process = self._begun(job)
            if process is None:
                return
            try:
                self._follow(job, process)
            finally:
                _kill(process)
                _over(process)
                with self._lock:
                    self._processes.discard(process)
        if job.kind != RUN or job.state == CANCELLED:
            shutil.rmtree(job.folder, ignore_errors=True)
        self._prepare()

    def _begun(self, job: Job) -> subprocess.Popen[bytes] | None:
        """The process of a job; None if the job was cancelled before it began."""
        with self._lock:
            if job.state != WAITING or self._closed:
                return None
            process, self._spare = self._spare, None
            if process is None or process.poll() is not None:
                process = self._new()
            job.process, job.state, job.began = process, RUNNING, time()
        return process

    def _follow(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        order = {"folder": str(job.folder), "commands": job.commands}
        place = 0
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            for line in process.stdout:
                message = json.loads(line)
                if "code" not in message:
                    job.doing, job.done, job.expected = (
                        message[key] for key in ("doing", "done", "expected")
                    )
                    continue
                job.finished(place, message)
                place += 1
        except (OSError, ValueError):  # it ended in the middle of a line
            pass
        with self._lock:
            if job.state == RUNNING:
                job.error = job.error or ("" if place else LOST)
                job.state, job.ended = FAILED if job.error else DONE, time()

    # --------------------------------------------------------------------- processes

    def _prepare(self) -> None:
        """Have a process that waits for the next job."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = self._new()

    def _new(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "echelon.cli.app._child", str(self._session)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._session,
            env={**os.environ, "TMPDIR": str(self._session)},
            start_new_session=True,
        )
        self._processes.add(process)
        return process


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    """End a process and those it started."""
    if process is not None and process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _over(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process, and let go of its pipes."""
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
