"""The benchmark of relevance bounds: its intervals, and that a page can be made of its rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from benchmarks.bounds_rates import DESIGNS, Design, Row, beside_one, make_page, measured, wilson


@pytest.mark.parametrize("n_found", [0, 3, 20])
def test_wilson_of_single_features_is_that_of_scipy(n_found):
    shares = (np.arange(20) < n_found).astype(float)
    expected = binomtest(n_found, 20).proportion_ci(method="wilson")
    assert_allclose(wilson(shares, 1), (expected.low, expected.high), atol=1e-3)


def test_features_that_share_their_luck_count_as_one():
    rng = np.random.default_rng(0)
    alike = np.repeat(rng.random((60, 1)) < 0.2, 10, axis=1)
    apart = rng.random((60, 10)) < 0.2
    (low, high), (lower, higher) = (wilson(each.mean(axis=1), 10) for each in (alike, apart))
    assert_allclose((low, high), wilson(alike[:, 0].astype(float), 1))
    assert higher - lower < 0.5 * (high - low)


def test_a_page_of_one_design():
    design = Design("tiny", beside_one(0.95, "ordinal", n=60), "ordinal", 0.2)
    rows = [row for found, _ in measured([design], 2) for row in found]
    assert [(row.feature, row.probes) for row in rows] == [
        (feature, probes)
        for probes in ("single", "joint")
        for feature in ("strong", "noise, block of 0.95")
    ]
    assert all(isinstance(row, Row) and row.low <= row.relevant <= row.high for row in rows)
    assert rows[0].n_features == 2
    assert rows[1].n_features == 20
    page = make_page([design], 2)
    assert page.count("| tiny | ") == 3  # noise, what is found, and the cost


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_designs_are_what_they_say(design):
    X, y, what = design.draw(np.random.default_rng(0), 0)
    assert X.shape == (len(y), len(what))
    kinds = len(np.unique(y))
    assert {"regression": kinds == len(y), "classification": kinds == 2}.get(
        design.problem, 2 < kinds < 10
    )
