"""Long experiments in small cells: finished ones are kept, so that a stopped run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from threadpoolctl import threadpool_limits

from papers.pages import made_with

Task = Callable[[], Any]
"""One cell: called without arguments, returns what JSON can hold."""

SECONDS_BETWEEN_WRITES = 5.0


class Cells:
    """Results of one experiment by name, kept in one file that is always whole.

    Parameters
    ----------
    file : Path
        Where finished cells are kept.
    fresh : bool
        Forget what the file holds.
    made : str
        With what cells must have been made to be taken over; None: the versions of the libraries.
    """

    def __init__(self, file: Path, *, fresh: bool = False, made: str | None = None) -> None:
        self.file = file
        self.made = made_with() if made is None else made
        self.values: dict[str, Any] = {}
        if file.exists() and not fresh:
            self.values = self._read()

    def _read(self) -> dict[str, Any]:
        kept = json.loads(self.file.read_text())
        if kept["made with"] != self.made:
            raise SystemExit(
                f"{self.file} was made with {kept['made with']}, this is {self.made}. "
                "Pass --fresh to begin anew."
            )
        return kept["cells"]

    def write(self) -> None:
        """Keep what is finished: a new file takes the place of the old one at once."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"made with": self.made, "cells": self.values})
        beside = self.file.with_name(f".{self.file.name}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.file)

    def run(self, tasks: Mapping[str, Task], n_jobs: int) -> dict[str, Any]:
        """Results of all tasks; those finished before are not run again."""
        left = {name: task for name, task in tasks.items() if name not in self.values}
        try:
            for name, value in self._finished(left, n_jobs):
                self.values[name] = value
        finally:
            if left:
                self.write()
        return {name: self.values[name] for name in tasks}

    def _finished(self, tasks: Mapping[str, Task], n_jobs: int) -> Iterator[tuple[str, Any]]:
        """Names and results in the order in which they end, with the time left on the screen."""
        parallel = Parallel(n_jobs, return_as="generator_unordered")
        jobs = (delayed(_named)(name, task) for name, task in tasks.items())
        written = monotonic()
        with _bar() as bar:
            known = bar.add_task(self.file.stem, total=len(tasks))
            for name, value in parallel(jobs):
                yield name, value
                bar.advance(known)
                if monotonic() - written > SECONDS_BETWEEN_WRITES:
                    self.write()
                    written = monotonic()


def _named(name: str, task: Task) -> tuple[str, Any]:
    try:
        with threadpool_limits(1):  # cells run side by side already
            return name, task()
    except Exception as error:
        raise RuntimeError(f"{name}: {error}") from error


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
