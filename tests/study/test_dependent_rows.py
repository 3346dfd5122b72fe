"""Rows that depend on each other: whether features are of use is asked on a scale that holds."""

import numpy as np
import pandas as pd
import pytest

from echelon import AutoSelector
from echelon._core.significance import relative_gains


@pytest.mark.parametrize("seed", range(3))
def test_the_past_of_a_walk_is_kept(seed):
    """The mean of the past is off by anything from fold to fold; what the lag gains is not."""
    rng = np.random.default_rng(seed)
    walk, other = (np.cumsum(rng.normal(size=300)) for _ in range(2))
    X = pd.DataFrame({"other": other[1:], "noise": rng.normal(size=299), "lag": walk[:-1]})
    selector = AutoSelector(random_state=0).fit(X, walk[1:], time=np.arange(299))
    assert selector.helps_
    assert "lag" in selector.get_feature_names_out()


def test_gains_relative_to_the_losses_of_both():
    rng = np.random.default_rng(0)
    for larger, best in ((True, 1.0), (False, 0.0)):
        scores, others = best - rng.exponential(size=(2, 200)) * 10 ** rng.uniform(-3, 3, 200)
        found = relative_gains(scores, others, larger)
        for score, other, gain in zip(scores, others, found, strict=True):
            loss, baseline = best - score, best - other
            assert gain == pytest.approx((baseline - loss) / (baseline + loss))
            assert -1 <= gain <= 1
            assert (gain > 0) == (score > other)
        np.testing.assert_allclose(relative_gains(others, scores, larger), -found)
    assert relative_gains(np.zeros(2), np.zeros(2), False).tolist() == [0, 0]
    unbounded = np.array([3.0, 5.0])  # log-likelihood ratios, say
    assert relative_gains(unbounded, np.ones(2), True).tolist() == [2, 4]
