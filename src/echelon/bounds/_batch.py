"""Programs of one form, stacked into arrays.

Programs of one form have the same hinges, as many features, and limits and budgets of the same
kind.  What is computed for one of them is computed for all by the same array operations, with a row
for every program.  No sum runs over several programs, so an answer has the same digits whatever
else is in its batch.

Hinges are sorted by class (see ``ordinal_program``).  With the samples in that order, too, those
with a positive sign belong to the first samples and the others to the last, and hinges of one sign
and one threshold are neighbours: sums over samples and over thresholds are sums of slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from echelon.bounds._program import Program

SAMPLES_AT_A_TIME = 12_000
"""In a batch: enough to make up for the calls of array operations, few enough for the cache."""

T = TypeVar("T")


def in_batches(items: Sequence[T], n_samples: int) -> list[Sequence[T]]:
    """Items that are each about a program of so many samples, in parts of equal size."""
    n_parts = -(-len(items) // max(1, SAMPLES_AT_A_TIME // n_samples))
    ends = [len(items) * k // max(1, n_parts) for k in range(n_parts + 1)]
    return [items[start:end] for start, end in pairwise(ends)]


class Segment(NamedTuple):
    """Hinges of one sign and one threshold."""

    rows: slice
    samples: slice
    threshold: int


class Form:
    """What programs of one form have in common: where variables and constraints begin and end.

    Parameters
    ----------
    program : Program
        One of them.

    Attributes
    ----------
    w, b, u, xi : slice
        Weights, thresholds, absolute values and slacks among the variables.
    up, down, hinge, positive, order, high, low, budget : slice
        The constraints, in the order of ``_newton``.
    capped, floored : ndarray of int
        Weights with an upper and with a lower limit.
    by_class : ndarray of int
        The samples by class: the first ``n_below`` have a hinge of positive sign, those from
        ``first_above`` on one of negative sign.
    segments : list of Segment
        Neighbouring hinges of one sign and one threshold.
    segment_pulls : ndarray of shape (n_segments, n_thresholds)
        What the sums of segments contribute to thresholds.
    """

    def __init__(self, program: Program):
        rows, (m, p) = program.rows, program.X.shape
        self.n_samples, self.n_weights, self.n_thresholds = m, p, rows.n_thresholds
        self.n_rows, self.n_budgets = len(rows.sample), len(program.budgets)
        self.is_fit, self.squared = not program.budgets, program.squared
        # Without an L1 term nothing holds the absolute values down: then there are none.
        self.n_abs = p if program.l1 > 0 or program.budgets else 0
        self.threshold, self.sign = rows.threshold, rows.sign
        self.capped = np.flatnonzero(np.isfinite(program.high))
        self.floored = np.flatnonzero(np.isfinite(program.low))
        self.limited = len(self.capped) + len(self.floored) > 0
        n, a = self.n_rows, self.n_abs
        self.w, self.b, self.u, self.xi = slices([p, rows.n_thresholds, a, n])
        self.n_variables = self.xi.stop
        sizes = [a, a, n, n, rows.n_thresholds - 1, len(self.capped), len(self.floored)]
        parts = slices([*sizes, self.n_budgets])
        self.up, self.down, self.hinge, self.positive, self.order = parts[:5]
        self.high, self.low, self.budget = parts[5:]
        self.n_constraints = self.budget.stop
        self.n_below = int((rows.sign > 0).sum())
        self.first_above = m - (n - self.n_below)
        self.by_class = np.concatenate(
            [rows.sample[: self.n_below], rows.sample[n - m + self.n_below :]]
        )
        self._find_segments()
        self._spare: dict[str, np.ndarray] = {}

    def spare(self, name: str, n_programs: int, width: int) -> np.ndarray:
        """An array to be filled, the same whenever its name is asked for.

        To get a large array from the system takes as long as to fill it.
        """
        if name not in self._spare:
            self._spare[name] = np.empty((n_programs, width))
        return self._spare[name][:n_programs]

    def _find_segments(self) -> None:
        """Neighbouring hinges of one sign and one threshold."""
        changes = (np.diff(self.threshold) != 0) | (np.diff(self.sign) != 0)
        self.starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
        ends = [*self.starts[1:].tolist(), self.n_rows]
        self.segments = []
        self.segment_pulls = np.zeros((len(ends), self.n_thresholds))
        for k, (start, end) in enumerate(zip(self.starts.tolist(), ends, strict=True)):
            threshold, sign = int(self.threshold[start]), float(self.sign[start])
            back = 0 if sign > 0 else self.n_below - self.first_above
            samples = slice(start - back, end - back)
            self.segments.append(Segment(slice(start, end), samples, threshold))
            self.segment_pulls[k, threshold] = -sign

    def threshold_sums(self, hinge: np.ndarray, factors: np.ndarray) -> np.ndarray:
        """Sums over the hinges of every threshold, each segment times a factor."""
        return (np.add.reduceat(hinge, self.starts, axis=1)[:, None] @ factors)[:, 0]

    @staticmethod
    def key(program: Program) -> tuple:
        """Equal for programs of one form."""
        rows = program.rows
        hinges = rows.sample, rows.sign, rows.threshold
        limits = np.isfinite(program.low), np.isfinite(program.high)
        costs = program.l1 > 0, program.l2 > 0, len(program.budgets)
        return program.X.shape, costs, *(each.tobytes() for each in (*hinges, *limits))


@dataclass(frozen=True, eq=False)
class Batch:
    """Programs of one form, each with an objective.

    Attributes
    ----------
    form : Form
        What they have in common.
    X : ndarray of shape (n_programs or 1, n_samples, n_features)
        Samples by class; a single table if all programs have the same.
    offset : ndarray of shape (n_programs, n_rows)
        Offsets of the hinges.
    direction, low, high : ndarray of shape (n_programs, n_features)
        Objectives within budgets, and limits of the weights.
    l1, l2, C, scale : ndarray of shape (n_programs,)
        As in ``Program``.
    costs : ndarray of shape (n_programs, n_budgets, 2)
        What weights and slacks cost in every budget.
    limits : ndarray of shape (n_programs, n_budgets)
        Limits of the budgets.
    largest_value, largest_norm : ndarray of shape (n_programs,)
        The largest absolute value of the data, and the largest Euclidean norm of a sample.
    """

    form: Form
    X: np.ndarray
    offset: np.ndarray
    direction: np.ndarray
    low: np.ndarray
    high: np.ndarray
    l1: np.ndarray
    l2: np.ndarray
    C: np.ndarray
    scale: np.ndarray
    costs: np.ndarray
    limits: np.ndarray
    largest_value: np.ndarray
    largest_norm: np.ndarray

    @classmethod
    def of(cls, programs: list[Program], directions: list[np.ndarray]) -> Batch:
        """Stack programs of one form."""
        first, form = programs[0], Form(programs[0])
        shared = all(each.X is first.X for each in programs)
        X = np.stack([each.X[form.by_class] for each in (programs[:1] if shared else programs)])
        every = np.ones(len(programs))
        budgets = np.array([each.budgets for each in programs], dtype=np.float64)
        budgets = budgets.reshape(len(programs), -1, 3)
        return cls(
            form,
            X,
            np.stack([each.rows.offset for each in programs]),
            np.stack(directions),
            np.stack([each.low for each in programs]),
            np.stack([each.high for each in programs]),
            np.array([each.l1 for each in programs]),
            np.array([each.l2 for each in programs]),
            np.array([each.C for each in programs]),
            np.array([each.scale for each in programs]),
            budgets[:, :, :2],
            budgets[:, :, 2],
            every * np.abs(X).max(axis=(1, 2), initial=0.0),
            every * np.sqrt(np.square(X).sum(axis=2).max(axis=1)),
        )

    def __len__(self) -> int:
        return len(self.offset)

    def take(self, kept: np.ndarray) -> Batch:
        """Some of the programs."""
        X = self.X if len(self.X) == 1 else self.X[kept]
        others = [field.name for field in fields(self)][2:]
        return Batch(self.form, X, *(getattr(self, name)[kept] for name in others))

    def distances(self, w: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The distances ``sign * (w.x - b)`` of every hinge."""
        form = self.form
        values = (self.X @ w[:, :, None])[:, :, 0]
        found = np.take(b, form.threshold, axis=1, out=out, mode="clip")
        below, above = found[:, : form.n_below], found[:, form.n_below :]
        np.subtract(values[:, : form.n_below], below, out=below)
        above -= values[:, form.first_above :]
        return found

    def pulls(self, hinge: np.ndarray) -> np.ndarray:
        """The transpose of ``distances``: what hinges contribute to weights and thresholds."""
        form = self.form
        per_sample = form.spare("per sample", len(self), form.n_samples)
        per_sample[:, : form.n_below] = hinge[:, : form.n_below]
        per_sample[:, form.n_below :] = 0.0
        per_sample[:, form.first_above :] -= hinge[:, form.n_below :]
        found = np.empty((len(self), form.n_weights + form.n_thresholds))
        np.matmul(per_sample[:, None], self.X, out=found[:, None, form.w])
        found[:, form.b] = form.threshold_sums(hinge, form.segment_pulls)
        return found


def slices(sizes: list[int]) -> list[slice]:
    """Consecutive slices of these sizes."""
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
