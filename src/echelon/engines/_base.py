"""What an engine must be able to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from echelon.kernels.pairs import ANY


@dataclass(frozen=True)
class Search:
    """Which references count as neighbours of a target.

    Attributes
    ----------
    classes : ndarray of bool, shape (n_classes, n_classes)
        ``classes[a, b]``: a target of class a may have neighbours of class b.
    n_neighbors : int
        How many; those tied with the last one are found too.  0 means all within the radius.
    radius : float
        Largest distance.
    relation : {ANY, ABOVE, BELOW}
        ABOVE: the reference weakly dominates the target on all ordered columns.  BELOW: the
        reverse.
    """

    classes: np.ndarray
    n_neighbors: int = 0
    radius: float = np.inf
    relation: int = ANY


class Found(NamedTuple):
    """Neighbours of some targets, one target after the other, each in row order.

    An engine may return fewer targets than it was asked for, to bound its memory.
    """

    counts: np.ndarray
    indices: np.ndarray
    distances: np.ndarray

    def first(self, n: int) -> Found:
        """The same for the first n targets only."""
        end = int(self.counts[:n].sum())
        return Found(self.counts[:n], self.indices[:end], self.distances[:end])

    @property
    def owners(self) -> np.ndarray:
        """Position of the target every neighbour belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


class Engine(ABC):
    """The primitives that methods are written in.

    A *space* is whatever the engine made of the samples in ``prepare``.
    """

    @abstractmethod
    def prepare(self, samples: Any, metric: str) -> Any:
        """Lay the samples out for searches under a metric."""

    @abstractmethod
    def nearest(self, space: Any, targets: np.ndarray, search: Search) -> Found:
        """Find the neighbours of the target rows, exactly."""

    @abstractmethod
    def share(self, space: Any, found: Found, places: np.ndarray, *, by_index: bool) -> np.ndarray:
        """Weight of every neighbour when each target has so many places to give."""

    @abstractmethod
    def accumulate(
        self,
        space: Any,
        pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        coefs: np.ndarray,
        direction: int,
    ) -> np.ndarray:
        """Sum of ``coef_i * mean_j diff_f(x_i, x_j)`` over targets i, for every feature f.

        ``pairs`` holds the targets, their numbers of neighbours, the neighbours and shares.
        """

    @abstractmethod
    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Apply a function to independent items, results in order."""
