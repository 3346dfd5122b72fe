"""The least relabelling that makes data monotone, as minimum cuts.

Only samples that contradict others have to change.  With two classes, the changed ones are a
cheapest set that meets every contradicting pair: a vertex cover of a bipartite graph, which a
maximum flow finds.  For the absolute loss, every threshold between classes is such a problem; of
all cheapest answers the one with the fewest samples above it is taken throughout, so that the
answers of the thresholds fit together.  For the 0/1 loss, samples that stay are a heaviest set
without a contradicting pair.  Contradiction is transitive, so that by Dilworth's theorem a flow
through two copies of every sample finds this set, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow
from sklearn.utils import check_consistent_length

from echelon._core.directions import directions
from echelon._core.samples import read_rows, row_counts, weighted_rows
from echelon._core.words import about_relabelling
from echelon.data import as_table, read_columns
from echelon.targets import read_ordered_classes

LARGEST = 1 << 30
"""Weights are whole numbers that add up to no more, as flows of SciPy have them."""

LOSSES = ("zero_one", "absolute")


@dataclass(frozen=True, eq=False)
class Relabelling:
    """What has to change so that no sample contradicts another.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The new classes.
    codes, old_codes : ndarray of shape (n_samples,)
        Positions of the new and of the old classes in ``classes``.
    classes : ndarray of shape (n_classes,)
        Class labels, lowest first.
    contradicted : ndarray of shape (n_samples,)
        Mask of the samples that contradict others.
    n_pairs : int
        Pairs of samples that contradict each other.
    loss : {"zero_one", "absolute"}
        What was made as small as possible.
    cost : float
        The weight of the changed samples, or of their steps along the classes.

    Examples
    --------
    >>> from echelon.monotone import relabel_monotone
    >>> found = relabel_monotone([[1], [2], [3], [4]], [0, 1, 0, 1])
    >>> found.labels.tolist(), found.n_changed
    ([0, 0, 0, 1], 1)
    """

    labels: np.ndarray
    codes: np.ndarray
    old_codes: np.ndarray
    classes: np.ndarray
    contradicted: np.ndarray
    n_pairs: int
    loss: str
    cost: float

    @property
    def changed(self) -> np.ndarray:
        """Mask of the samples whose class changes."""
        return self.codes != self.old_codes

    @property
    def n_changed(self) -> int:
        """How many these are."""
        return int(self.changed.sum())

    @property
    def distance(self) -> int:
        """Steps along the classes, added over all samples."""
        return int(np.abs(self.codes - self.old_codes).sum())

    def sentence(self) -> str:
        """What was found, in words."""
        facts = {
            "n_samples": len(self.codes),
            "n_contradicted": int(self.contradicted.sum()),
            "n_pairs": self.n_pairs,
            "n_changed": self.n_changed,
            "distance": self.distance,
        }
        return about_relabelling(facts)

    def frame(self) -> pd.DataFrame:
        """The samples that contradict others: their ``old`` and ``new`` class, largest steps first.

        The index is their position.
        """
        rows = np.flatnonzero(self.contradicted)
        steps = self.codes[rows] - self.old_codes[rows]
        old = self.classes[self.old_codes[rows]]
        columns = {"old": old, "new": self.labels[rows], "steps": steps}
        order = np.argsort(-np.abs(steps), kind="stable")
        return pd.DataFrame(columns, index=pd.Index(rows, name="sample")).iloc[order]


def relabel_monotone(
    X: Any,
    y: Any,
    *,
    monotonic_cst: Any = None,
    loss: str = "zero_one",
    class_order: Any = None,
    sample_weight: Any = None,
) -> Relabelling:
    """The least change of classes after which no sample contradicts another.

    A sample contradicts another if it is at least as good in every feature and in a lower class.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, nothing missing.
    y : array-like of shape (n_samples,)
        Ordered classes.
    monotonic_cst : array-like, dict, "auto" or None, default=None
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (left out), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.  Samples are comparable only if they are equal
        in nominal features.
    loss : {"zero_one", "absolute"}, default="zero_one"
        What is made as small as possible: how many samples change ([1]_, [2]_), or by how many
        classes they change in all ([3]_).  For two classes both are the same.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    sample_weight : array-like of shape (n_samples,), default=None
        What it costs to change a sample.  Weights that are no whole numbers are rounded to a
        billionth of their sum; samples of weight 0 are left out.

    Returns
    -------
    relabelling : Relabelling
        With the new ``labels``, what ``changed``, ``frame()`` and ``sentence()``.

    Notes
    -----
    The cost is the smallest possible; other relabellings may cost the same.  With "zero_one" and
    more than two classes, the samples that stay are chosen first; the changed ones then move as
    little as these allow.  Memory grows with the number of contradicting pairs.

    References
    ----------
    .. [1] M. Rademaker, B. De Baets, H. De Meyer, "Loss optimal monotone relabeling of noisy
       multi-criteria data sets", Information Sciences 179, 2009.
    .. [2] W. Pijls, R. Potharst, "Repairing non-monotone ordinal data sets by changing class
       labels", Econometric Institute Report EI 2014-29, 2014.
    .. [3] R. Dykstra, J. Hewett, T. Robertson, "Nonparametric, isotonic discriminant procedures",
       Biometrika 86, 1999.

    Examples
    --------
    >>> from echelon.monotone import relabel_monotone
    >>> X = [[600, 2], [650, 2], [700, 3], [720, 1], [780, 3]]  # score, years in the job
    >>> found = relabel_monotone(X, [0, 2, 1, 1, 2])
    >>> found.labels.tolist()
    [0, 1, 1, 1, 2]
    >>> print(found.sentence())
    2 of 5 samples contradict others; changing 1 of them makes the classes monotone.
    """
    if loss not in LOSSES:
        raise ValueError(f'`loss` must be "zero_one" or "absolute", got {loss!r}. Pass one.')
    X, y, given = weighted_rows(as_table(X), y, sample_weight)
    columns = read_columns(read_rows(X), allow_nan=False)
    classes, codes = read_ordered_classes(y, class_order)
    check_consistent_length(columns.values, codes)
    signs = directions(monotonic_cst, columns, codes)
    able = np.flatnonzero((signs != 0) | columns.nominal)
    values = columns.values[:, able] * np.where(signs[able] < 0, -1, 1)
    order = Order(values, columns.nominal[able])
    weights = _whole(row_counts(given, len(codes)))
    pairs = order.contradictions(codes)
    new = codes.copy()
    rows = np.unique(pairs)
    if len(rows):
        mend = _fewest_changed if loss == "zero_one" else _nearest
        new = mend(order, codes, weights, np.arange(len(codes)))
    steps = np.abs(new - codes) if loss == "absolute" else new != codes
    return Relabelling(
        labels=classes[new],
        codes=new,
        old_codes=codes,
        classes=classes,
        contradicted=np.isin(np.arange(len(codes)), rows),
        n_pairs=len(pairs),
        loss=loss,
        cost=float(row_counts(given, len(codes)) @ steps),
    )


def _whole(weights: np.ndarray) -> np.ndarray:
    """Weights as whole numbers."""
    if (weights == np.round(weights)).all() and weights.sum() <= LARGEST:
        return weights.astype(np.int64)
    return np.maximum(np.floor(weights * (LARGEST / 2 / weights.sum())), 1).astype(np.int64)


class Order:
    """Which samples are at least as good as which.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Features, larger is better.
    nominal : ndarray of shape (n_features,)
        Mask of the features that compare by equality.
    """

    def __init__(self, values: np.ndarray, nominal: np.ndarray) -> None:
        self.values, self.nominal = values, nominal

    def at_least(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Mask of those rows that a row is at least as good as."""
        others, own = self.values[rows], self.values[row]
        return np.where(self.nominal, others == own, others <= own).all(axis=1)

    def contradictions(self, codes: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Pairs (i, j) in which i is at least as good as j and in a lower class."""
        rows = np.arange(len(codes)) if rows is None else rows
        found = [np.empty((0, 2), dtype=np.int64)]
        for i in rows.tolist():
            higher = rows[codes[rows] > codes[i]]
            under = higher[self.at_least(i, higher)]
            found.append(np.column_stack([np.full(len(under), i), under]))
        return np.concatenate(found)


def _cut(pairs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the left and the right ends of pairs in the cheapest set that meets all of them.

    Of all cheapest ones the set with the fewest left ends.
    """
    n = len(weights)
    source, sink = 2 * n, 2 * n + 1
    lefts, rights = np.unique(pairs[:, 0]), np.unique(pairs[:, 1])
    starts = np.concatenate([np.full(len(lefts), source), pairs[:, 0], n + rights])
    ends = np.concatenate([lefts, n + pairs[:, 1], np.full(len(rights), sink)])
    endless = np.full(len(pairs), 2 * LARGEST - 1)
    room = np.concatenate([weights[lefts], endless, weights[rights]]).astype(np.int32)
    graph = csr_array((room, (starts, ends)), shape=(2 * n + 2, 2 * n + 2))
    left_over = graph - maximum_flow(graph, source, sink).flow
    left_over.eliminate_zeros()
    # What still reaches the sink: as few left ends as possible are cut off from the source.
    reaching = np.zeros(2 * n + 2, bool)
    reaching[breadth_first_order(left_over.T.tocsr(), sink, return_predecessors=False)] = True
    left, right = np.zeros((2, n), bool)
    left[lefts], right[rights] = reaching[lefts], ~reaching[n + rights]
    return left, right


def _nearest(order: Order, codes: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Codes of some rows that need the fewest steps in all; the others stay as they are."""
    new = codes.copy()
    for threshold in range(1, int(codes.max()) + 1):
        above = (codes >= threshold).astype(np.int64)
        pairs = order.contradictions(above, rows)
        if len(pairs):
            raised, lowered = _cut(pairs, weights)
            new += raised.astype(np.int64) - lowered
    return new


def _fewest_changed(
    order: Order, codes: np.ndarray, weights: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Codes of which as few as possible changed, and these by little."""
    left, right = _cut(order.contradictions(codes), weights)
    changed = np.flatnonzero(left | right)
    stay = np.flatnonzero(~(left | right))
    low = np.zeros(len(codes), np.int64)
    high = np.full(len(codes), int(codes.max()))
    for i in changed.tolist():
        under = codes[stay[order.at_least(i, stay)]]
        low[i] = under.max(initial=0)
    for i in stay.tolist():
        under = changed[order.at_least(i, changed)]
        high[under] = np.minimum(high[under], codes[i])
    within = codes.copy()
    within[changed] = np.clip(codes[changed], low[changed], high[changed])
    new = _nearest(order, within, weights, changed)
    new[changed] = np.clip(new[changed], low[changed], high[changed])
    return new
