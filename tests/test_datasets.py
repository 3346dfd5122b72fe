"""Generators: sizes, what depends on what, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon.datasets import make_relevance


@pytest.mark.parametrize("problem", ["ordinal", "classification", "regression"])
def test_make_relevance(problem):
    X, y = make_relevance(120, 2, 5, 3, problem, noise=0.0, random_state=0, weak_groups=[2, 3])
    assert X.shape == (120, 10)
    correlations = np.abs(np.corrcoef(X.T))
    assert_allclose(correlations[2, 3], 1)
    assert_allclose(correlations[4:7, 4:7], 1)
    assert correlations[2, 4] < 0.5
    again = make_relevance(120, 2, 5, 3, problem, noise=0.0, random_state=0, weak_groups=[2, 3])
    assert_array_equal(X, again[0])
    # Without noise the target is a function of one feature of every kind.
    columns = X[:, [0, 1, 2, 4]]
    if problem == "regression":
        fit = columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
        assert_allclose(fit, y)
    else:
        assert set(np.bincount(y).tolist()) == {0, 24} if problem == "ordinal" else {60}


def test_weak_noise_makes_similar_features():
    X, _ = make_relevance(500, 1, 3, 0, weak_noise=0.3, random_state=0)
    correlations = np.abs(np.corrcoef(X[:, 1:].T))[np.triu_indices(3, 1)]
    assert ((correlations > 0.8) & (correlations < 0.99)).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_strong": -1}, "`n_strong` must be an integer of at least 0, got -1"),
        ({"n_strong": 0, "n_weak": 0}, "must not both be 0"),
        ({"n_weak": 4, "weak_groups": [3]}, r"add up to n_weak, 4, got \[3\]"),
        ({"weak_groups": 3}, r"add up to n_weak, 4, got \[3\]"),
        ({"weak_groups": [2.5, 1.5]}, "sizes of at least 2"),
        ({"n_weak": 1}, "A feature alone in its group is a strong one"),
        ({"problem": "ranking"}, "`problem` must be one of"),
        ({"noise": -1}, "`noise` must be a number of at least 0, got -1"),
        ({"n_classes": 1}, "`n_classes` must be an integer of at least 2, got 1"),
        ({"n_samples": 3}, "`n_samples` must be an integer of at least 5, got 3"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        make_relevance(**params)
