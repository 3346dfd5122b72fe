"""OrdEval against its definition, and what its factors say where the answer is known."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_ordeval as reference
from cases import draw_case
from echelon import OrdEval

KINDS = (1, -1, 0)


@pytest.mark.parametrize("ties", ["share", "index"])
def test_factors(ties):
    for seed in range(80):
        case = draw_case(seed)
        metric = ["manhattan", "euclidean"][seed % 2]
        X, y, nominal = case.lists
        analysis = OrdEval(
            n_neighbors=case.k, metric=metric, ties=ties, n_shuffles=0,
            categorical_features=case.nominal,
        ).fit(case.X, case.y)  # fmt: skip
        found = reference.neighbours(X, nominal, case.k, metric, ties)
        for f, values in enumerate(analysis.values_):
            column = [row[f] for row in X]
            different = sorted({v for v in column if v == v})
            assert values.tolist() == ([] if nominal[f] or len(different) > 20 else different), (
                seed,
                f,
            )
            assert analysis.value_counts_[f].tolist() == [column.count(v) for v in values]
            for s, kind in enumerate(KINDS):
                expected = reference.factors(column, y, found, kind)
                by_value = [expected.get(v, np.nan) for v in values.tolist()]
                assert_allclose(analysis.factors_[f][s], by_value, atol=1e-9, err_msg=str(seed))
                whole = expected.get("all", np.nan) if len(values) else np.nan
                assert_allclose(analysis.feature_factors_[f, s], whole, atol=1e-9)


def survey(rng, n=400):
    """Five grades each: one that always counts, one that only counts at the top, and noise."""
    X = rng.integers(1, 6, (n, 3))
    return X, X[:, 0] + 2 * (X[:, 1] == 5)


def test_values_that_matter_stand_out(rng):
    X, y = survey(rng)
    analysis = OrdEval(random_state=0).fit(X, y)
    upward, downward, _ = analysis.factors_[1]
    low, _, high = np.moveaxis(analysis.null_quantiles_[1], 2, 0)
    assert upward[4] > high[0, 4]
    assert np.nanmax(upward[1:4]) < high[0, 4]
    assert downward[3] > high[1, 3]
    assert (analysis.factors_[0][0, 1:] > analysis.null_quantiles_[0][0, 1:, 2]).all()
    assert_array_equal(low <= high, ~np.isnan(low))


def test_noise_is_rarely_above_its_upper_quantile():
    above = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(1, 6, (200, 5))
        y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=200), [4, 6, 8])
        table = OrdEval(random_state=seed, n_shuffles=100).fit(X, y).frame()
        noise = table[(table["feature"] > 1) & table["factor"].notna()]
        above.append((noise["factor"] > noise["high"]).mean())
    assert np.mean(above) < 0.05


def test_turning_the_outcome_round_takes_factors_away(rng):
    X, y = survey(rng)
    up, turned = (OrdEval(n_shuffles=0).fit(X, target) for target in (y, -y))
    assert up.feature_factors_[0, 0] > 0.9
    assert turned.feature_factors_[0, 0] < 0.1
    falling = OrdEval(n_shuffles=0).fit(-X, -y)  # values in the opposite order, too
    assert_allclose(falling.factors_[0][0], up.factors_[0][1][::-1])


def test_features_that_go_against_the_outcome_are_recognised(rng):
    X, y = survey(rng)
    turned = X.copy()
    turned[:, 0] = 6 - X[:, 0]
    answers = pd.DataFrame(turned, columns=["strong", "top", "noise"])
    analysis = OrdEval(random_state=0).fit(answers, y)
    assert analysis.reversed_.tolist() == [True, False, False]
    table = analysis.frame()
    assert table.loc[table["reversed"], "feature"].unique().tolist() == ["strong"]
    assert not (table["factor"] > table["high"])[
        table["reversed"] & (table["kind"] != "anchoring")
    ].any()
    missing = answers.astype(float).where(rng.random(answers.shape) > 0.1)
    assert OrdEval(random_state=0).fit(missing, y).reversed_.tolist() == [True, False, False]
    assert not OrdEval(random_state=0).fit(X, y).reversed_.any()
    assert OrdEval(random_state=0).fit(X, -y).reversed_.tolist() == [True, True, False]
    assert not OrdEval(n_shuffles=0).fit(answers, y).reversed_.any()


def test_noise_is_rarely_taken_for_reversed():
    turned = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(1, 6, (120, 6))
        turned += (
            OrdEval(random_state=seed, n_shuffles=100)
            .fit(X, rng.permutation(X[:, 0]))
            .reversed_.tolist()
        )
    assert np.mean(turned) < 0.05


def test_ends_of_a_scale_have_no_steps_beyond(rng):
    analysis = OrdEval(n_shuffles=5, random_state=0).fit(*survey(rng))
    for factors, quantiles in zip(analysis.factors_, analysis.null_quantiles_, strict=True):
        assert np.isnan(factors[0, 0])
        assert np.isnan(factors[1, -1])
        assert np.isnan(quantiles[0, 0]).all()
        assert not np.isnan(factors[2]).any()


def test_threads_and_seeds(rng):
    X, y = survey(rng, 120)
    one, two, three = (
        OrdEval(random_state=seed, n_jobs=n).fit(X, y) for seed, n in ((0, 1), (0, 2), (1, 1))
    )
    assert_array_equal(one.feature_null_quantiles_, two.feature_null_quantiles_)
    assert (one.feature_null_quantiles_ != three.feature_null_quantiles_).any()
    assert_array_equal(one.feature_factors_, three.feature_factors_)


def test_labels_keep_their_names(rng):
    X, y = survey(rng, 60)
    words = ["poor", "fair", "good", "fine", "great"]
    answers = pd.Categorical.from_codes(X[:, 0] - 1, words, ordered=True)
    frame = pd.DataFrame({"service": answers, "half": X[:, 1] / 2, "shop": list("ab") * 30})
    analysis = OrdEval(random_state=0).fit(frame, y)
    assert analysis.values_[0].tolist() == words
    assert analysis.values_[1].tolist() == [0.5, 1, 1.5, 2, 2.5]
    assert len(analysis.values_[2]) == 0
    table = analysis.frame()
    assert len(table) == 3 * 10
    first = table[(table["feature"] == "service") & (table["kind"] == "upward")]
    assert first["value"].tolist() == words
    assert_array_equal(first["factor"], analysis.factors_[0][0])
    polars = pl.DataFrame(
        {"service": answers.astype(str).tolist(), "half": X[:, 1] / 2}
    ).with_columns(pl.col("service").cast(pl.Enum(words)))
    assert OrdEval(n_shuffles=0).fit(polars, y).values_[0].tolist() == words


def test_quantities_count_in_distances_only(rng):
    X, y = survey(rng, 200)
    far = np.where(y > np.median(y), 50.0, 0.0) + rng.random(200)
    with_far = OrdEval(n_shuffles=0).fit(np.column_stack([X, far]), y)
    assert len(with_far.values_[3]) == 0
    without = OrdEval(n_shuffles=0).fit(X, y)
    assert (with_far.factors_[0] != without.factors_[0]).any()


def test_what_has_no_order_is_refused(rng):
    with pytest.raises(ValueError, match=r"`y` holds labels without a known order"):
        OrdEval().fit(rng.integers(0, 3, (20, 2)), list("ab") * 10)
    words = pd.DataFrame({"staff": ["poor", "good"] * 10, "price": ["good", "poor"] * 10})
    with pytest.raises(ValueError, match=r"`X` holds labels without an order only.*'staff'"):
        OrdEval().fit(words, np.arange(20) % 3)
    with pytest.raises(ValueError, match=r"'coverage'.*Got 1"):
        OrdEval(coverage=1).fit(rng.integers(0, 3, (20, 2)), np.arange(20) % 2)


def test_engines_agree(rng):
    pytest.importorskip("torch")
    X, y = survey(rng, 150)
    one, other = (
        OrdEval(n_shuffles=3, random_state=0, engine=engine).fit(X, y)
        for engine in ("numba", "torch")
    )
    assert_allclose(other.feature_factors_, one.feature_factors_, atol=1e-9)
    assert_allclose(other.feature_null_quantiles_, one.feature_null_quantiles_, atol=1e-9)
