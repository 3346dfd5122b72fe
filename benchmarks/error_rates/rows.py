"""One line of the page: what was promised, what came out, and what it costs in power."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, sem


class Row(NamedTuple):
    """A rate on one kind of data."""

    data: str
    nominal: float
    outcomes: np.ndarray
    """One per data set: 0 or 1, or a share."""
    power: np.ndarray | None = None
    """Likewise, where something is there to be found."""

    def cells(self) -> tuple[str, ...]:
        """Text of every column."""
        low, high = interval(self.outcomes)
        realised = f"{self.outcomes.mean():.3f} ({low:.3f} to {high:.3f})"
        power = "" if self.power is None else f"{self.power.mean():.2f}"
        nominal = f"{self.nominal:g}"
        return self.data, nominal, realised, self.verdict(), str(len(self.outcomes)), power

    def verdict(self) -> str:
        """Where the nominal rate lies: inside the interval, or the rate is below or above it."""
        low, high = interval(self.outcomes)
        if low > self.nominal:
            return "**above**"
        return "below" if high < self.nominal else "inside"


HEAD = ("data", "nominal", "realised", "interval", "data sets", "power")


def interval(outcomes: np.ndarray) -> tuple[float, float]:
    """95 %: Wilson's of a share of the data sets, that of a mean for shares within them."""
    if np.isin(outcomes, (0, 1)).all():
        found = binomtest(int(outcomes.sum()), len(outcomes)).proportion_ci(method="wilson")
        return found.low, found.high
    half = 1.96 * sem(outcomes)
    return outcomes.mean() - half, outcomes.mean() + half
