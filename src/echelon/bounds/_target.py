"""The target as linear programs take it: codes of classes, or standardised values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from echelon.bounds._program import standardised
from echelon.targets import read_target


class Outcome(NamedTuple):
    """Codes of classes or standardised values."""

    kind: str
    """"ordinal", "classification" or "regression"."""
    labels: np.ndarray | None
    values: np.ndarray
    original: np.ndarray | None = None
    """The values of a regression before they were standardised."""

    def one_vs_rest(self) -> list[np.ndarray]:
        """Targets with an order: itself, or every class of several against the rest."""
        if self.kind != "classification" or len(self.labels) == 2:  # type: ignore[arg-type]
            return [self.values]
        return [(self.values == c).astype(np.int64) for c in range(len(self.labels))]  # type: ignore[arg-type]


def read_outcome(y: Any, problem: str, class_order: Sequence | None) -> Outcome:
    """Read y as what ``problem`` says it is."""
    target = read_target(y, problem, class_order)
    if target.codes is None:
        values = target.numbers
        return Outcome(target.kind, None, standardised(values[:, None])[0][:, 0], values)
    labels = target.labels.tolist()  # type: ignore[union-attr]
    if problem == "auto" and target.kind == "classification" and len(labels) > 2:
        # They may well have an order, which is worth asking for.
        raise ValueError(
            f"`y` holds labels without a known order ({', '.join(map(repr, labels[:5]))}). Give it "
            'from lowest to highest, for example class_order=["low", "medium", "high"], or say '
            'problem="classification" to bound every class against the rest.'
        )
    return Outcome(target.kind, target.labels, target.codes)
