"""What is lost by removing a feature: divergence, and the four criteria of backward elimination.

The divergence of a set of features (Definition 3) is the entropy of the classes given the order of
these features, less that given the order of all: 0 while samples of different classes that could be
told apart still can.

Each criterion looks at all features left and is told which one was removed; what it selects is
updated by that feature alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Set
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import gen_batches

from echelon._core.jobs import in_threads
from echelon.rankorder._centers_loops import BLOCK, center_distances, reaches, sort_columns
from echelon.rankorder._loops import (
    all_changes,
    chain,
    cut,
    pair_surprises,
    small_surprise,
    surprise,
    surprises_without,
)
from echelon.rankorder._orders import (
    Orders,
    all_margins,
    all_spoiler_terms,
    rank_sums,
    read_labelled,
)

GRID = 2.0**32
"""Divergences that agree on multiples of 1 / GRID are equal, and 0 is one of them."""

_BLOCK, _DIRECT = 256, 20_000

_SPARE = 4
"""Blankets' worth of neighbours kept for every feature, to be looked for again when used up."""

DISTANCE_GRID = 2.0**40
"""Distances between vectors of centers that agree on multiples of 1 / DISTANCE_GRID are equal."""

_MOST_TASKS, _STEPS_PER_TASK = 16, 1_000_000

_UNSORTED = 16
"""So many removals later the columns are sorted again: it costs, but shortens the reach."""


def subset_divergence(X: Any, y: Any, features: Any) -> float:
    """Divergence of a set of features from all features (Definition 3 of [1]_).

    How much less the order of some features says about the classes than the order of all: the
    Kullback-Leibler divergence between the distributions of the classes, averaged over the
    distinct orders; natural logarithm.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.
    y : array-like of shape (n_samples,)
        Classes.
    features : array-like or set
        Column indices, a mask, or names of columns; at least one, each once.

    Returns
    -------
    divergence : float
        0 if nothing is lost.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import subset_divergence
    >>> X, y = [[1, 2, 3], [1, 3, 2], [2, 1, 3]], ["a", "b", "b"]
    >>> subset_divergence(X, y, [0, 1, 2]), round(subset_divergence(X, y, [1, 2]), 3)
    (0.0, 0.462)
    """
    orders = read_labelled(X, y)
    kept = _feature_mask(features, X, orders.n_features)
    projection = Projection(orders)
    for feature in np.flatnonzero(~kept):
        projection.remove(int(feature))
    return projection.divergence


def _feature_mask(features: Any, X: Any, n_features: int) -> np.ndarray:
    """A mask from a mask, column indices or column names."""
    wanted = np.atleast_1d(np.asarray([*features] if isinstance(features, Set) else features))
    if wanted.dtype.kind == "b" and wanted.shape == (n_features,):
        wanted = np.flatnonzero(wanted)
    elif wanted.dtype.kind not in "iu":
        places = {name: i for i, name in enumerate(getattr(X, "columns", []))}
        wanted = np.array(
            [places.get(w, -1) if isinstance(w, str) else -1 for w in wanted.tolist()]
        )
    mask = np.isin(np.arange(n_features), wanted)
    # Fewer than were asked for: some are no columns, or there twice.
    if wanted.shape != (mask.sum(),) or not mask.any():
        raise ValueError(
            f"`features` must be a mask, indices or names of the {n_features} columns of X, each "
            f"once, got {features!r}. Give at least one."
        )
    return mask


def log_table(n: int) -> np.ndarray:
    """C log(c) for c = 0, ..., n."""
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log(np.maximum(counts, 1))


def on_grid(divergences: Any) -> Any:
    """Divergences as whole numbers, so that equal ones compare equal."""
    return np.floor(np.asarray(divergences) * GRID + 0.5)


class Projection:
    """Orders of samples over the features left, and the divergence of these features."""

    def __init__(self, orders: Orders, *, look_ahead: bool = False):
        m, n = orders.low.shape
        self.classes, self.n_classes = orders.classes, len(orders.class_sizes)
        self._logs = log_table(m)
        self._before = np.empty((n + 1, m), np.int32)
        self._after = np.empty((n + 1, m), np.int32)
        self._tied = np.zeros((n + 1, m), bool)
        self._hashes, self._known = np.empty(m, np.uint64), np.empty(m, np.int64)
        self._changes = np.empty((n if look_ahead else 0, m), np.uint64)
        order = np.argsort(orders.low, axis=1, kind="stable")
        chain(orders.low, order, *self._links, self._hashes, self._known)
        all_changes(*self._links, self._changes)
        self._least = self._surprise()

    @property
    def _links(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._before, self._after, self._tied

    @property
    def divergence(self) -> float:
        """Divergence of the features left."""
        return float(self._as_divergence(self._surprise()))

    def remove(self, feature: int) -> None:
        """Remove a feature from every order."""
        cut(*self._links, feature, self._hashes, self._known, self._changes)

    def divergences_without(self, features: np.ndarray, n_jobs: int | None) -> np.ndarray:
        """Divergence after removing each of some features."""
        out = np.empty(len(features))

        def fill(here: slice) -> None:
            surprises_without(
                features[here], self._hashes, self._known, self._before, self._changes,
                self.classes, self.n_classes, self._logs, out[here],
            )  # fmt: skip

        if len(features) * len(self.classes) < _DIRECT:
            fill(slice(None))  # less work than starting threads
        else:
            list(in_threads(fill, gen_batches(len(features), _BLOCK), n_jobs))
        return self._as_divergence(out)

    def _surprise(self) -> float:
        return surprise(self._hashes, self._known, self.classes, self.n_classes, self._logs)

    def _as_divergence(self, surprises: Any) -> Any:
        divergences = (surprises - self._least) / len(self.classes)
        return np.where(on_grid(divergences) > 0, divergences, 0.0)


# ----------------------------------------------------------------------------------- criteria


class Candidates(NamedTuple):
    """For every feature left: keys by which they go (smallest first), and the criterion."""

    keys: tuple[np.ndarray, ...]
    values: np.ndarray

    def first(self, count: int) -> np.ndarray:
        """Positions of the features that go first; of equal ones the lowest."""
        if count > 1:
            return np.lexsort(self.keys[::-1])[:count]
        among = np.arange(len(self.values))
        for key in self.keys:
            among = among[key[among] == key[among].min()]
        return among[:1]


class Criterion(ABC):
    """What decides which feature goes next."""

    @abstractmethod
    def candidates(self, left: np.ndarray) -> Candidates:
        """Evaluate the removal of each feature left (ascending indices)."""

    @abstractmethod
    def remove(self, feature: int) -> None:
        """Take note of a removal."""


class Spoilers(Criterion):
    """The feature with the highest spoiler count goes."""

    def __init__(self, orders: Orders, n_jobs: int | None):
        self._terms = all_spoiler_terms(orders, n_jobs)
        self.counts = self._terms.sum(axis=1, dtype=np.int64)

    def candidates(self, left: np.ndarray) -> Candidates:
        counts = self.counts[left]
        return Candidates((-counts,), counts.astype(float))

    def remove(self, feature: int) -> None:
        self.counts -= self._terms[feature]


class GreedyKL(Criterion):
    """The feature without which the divergence is smallest goes; at ties the greatest spoiler."""

    def __init__(self, orders: Orders, projection: Projection, n_jobs: int | None):
        self._spoilers = Spoilers(orders, n_jobs)
        self._projection, self._n_jobs = projection, n_jobs

    def candidates(self, left: np.ndarray) -> Candidates:
        values = self._projection.divergences_without(left, self._n_jobs)
        return Candidates((on_grid(values), -self._spoilers.counts[left]), values)

    def remove(self, feature: int) -> None:
        self._spoilers.remove(feature)


class KollerSahami(Criterion):
    """The feature that adds least to its approximate Markov blanket goes, after Koller and Sahami.

    The blanket of feature k holds the features j with the smallest divergence of {j} with respect
    to {j, k}, that is, those whose order with k says least about the classes.  That number does not
    depend on the other features, so only blankets that lose a member change.
    """

    def __init__(self, orders: Orders, blanket_size: int, n_jobs: int | None):
        self._orders, self._codes = orders, np.ascontiguousarray(orders.low.T)
        self._classes, self._n_classes = orders.classes, len(orders.class_sizes)
        self._logs = log_table(len(orders.classes))
        self._alone = self._logs[-1] - self._logs[orders.class_sizes].sum()
        self._size = blanket_size
        self._left, self._n_left = np.ones(orders.n_features, bool), orders.n_features
        self._members: list[set[int]] = [set() for _ in self._left]
        """Features whose blanket a feature is in."""
        self._near = list(in_threads(self._nearest, range(orders.n_features), n_jobs))
        self._losses = np.empty(orders.n_features)
        for k in range(orders.n_features):
            self._renew(k)

    def candidates(self, left: np.ndarray) -> Candidates:
        values = self._losses[left]
        return Candidates((on_grid(values),), values)

    def remove(self, feature: int) -> None:
        """Take a feature away, and renew the blankets it was in."""
        self._left[feature] = False
        self._n_left -= 1
        for k in sorted(self._members[feature]):
            if self._left[k]:
                self._renew(k)

    def _nearest(self, k: int) -> np.ndarray:
        """The features left that come first into question for the blanket of k, nearest first."""
        surprises = np.empty(len(self._left))
        pair_surprises(*self._orders.by_class, k, self._logs, surprises)
        left = np.flatnonzero(self._left)
        left = left[left != k]
        # {j} alone has no order, so its divergence is all that the order of {j, k} says.
        keys = on_grid((self._alone - surprises[left]) / len(self._classes))
        count = min(len(left), (1 + _SPARE) * self._size)
        if count == 0:
            return left
        near = np.flatnonzero(keys <= np.partition(keys, count - 1)[count - 1])
        return left[near[np.argsort(keys[near], kind="stable")[:count]]]

    def _renew(self, k: int) -> None:
        """Choose the blanket of k among the features left, and what k adds to it."""
        near = self._near[k][self._left[self._near[k]]]
        if len(near) < min(self._size, self._n_left - 1):
            near = self._near[k] = self._nearest(k)
        blanket = near[: self._size]
        for j in blanket:
            self._members[j].add(k)
        loss = self._surprise(blanket) - self._surprise(np.append(blanket, k))
        self._losses[k] = max(loss / len(self._classes), 0.0)

    def _surprise(self, features: np.ndarray) -> float:
        return small_surprise(self._codes, features, self._classes, self._n_classes, self._logs)


class CenterDistances(Criterion):
    """The feature without which the distances between centers change least goes (CDV).

    A feature is known by its row of the counts, and by its position in every class: the columns of
    the counts of a class lie in the order that the sums had when they were last sorted.
    """

    def __init__(self, orders: Orders, n_jobs: int | None):
        self._n_jobs = n_jobs
        self._margins = all_margins(orders, n_jobs)
        # Sums of two features come nearer to each other by less than this.
        self._widest = 2 * orders.class_sizes + 1
        largest = int(orders.class_sizes.max()) * (orders.n_features + 4)
        small = largest < np.iinfo(np.int32).max
        self._sums: np.ndarray = rank_sums(orders).astype(np.int32 if small else np.int64)
        self._features = np.arange(orders.n_features)
        self._rows = np.tile(self._features, (len(self._sums), 1))
        self._columns = self._rows.copy()
        self._sort()
        self._original = self._rho(self._between_centers(), orders.n_features)

    def candidates(self, left: np.ndarray) -> Candidates:
        self._shrink(left)
        if self._n_sorted - len(left) >= _UNSORTED:
            self._sort()
        rows = np.searchsorted(self._features, left)
        rho = self._rho(self._distances(rows), len(left) - 1)
        values = np.sqrt(((rho - self._original) ** 2).sum(axis=1))
        return Candidates((np.floor(values * DISTANCE_GRID + 0.5),), values)

    def remove(self, feature: int) -> None:
        row = np.searchsorted(self._features, feature)
        n_classes = len(self._rows)
        others = self._rows != row
        self._sums, self._rows, self._columns = (
            each[others].reshape(n_classes, -1) for each in (self._sums, self._rows, self._columns)
        )
        for c in range(n_classes):
            self._sums[c] -= self._margins[c, row, self._columns[c]]

    def _sort(self) -> None:
        """Put the columns of every class in the order of its sums."""
        order = np.argsort(self._sums, axis=1, kind="stable")
        self._sums, self._rows, columns = (
            np.take_along_axis(each, order, axis=1)
            for each in (self._sums, self._rows, self._columns)
        )
        for c, margins in enumerate(self._margins):

            def move(rows: np.ndarray, margins: Any = margins, of_class: int = c) -> None:
                sort_columns(margins, rows, columns[of_class])

            self._in_threads(move, self._rows[c])
        self._n_sorted = self._sums.shape[1]
        self._columns = np.tile(np.arange(self._n_sorted), (len(columns), 1))

    def _shrink(self, left: np.ndarray) -> None:
        """Drop the removed features from the counts when they are many."""
        if len(left) > 0.75 * len(self._features):
            return
        at = np.searchsorted(self._features, left)
        self._margins = np.stack(
            [each[np.ix_(at, own)] for each, own in zip(self._margins, self._columns, strict=True)]
        )
        self._rows = np.searchsorted(at, self._rows)
        self._columns = np.tile(np.arange(len(left)), (len(self._rows), 1))
        self._features = left.copy()

    def _between_centers(self) -> np.ndarray:
        ranks = np.empty(self._sums.shape, np.int64)
        np.put_along_axis(ranks, self._rows, np.rint(2 * rankdata(self._sums, axis=1)), axis=1)
        first, second = np.triu_indices(len(ranks), 1)
        return ((ranks[first] - ranks[second]) ** 2).sum(axis=1)[None]

    @staticmethod
    def _rho(distances: np.ndarray, n: int) -> np.ndarray:
        """Spearman's rho from four times the distance; 1 if one feature is left."""
        return 1 - 1.5 * distances / max(n * (n**2 - 1), 1)

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        """Four times the distances between centers, without each of the features left."""
        lines = self._lines()
        n_classes = len(self._sums)
        out = np.empty((len(self._features), n_classes * (n_classes - 1) // 2), np.int64)

        def fill(some: np.ndarray) -> None:
            found = np.empty((len(some), out.shape[1]), np.int64)
            center_distances(some, self._margins, self._widest, self._sums, *lines, found)
            out[some] = found

        self._in_threads(fill, rows)
        return out[rows]

    def _lines(self) -> tuple[np.ndarray, ...]:
        """Where the features lie, and how far each can move: arguments of the kernel."""
        n_classes, n_left = self._sums.shape
        places = np.zeros((n_classes, len(self._features)), np.int64)
        np.put_along_axis(places, self._rows, np.arange(n_left)[None], axis=1)
        starts, shifts = _runs(self._columns)
        reach = np.empty((n_classes, (n_left - 1) // BLOCK + 1), np.int64)
        fits = np.empty(reach.shape, bool)
        for c in range(n_classes):
            reaches(self._sums[c], self._widest[c], reach[c], fits[c])
        paths = places[:, self._rows[0]].astype(np.uint32)
        return self._sums.astype(np.int16), starts, shifts, places, reach, fits, paths

    def _in_threads(self, work: Callable[[np.ndarray], None], rows: np.ndarray) -> None:
        n_tasks = min(len(rows) * self._sums.size // _STEPS_PER_TASK, _MOST_TASKS)
        if n_tasks < 2:
            work(rows)  # less than starting threads
            return
        list(in_threads(work, np.array_split(rows, n_tasks), self._n_jobs))


def _runs(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs of neighbouring columns: positions where they start, then the end; column - position.

    Classes with fewer runs than others have empty ones at the end.
    """
    n = columns.shape[1]
    shifts = columns - np.arange(n)
    begins = [np.flatnonzero(np.diff(line, prepend=-1)) for line in shifts]
    most = max(len(each) for each in begins)
    starts = np.full((len(columns), most + 1), n)
    for line, each in zip(starts, begins, strict=True):
        line[: len(each)] = each
    return starts, np.take_along_axis(shifts, np.minimum(starts[:, :-1], n - 1), axis=1)
