"""The benchmark of directions: what it counts, on data made up for it."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from benchmarks.directions import Found, Known, codes, interval, make_page, measure, read


def test_a_set_is_measured(tmp_path, rng, monkeypatch):
    monkeypatch.setattr("benchmarks.directions.N_FOLDS", 2)
    n = 90
    X = pd.DataFrame({"worth": rng.normal(size=n), "debt": rng.normal(size=n), "id": range(n)})
    score = X["worth"] - X["debt"] + 0.6 * rng.normal(size=n)
    X.assign(target=-pd.qcut(score, 3, labels=False)).to_csv(tmp_path / "s.csv", index=False)
    known = Known("s.csv", "worth", "debt", unused="id", reverse=True)
    features, y = read(known, tmp_path)
    assert list(features) == ["worth", "debt"]
    assert np.corrcoef(features["worth"], y)[0, 1] > 0.3
    found = measure(known, tmp_path)
    assert found[1:5] == (n, 2, 2, 0)
    assert 0 < found.changed <= found.contradicted < n
    assert max(found.respected.mean(), found.free.mean()) < 0.6  # the median class: 0.67


def test_the_page_compares_both_errors():
    errors = np.array([0.2, 0.3]), np.array([0.1, 0.4])
    page = make_page([Found("a", 10, 3, 2, 1, 4, 2, *errors)] * 2)
    assert "| a | 10 x 3 | 2 | 1 | 4 | 2 | 0.250 | 0.250 | +0.000 ± 0.100 |" in page
    assert "by +0.0 % on average (+0.0 to +0.0 %" in page


def test_classes_and_intervals(rng):
    assert codes([3, 7, 7], pd.Series([7, 3, 9])).tolist() == [0, 1, 1]
    values = rng.normal(size=400)
    half_width = 1.96 * values.std() / 20
    assert_allclose(interval(values), values.mean() + half_width * np.array([-1, 1]), atol=0.02)
