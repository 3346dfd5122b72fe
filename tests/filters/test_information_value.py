"""InformationValue against its definition, and its mean under permutation against all of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_filters as by_labels
import reference_filters_ranks as reference
from cases import draw_case
from echelon.filters import InformationValue


@pytest.mark.parametrize("cuts", ["mdl", "quantile"])
def test_values(cuts):
    for seed in range(150):
        case = draw_case(seed)
        n_bins = 2 + seed % 5
        selector = InformationValue(
            1.0, discretize=cuts, n_bins=n_bins, categorical_features=case.nominal
        ).fit(case.X, case.y)
        columns = by_labels.discretize(*case.lists, cuts, n_bins)
        expected = [reference.information_value(column, case.y.tolist()) for column in columns]
        assert_allclose(selector.information_values_, expected, atol=1e-9, err_msg=str(seed))


def test_the_mean_under_permutation_is_exact():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 3, 7), np.array([0, 1, rng.integers(0, 3), 1, 0, 0, 1])
        selector = InformationValue(1, categorical_features=[0]).fit(x[:, None].astype(float), y)
        assert_allclose(selector.chance_values_, [reference.chance_value(x.tolist(), y.tolist())])
        assert_allclose(selector.scores_, selector.information_values_ - selector.chance_values_)


def test_noise_scores_nothing_on_average(rng):
    """Whatever the number of bins, where the plain value grows with it."""
    y = np.arange(60) % 2
    few = InformationValue(1.0, n_bins=2).fit(rng.normal(size=(60, 2000)), y)
    many = InformationValue(1.0, n_bins=12).fit(rng.normal(size=(60, 2000)), y)
    assert many.information_values_.mean() > 5 * few.information_values_.mean()
    for selector in (few, many):
        error = selector.scores_.std() / np.sqrt(2000)
        assert abs(selector.scores_.mean()) < 4 * error


def test_weights_of_evidence_by_hand():
    """30 of 40 goods and 5 of 20 bads in bin b, the rest in a; half a sample in every cell."""
    frame = pd.DataFrame({"x": ["b"] * 35 + ["a"] * 25})
    y = np.array(["good"] * 30 + ["bad"] * 5 + ["good"] * 10 + ["bad"] * 15)
    selector = InformationValue(1).fit(frame, y)
    assert selector.classes_.tolist() == ["bad", "good"]
    assert selector.bin_counts_[0].tolist() == [[5, 30], [15, 10]]  # b came first
    good = np.log([30.5 / 41 / (5.5 / 21), 10.5 / 41 / (15.5 / 21)])
    assert_allclose(selector.weights_of_evidence_[0][:, 1], good)
    assert_allclose(selector.weights_of_evidence_[0][:, 0], -good)


def test_missing_is_a_bin_and_an_empty_cell_has_a_weight():
    y = np.arange(40) % 2
    X = np.where(y, np.nan, np.arange(40.0))[:, None]
    selector = InformationValue(1, n_bins=2).fit(X, y)
    assert selector.bin_counts_[0].tolist() == [[10, 0], [10, 0], [0, 20]]
    assert_array_equal(selector.bin_starts_[0], [0, 20, np.nan])
    assert np.isfinite(selector.weights_of_evidence_[0]).all()
    assert selector.weights_of_evidence_[0][2, 1] > 3


def test_labels_that_do_not_occur_are_no_bins(rng):
    column = pd.Categorical(rng.choice(["a", "b"], 50), categories=["a", "b", "c", "d"])
    y = np.arange(50) % 2
    with_spare = InformationValue(1).fit(pd.DataFrame({"x": column}), y)
    without = InformationValue(1).fit(pd.DataFrame({"x": np.asarray(column)}), y)
    assert_allclose(with_spare.scores_, without.scores_)


# ------------------------------------------------------------------------------ isotonic bins


def test_isotonic_bins_are_those_of_pooled_violators():
    several = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n, n_bins = int(rng.integers(12, 60)), int(rng.integers(2, 8))
        x = rng.integers(0, rng.integers(2, 20), n).astype(float)
        y = rng.random(n) < rng.random() * (1 + (seed % 2) * x / x.max() * rng.choice([1, -1]))
        y = y.astype(int)
        y[:2] = 0, 1
        if seed % 3 == 0:
            x[rng.random(n) < 0.2] = np.nan
        selector = InformationValue(1, discretize="isotonic", n_bins=n_bins).fit(x[:, None], y)
        labels = by_labels.discretize(x[:, None].tolist(), y.tolist(), [False], "quantile", n_bins)[
            0
        ]
        pools = reference.pooled_bins(x.tolist(), labels, y.tolist())
        counts = selector.bin_counts_[0]
        assert counts.tolist() == pools, seed
        n_present = len(counts) - bool(np.isnan(x).any())
        shares = counts[:n_present, 1] / counts[:n_present].sum(axis=1)
        assert (np.diff(shares) > 0).all() or (np.diff(shares) < 0).all()
        weights = np.diff(selector.weights_of_evidence_[0][:n_present, 1])
        several += len(weights) > 1
    assert several > 20


def test_isotonic_bins_are_for_two_classes(rng):
    with pytest.raises(ValueError, match='for 3 classes, got "isotonic"'):
        InformationValue(discretize="isotonic").fit(rng.normal(size=(30, 2)), np.arange(30) % 3)


def test_frames_hold_all_bins(rng):
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["x", "y"], 80)})
    for y in (np.arange(80) % 2, np.arange(80) % 3):
        selector = InformationValue(n_bins=4).fit(X, y)
        frame = selector.frame()
        n_shown = 1 if y.max() == 1 else 3
        assert len(frame) == n_shown * sum(map(len, selector.bin_counts_))
        total = frame.groupby("feature", sort=False)["information"].sum() / n_shown
        assert_allclose(total, selector.information_values_)
        assert_allclose(frame["share"] * frame["samples"] % 1, 0, atol=1e-9)


# ----------------------------------------------------------------- bins by name, and their weights


def mixed(rng, n=300):
    """Numbers, categories, an order, and values that are missing; two classes."""
    z = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "number": z.round(1),
            "town": pd.Series(rng.choice(["Ulm", "Bonn", "Kiel"], n)),
            "size": pd.Categorical(
                np.array(["S", "M", "L"])[np.digitize(z, [-0.5, 0.5])],
                ["S", "M", "L"],
                ordered=True,
            ),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["number", "town"]] = None
    return frame, np.where(z + rng.normal(size=n) > 0, "yes", "no")


def test_bins_have_the_names_of_their_categories(rng):
    X, y = mixed(rng)
    frame = InformationValue(1.0).fit(X, y).frame()
    for name in ("town", "size"):
        counts = X[name].value_counts()
        part = frame[frame["feature"] == name].dropna(subset="category")
        assert dict(zip(part["category"], part["samples"], strict=True)) == counts.to_dict()
    assert frame[frame["feature"] == "number"]["category"].isna().all()
    assert (
        frame[frame["start"].isna()]["samples"].tolist()
        == X[["number", "town"]].isna().sum().tolist()
    )
    merged = InformationValue(1.0, n_bins=2).fit(X, y).frame()
    assert any(" to " in each for each in merged[merged["feature"] == "size"]["category"])


@pytest.mark.parametrize("cuts", ["mdl", "quantile", "isotonic"])
def test_samples_get_the_weights_of_their_bins(cuts, rng):
    """Bin by bin: so many samples have the weight of a bin as fell into it."""
    X, y = mixed(rng)
    fitted = InformationValue(1.0, discretize=cuts).fit(X, y)
    weights, frame = fitted.to_weights_of_evidence(X), fitted.frame()
    assert weights.columns.tolist() == X.columns.tolist()
    for name in X:
        part = frame[frame["feature"] == name]
        expected = part.groupby(part["weight_of_evidence"].round(9))["samples"].sum()
        found = weights[name].round(9).value_counts()
        assert found.sort_index().to_dict() == expected.sort_index().to_dict()
        ones = part[part["share"] == part["share"].max()]["weight_of_evidence"].iloc[0]
        inside = weights[name] == ones
        assert_allclose((y[inside] == "yes").mean(), part["share"].max())


def test_what_the_fit_did_not_see_has_no_weight(rng):
    X, y = mixed(rng)
    fitted = InformationValue(1.0).fit(X, y)
    later = X.head(3).copy()
    later["number"] = [-99.0, 99.0, np.nan]
    later["town"] = ["Wien", None, "Ulm"]
    later["size"] = [None, "S", "L"]
    found = fitted.to_weights_of_evidence(later)
    number = fitted.weights_of_evidence_[0][:, 1]
    assert found["number"].tolist() == [number[0], number[-2], number[-1]]
    assert found["town"][0] == 0
    assert found["town"][1] == fitted.weights_of_evidence_[1][-1, 1]
    assert found["size"][0] == 0, "nothing was missing"
    with pytest.raises(ValueError, match="feature names"):
        fitted.to_weights_of_evidence(X[["town", "number", "size"]])
    with pytest.raises(ValueError, match="two classes, got 3 classes"):
        InformationValue(1.0).fit(X, np.arange(300) % 3).to_weights_of_evidence(X)


def test_arrays_have_weights_as_well(rng):
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 2
    fitted = InformationValue(2).fit(X, y)
    assert fitted.to_weights_of_evidence(X).shape == (80, 2)
