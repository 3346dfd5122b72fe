"""Outcomes of single data sets, kept on disk: a stopped run goes on where it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.common import note

EVERY = 10
"""Data sets between two savings."""


class Cells:
    """A folder with one file per promise and kind of data; a file maps seeds to outcomes."""

    def __init__(self, folder: Path, *, share: float = 1.0):
        self.folder = folder
        self.share = share
        """Of the data sets asked for, how many are made: a small one for a trial run."""

    def measure(self, name: str, judge: Callable[[int], list[float]], n: int) -> np.ndarray:
        """Outcomes of data sets 0, 1, ..., one row each: those missing are made.

        All that are there count, also beyond the number asked for: leaving some out would be a
        choice.
        """
        file = self.folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.json"
        found = json.loads(file.read_text()) if file.exists() else {}
        n = max(2, round(self.share * n), len(found))
        missing = [seed for seed in range(n) if str(seed) not in found]
        if missing:
            note(f"{name}: {len(missing)} data sets")
        for count, seed in enumerate(missing, start=1):
            found[str(seed)] = [float(value) for value in judge(seed)]
            if count % EVERY == 0 or count == len(missing):
                self._save(file, found)
        return np.array([found[str(seed)] for seed in range(n)])

    def _save(self, file: Path, found: dict[str, list[float]]) -> None:
        """Whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(found))
        part.replace(file)
