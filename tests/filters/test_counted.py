"""Rank correlation from counts: that of the rows themselves, and within the bound where binned."""

import numpy as np
import pandas as pd
import pytest

from echelon import RankCorrelation
from echelon.filters import Counts, counted_association
from reference_large import tau_b, tau_b_bounds


def counts_of(x_codes, y_codes, *, nominal=False, x_single=None, y_single=None):
    shape = int(x_codes.max()) + 1, int(y_codes.max()) + 1
    cells = np.zeros(shape, int)
    there = x_codes >= 0
    np.add.at(cells, (x_codes[there], y_codes[there]), 1)
    single = [np.ones(n, bool) if s is None else s
              for n, s in zip(shape, (x_single, y_single), strict=True)]  # fmt: skip
    return Counts(cells, nominal, *single)


def coded(values):
    codes = np.full(len(values), -1)
    there = ~np.isnan(values)
    codes[there] = np.unique(values[there], return_inverse=True)[1]
    return codes


def binned(values, n_bins):
    """Codes of bins that are all met, and which of them are one value."""
    cuts = np.unique(np.quantile(values, np.arange(1, n_bins) / n_bins, method="inverted_cdf"))
    cuts = np.union1d(cuts, np.nextafter(0.0, -1.0))  # so that 0, which is frequent, is alone
    codes = np.unique(np.searchsorted(cuts, values), return_inverse=True)[1]
    single = np.array([len(np.unique(values[codes == c])) == 1 for c in range(codes.max() + 1)])
    return codes, single


@pytest.mark.parametrize("measure", ["kendall", "spearman"])
@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
def test_counts_say_what_rows_say(kind, measure, rng):
    for n_classes in (2, 3, 5):
        y = rng.integers(0, n_classes, 150)
        numbers = rng.normal(size=150).round(1) + y / 2
        numbers[rng.random(150) < 0.2] = np.nan
        labels = pd.Series(rng.choice(["u", "v", "w", None], 150, p=[0.3, 0.3, 0.3, 0.1]))
        outcome = y + rng.integers(0, 9, 150) / 10 if kind == "regression" else y
        X = pd.DataFrame({"number": numbers, "label": labels})
        rows = RankCorrelation(kind=kind, measure=measure).fit(X, outcome)
        ordered = kind != "classification" or n_classes == 2
        codes = coded(outcome.astype(float))
        tables = [
            counts_of(coded(numbers), codes),
            counts_of(pd.factorize(labels)[0], codes, nominal=True),
        ]
        for j, table in enumerate(tables):
            found = counted_association(table, ordered, measure)
            assert found.error == 0
            np.testing.assert_allclose(found.strength, rows.scores_[j], atol=1e-12)
            np.testing.assert_allclose(found.correlation, rows.correlations_[j], atol=1e-12)
            np.testing.assert_allclose(found.p_value, rows.p_values_[j], rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("many", [False, True])
def test_bound_is_that_of_all_pairs(many, rng):
    for _ in range(20):
        x = rng.normal(size=40).round(1 + many)
        y = rng.integers(0, 3, 40) if not many else rng.normal(size=40) + x
        x_codes, x_single = binned(x, 6)
        y_codes, y_single = binned(y.astype(float), 7)
        table = counts_of(x_codes, y_codes, x_single=x_single, y_single=y_single)
        found = counted_association(table, True)
        low, high = tau_b_bounds(x_codes, y_codes, x_single, y_single)
        np.testing.assert_allclose(found.correlation, tau_b(x_codes, y_codes))
        widest = max(high - found.correlation, found.correlation - low)
        np.testing.assert_allclose(found.error, widest, atol=1e-12)
        assert low - 1e-12 <= tau_b(x, y) <= high + 1e-12


@pytest.mark.parametrize("measure", ["kendall", "spearman"])
@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
def test_binning_stays_within_its_bound(kind, measure, rng):
    errors = {}
    for n_bins in (5, 40, 300):
        for effect in (0.0, 0.2, 1.0):
            y = rng.integers(0, 4, 3000)
            x = rng.normal(size=3000) + effect * y
            x[rng.random(3000) < 0.3] = 0.0
            outcome = y + rng.normal(size=3000) if kind == "regression" else y
            rows = RankCorrelation(kind=kind, measure=measure).fit(x[:, None], outcome)
            x_codes, x_single = binned(x, n_bins)
            y_codes, y_single = y, None
            if kind == "regression":
                y_codes, y_single = binned(outcome, n_bins)
            table = counts_of(x_codes, y_codes, x_single=x_single, y_single=y_single)
            found = counted_association(table, kind != "classification", measure)
            assert abs(found.strength - rows.scores_[0]) <= found.error + 1e-12
            errors.setdefault(n_bins, []).append(found.error)
    assert max(errors[300]) < max(errors[40]) < max(errors[5])
    assert max(errors[300]) < (0.05 if kind == "classification" else 0.02)


def test_nothing_is_said_of_a_constant():
    for cells in ([[3, 4]], [[5], [6]], [[0, 0], [0, 0]]):
        table = np.array(cells)
        single = [np.ones(n, bool) for n in table.shape]
        found = counted_association(Counts(table, False, *single), True)
        assert (found.strength, found.p_value, found.error) == (0, 1, 0)
