"""Features that go together: how closely, in clusters, and which carry the information of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from echelon.evidence._conditional import Conditionals, Encoded
from echelon.evidence._outcome import Outcome
from echelon.evidence._tests import residual_p_value

LEAST_CORRELATION = 0.5
"""Features in a cluster have at least this correlation, on average, with each other."""

MOST_CANDIDATES = 6
"""The features most correlated with one that are tried in its place."""

MOST_TOGETHER = 3
"""Features that may carry the information of one together."""


def correlations(encoded: Encoded, units: Sequence[Sequence[int]]) -> np.ndarray:
    """Largest absolute correlation of any columns of two units; 1 on the diagonal."""
    columns = [np.concatenate([encoded.features[f].columns for f in unit]) for unit in units]
    matrix = encoded.matrix - encoded.matrix.mean(axis=0)
    length = np.linalg.norm(matrix, axis=0)
    standard = matrix / np.where(length > 1e-12, length, 1.0)
    between = np.abs(standard.T @ standard)
    first = np.cumsum([0, *map(len, columns)])[:-1]
    order = np.concatenate(columns)
    rows = np.maximum.reduceat(between[np.ix_(order, order)], first, axis=0)
    largest = np.minimum(np.maximum.reduceat(rows, first, axis=1), 1.0)
    np.fill_diagonal(largest, 1.0)
    return largest


# ------------------------------------------------------------------------- in the place of one


def replacement(
    encoded: Encoded,
    outcome: Outcome,
    feature: int,
    related: np.ndarray,
    level: float,
) -> list[int]:
    """Features given which one feature tells nothing more; empty where none were found.

    The candidates are the ``related`` features most correlated with it.  One after the other is
    added, that which leaves the largest p-value, until it exceeds the level.
    """
    candidates = related[:MOST_CANDIDATES].tolist()
    found: list[int] = []
    p_value = 0.0
    while candidates and len(found) < MOST_TOGETHER and p_value <= level:
        p_values = [given_some(encoded, outcome, feature, [*found, g]) for g in candidates]
        best = int(np.argmax(p_values))
        p_value = p_values[best]
        found.append(candidates.pop(best))
    return found if p_value > level else []


def given_some(encoded: Encoded, outcome: Outcome, feature: int, given: Sequence[int]) -> float:
    """p-value of a feature given some others: the residual test, linear and quadratic in them."""
    own = encoded.features[feature].columns
    known = encoded.matrix[:, np.concatenate([encoded.features[g].block for g in given])]
    squares = known**2 - (known**2).mean(axis=0)
    spread = squares.std(axis=0)
    squares /= np.where(spread > 1e-12, spread, 1.0)
    blocks = known, squares, encoded.matrix[:, own], outcome.columns
    ends = np.cumsum([block.shape[1] for block in blocks])
    models = Conditionals(np.hstack(blocks))
    here, conditions = encoded.present[:, feature], np.arange(ends[1])
    of_own = models.ridge(np.arange(ends[1], ends[2]), conditions, here).left_out
    of_outcome = models.ridge(np.arange(ends[2], ends[3]), conditions, here).left_out
    residuals = np.where(here[:, None], encoded.matrix[:, own] - of_own, 0.0)
    return residual_p_value(residuals, outcome.residuals(of_outcome))


# ------------------------------------------------------------------------------------ clusters


class Cluster(NamedTuple):
    """Correlated features, tested together.

    Parameters
    ----------
    features : tuple of int
        Its members.
    p_value : float
        Of the hypothesis that they carry no information beyond the features outside.
    adjusted : float
        The smallest family-wise error rate at which that is rejected.

    Examples
    --------
    >>> from echelon.evidence import Cluster
    >>> Cluster((0, 2), p_value=0.001, adjusted=0.01).features
    (0, 2)
    """

    features: tuple[int, ...]
    p_value: float
    adjusted: float


class Node(NamedTuple):
    """Units that are tested together, within others; ``parent`` is the place of these, or -1."""

    units: tuple[int, ...]
    parent: int


def tree_of(near: np.ndarray) -> list[Node]:
    """Clusters of at least two units with a correlation of at least 0.5, larger ones first.

    By average linkage; the parent of a cluster is the next larger one.
    """
    n = len(near)
    if n < 2:
        return []
    merges = linkage(squareform(1 - near, checks=False), "average")
    members: list[tuple[int, ...]] = [(u,) for u in range(n)]
    parents: dict[int, int] = {}
    for k, (left, right, distance, _) in enumerate(merges):
        members.append(tuple(sorted(members[int(left)] + members[int(right)])))
        if distance <= 1 - LEAST_CORRELATION:
            parents[int(left)] = parents[int(right)] = n + k
    merged = set(parents.values())
    largest_first = sorted(merged, reverse=True)
    place = {node: i for i, node in enumerate(largest_first)}
    return [Node(members[node], place.get(parents.get(node, -1), -1)) for node in largest_first]


def adjusted_in_tree(
    tree: Sequence[Node], of_nodes: np.ndarray, of_units: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Adjusted p-values of nodes and of single units (Meinshausen 2008).

    A p-value is multiplied by the number of units over the size of the cluster, and none is smaller
    than that of a larger cluster around it: the family-wise error rate holds for all together.
    """
    n = len(of_units)
    nodes = np.ones(len(tree))
    units = np.minimum(of_units * n, 1.0)
    for i, node in enumerate(tree):  # parents come before their parts
        around = nodes[node.parent] if node.parent >= 0 else 0.0
        nodes[i] = max(min(of_nodes[i] * n / len(node.units), 1.0), around)
        inside = list(node.units)
        units[inside] = np.maximum(units[inside], nodes[i])
    return nodes, units
