"""What must not change an answer, for every selector; or the reason why it does."""

import os
import pickle
from inspect import signature
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils import get_tags

from echelon import AutoSelector, CurveSelector, RelevanceBounds
from echelon.methods import METHODS, ORDERED
from estimator_cases import ESTIMATORS, made

MANY_FITS = (AutoSelector, CurveSelector, RelevanceBounds)
SELECTORS = [each for each in ESTIMATORS if hasattr(each, "get_support")]
ONLY_ORDERED = {m.estimator for m in METHODS.values() if m.targets == (ORDERED,)}

VISITS = "samples are visited in a random order of rows, sorted by class"
EQUALS = "equally good features go by their place, since nothing else tells them apart"
DRAWS = "samples are drawn by their row"
FOLDS = "folds are made of rows in their order"
COMPARES = "values of a sample are compared with each other, as they are"
TREES = "trees draw features by their number"

REASONS = {
    "rows": {
        "Simba": VISITS, "OSimba": VISITS, "ForwardLinear": DRAWS, "ForwardAdditive": DRAWS,
        "ForestImportance": DRAWS, "AutoSelector": FOLDS, "CurveSelector": FOLDS,
        "RelevanceBounds": "probes are permutations of rows",
        "MRMR": "where it ends is judged by a permutation of the rows",
        "ConditionalEvidence": FOLDS, "KnockoffSelector": DRAWS, "StabilitySelector": DRAWS,
    },
    "columns": {
        "ForestImportance": TREES, "AutoSelector": TREES, "NeighborhoodRoughSet": EQUALS,
        "OrderedSoftMargin": EQUALS, "RankOrderSelector": EQUALS,
        "RelevanceBounds": "probes are drawn from the columns in turn",
        "ConditionalEvidence": "new values of the columns are drawn in turn",
        "KnockoffSelector": "knockoffs are drawn of one column after the other",
    },
    "names": {"Simba": VISITS},
    "units": {"RankOrderSelector": COMPARES},
    "turned": {
        "RankOrderSelector": COMPARES,
        "ForestImportance": "bootstrap samples may tie at the ends",
        "AutoSelector": FOLDS,
        "ConditionalEvidence": FOLDS,
        "KnockoffSelector": DRAWS,
        "StabilitySelector": DRAWS,
        "ForwardAdditive": "bins are filled from below",
        "OSimba": VISITS,
        "Simba": VISITS,
    },
}  # fmt: skip


def found(selector):
    """What a fitted selector found, by feature: scores or, without them, ranks."""
    return selector.scores_ if hasattr(selector, "scores_") else selector.ranking_


def problem(seed, levels=0):
    """Samples without ties, or of a few levels, and three ordered classes that some follow."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(36, 5))
    y = np.argsort(np.argsort(X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=36))) % 36 // 12
    if levels:
        X = np.floor(levels * (X - X.min(0)) / np.ptp(X, axis=0) * 0.999)
    return X, y, rng


def without(kind, parameter=None):
    """The selectors that do not have a reason for this, and have a parameter if one is named."""
    able = [s for s in SELECTORS if parameter is None or parameter in signature(s).parameters]
    return [each for each in able if each.__name__ not in REASONS.get(kind, {})]


def invariant(kind, parameter=None):
    """Run a test for every selector without a reason, on some problems."""

    def decorate(test):
        def check(estimator):
            # Some fit others within folds.
            often = 1 if issubclass(estimator, MANY_FITS) else 5

            @settings(max_examples=often)
            @given(seed=st.integers(0, 2**16))
            def on_some_problems(seed):
                test(estimator, seed)

            on_some_problems()

        check.__doc__ = test.__doc__
        return pytest.mark.filterwarnings("ignore::UserWarning")(
            pytest.mark.parametrize("estimator", without(kind, parameter))(check)
        )

    return decorate


@invariant("rows")
def test_the_order_of_rows(estimator, seed):
    X, y, rng = problem(seed)
    rows = rng.permutation(len(X))
    expected = found(made(estimator).fit(X, y))
    assert_allclose(found(made(estimator).fit(X[rows], y[rows])), expected, atol=1e-6)


@invariant("columns")
def test_the_order_of_columns(estimator, seed):
    X, y, rng = problem(seed)
    columns = rng.permutation(X.shape[1])
    expected = found(made(estimator).fit(X, y))[columns]
    assert_allclose(found(made(estimator).fit(X[:, columns], y)), expected, atol=1e-6)


@invariant("names")
def test_names_of_ordered_classes(estimator, seed):
    X, y, _ = problem(seed)
    names = pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True)
    expected = found(made(estimator).fit(X, y))
    assert_array_equal(found(made(estimator).fit(X, 10 * y - 7)), expected)
    assert_allclose(found(made(estimator).fit(X, names)), expected, atol=1e-9)


@invariant("units")
def test_units(estimator, seed):
    X, y, rng = problem(seed)
    unit, zero = 2.0 ** rng.integers(-4, 5, X.shape[1]), rng.integers(-3, 4, X.shape[1])
    expected = found(made(estimator).fit(X, y))
    assert_allclose(found(made(estimator).fit(unit * X, y)), expected, atol=1e-6)
    assert_allclose(found(made(estimator).fit(unit * X + zero, y)), expected, atol=1e-5)


@invariant("turned")
def test_samples_and_ordered_classes_turned_round(estimator, seed):
    X, y, _ = problem(seed)
    expected = found(made(estimator).fit(X, y))
    assert_allclose(found(made(estimator).fit(-X, 2 - y)), expected, atol=1e-6)


@invariant("containers")
def test_containers_and_layouts(estimator, seed):
    X, y, _ = problem(seed)
    expected = found(made(estimator).fit(X, y))
    frame = pd.DataFrame(X, columns=list("abcde"), index=range(7, 43))
    for same in (np.asfortranarray(X), frame, X.tolist(), np.repeat(X, 2, axis=1)[:, ::2]):
        assert_array_equal(found(made(estimator).fit(same, y)), expected)


@invariant("precision")
def test_single_precision_of_whole_numbers(estimator, seed):
    X, y, _ = problem(seed, levels=5)
    expected = found(made(estimator).fit(X, y))
    for dtype in (np.float32, np.int64):
        assert_allclose(found(made(estimator).fit(X.astype(dtype), y)), expected, atol=1e-5)


@invariant("jobs")
def test_jobs_and_copies(estimator, seed):
    X, y, _ = problem(seed)
    first = made(estimator).fit(X, y)
    again = clone(first).fit(X, y)
    assert_array_equal(found(again), found(first))
    assert_array_equal(found(pickle.loads(pickle.dumps(first))), found(first))
    assert_array_equal(found(first.fit(X, y)), found(again))
    if "n_jobs" in first.get_params():
        with patch.dict(os.environ, NUMBA_NUM_THREADS="2"):  # on one core, too
            with_threads = made(estimator, n_jobs=None).fit(X, y)
        assert_array_equal(found(with_threads), found(first))


def assert_engine_finds_the_same(engine, estimator, seed):
    for levels in (0, 3):  # without ties, and with many
        X, y, _ = problem(seed, levels)
        expected = found(made(estimator, engine="numba").fit(X, y))
        assert_allclose(found(made(estimator, engine=engine).fit(X, y)), expected, atol=1e-6)


@invariant("engines", "engine")
def test_the_engine_that_compiles_nothing(estimator, seed):
    assert_engine_finds_the_same("numpy", estimator, seed)


@invariant("engines", "engine")
def test_the_engine_of_torch(estimator, seed):
    pytest.importorskip("torch", reason='needs pip install "echelon[torch]"')
    assert_engine_finds_the_same("torch", estimator, seed)


def test_reasons_are_for_selectors_that_exist():
    known = {each.__name__ for each in SELECTORS}
    for kind, reasons in REASONS.items():
        assert set(reasons) <= known, kind


def test_methods_that_must_be_told_an_order_are_tested_with_one():
    assert {each.__name__ for each in SELECTORS} >= ONLY_ORDERED
    assert all(get_tags(made(each)).target_tags.required for each in SELECTORS)
