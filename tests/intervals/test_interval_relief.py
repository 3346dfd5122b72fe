"""IntervalRelief against the reference, and what it takes and returns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import reference_interval as reference
from echelon import IntervalKMeans, IntervalRelief, ReliefF, as_intervals
from echelon.intervals._intervals import Scale

MARGINS = ("prototype", "nearest", "componentwise")
DISTANCES = ("l1", "l2", "linf")
KINDS = ("random", "levels", "points", "constant", "offset")
SEEDS = range(60)


def draw(seed, *, missing=None):
    """Intervals of an awkward kind, and classes of which one may have a single sample."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    m, p = int(rng.integers(4, 30)), int(rng.integers(1, 7))
    lower, width = rng.normal(size=(m, p)), rng.exponential(size=(m, p))
    if kind == "levels":
        lower, width = rng.integers(0, 4, (m, p)) * 1.0, rng.integers(0, 3, (m, p)) * 1.0
    if kind == "points":
        lower, width = rng.integers(0, 5, (m, p)) * 0.1, 0.0
    if kind == "constant":
        flat = rng.random(p) < 0.5
        lower, width = np.where(flat, 3.0, lower), np.where(flat, 1.0, width)
    if kind == "offset":
        lower = lower + 1e6
    X = np.stack([lower, lower + width], axis=2)
    X[rng.random((m, p)) < (rng.choice([0, 0.1, 0.5]) if missing is None else missing)] = np.nan
    y = rng.integers(0, rng.integers(2, 6), m)
    y[:2] = 0, 1
    if seed % 3 == 0:
        y[-1] = 9  # alone in its class
    return X, y


def fitted(X, y, margin, distance, **params):
    return IntervalRelief(margin=margin, distance=distance, **params).fit(X, y)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("margin", MARGINS)
def test_equals_reference(margin, distance):
    for seed in SEEDS:
        X, y = draw(seed)
        expected = reference.interval_relief(X.tolist(), y.tolist(), margin, distance)
        found = fitted(X, y, margin, distance).scores_
        assert_allclose(found, expected, atol=1e-8, err_msg=str(seed))


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("margin", MARGINS)
def test_float32_equals_reference(margin, distance):
    for seed in range(1, 40, 2):
        X, y = draw(seed)
        single = (X - np.nanmin(X)).astype(np.float32)
        expected = reference.interval_relief(
            single.astype(float).tolist(), y.tolist(), margin, distance, tolerance=1e-5
        )
        found = fitted(single, y, margin, distance).scores_
        assert found.dtype == np.float64
        assert_allclose(found, expected, atol=2e-5, err_msg=str(seed))


@pytest.mark.parametrize("distance", DISTANCES)
def test_ties_by_index(distance):
    for seed in range(1, 60, 5):  # levels
        X, y = draw(seed)
        expected = reference.interval_relief(X.tolist(), y.tolist(), "nearest", distance, "index")
        found = fitted(X, y, "nearest", distance, ties="index").scores_
        assert_allclose(found, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("missing", [0, 0.2])
def test_nearest_with_many_rows_and_features(distance, missing):
    """More than one block of lanes and one chunk of columns."""
    rng = np.random.default_rng(0)
    lower = rng.random((150, 70))
    X = np.stack([lower, lower + rng.random((150, 70))], axis=2)
    X[rng.random((150, 70)) < missing] = np.nan
    y = np.arange(150) % 2
    expected = reference.interval_relief(X.tolist(), y.tolist(), "nearest", distance)
    assert_allclose(fitted(X, y, "nearest", distance).scores_, expected, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("margin", MARGINS)
def test_order_of_rows_and_threads_do_not_matter(margin, distance):
    X, y = draw(11)
    X, y = np.tile(X, (900, 1, 1)), np.tile(y, 900)
    rows = np.random.default_rng(0).permutation(len(y))[:9000]
    one = fitted(X[:9000], y[:9000], margin, distance, n_jobs=1).scores_
    two = fitted(X[:9000], y[:9000], margin, distance, n_jobs=2).scores_
    assert_array_equal(one, two)
    base = fitted(X[rows], y[rows], margin, distance).scores_
    again = fitted(X[rows[::-1]], y[rows[::-1]], margin, distance).scores_
    assert_allclose(base, again, atol=1e-12)


def test_a_class_of_one_sample():
    X = np.array([[[0.0, 1.0]], [[1.0, 2.0]], [[9.0, 10.0]]])
    y = [0, 0, 1]
    # Scaled by 10.  Samples 0 and 1 are each other's hit; sample 2 has none and does not count.
    assert_allclose(fitted(X, y, "nearest", "linf").scores_, ((0.9 - 0.1) + (0.8 - 0.1)) / 3)
    # Prototypes [0.5, 1.5] and [9, 10]: sample 2 counts by its miss alone.
    expected = ((0.9 - 0.05) + (0.8 - 0.05) + 0.85) / 3
    for margin in ("prototype", "componentwise"):
        assert_allclose(fitted(X, y, margin, "linf").scores_, expected)


def test_points_are_intervals_of_width_zero():
    X, y = load_iris(return_X_y=True)
    for margin in MARGINS:
        both = np.stack([X, X], axis=2)
        scores = {d: fitted(X, y, margin, d).scores_ for d in DISTANCES}
        for distance, factor in zip(DISTANCES, (2, np.sqrt(2), 1), strict=True):
            assert_array_equal(scores[distance], fitted(both, y, margin, distance).scores_)
            assert_allclose(scores[distance], factor * scores["linf"], atol=1e-12)
    # With one neighbour and two classes of equal size, ReliefF is the same sum.
    X, y = X[y < 2], y[y < 2]
    expected = ReliefF(n_neighbors=1).fit(X, y).scores_
    assert_allclose(fitted(X, y, "nearest", "linf").scores_, expected, atol=1e-12)


def test_one_missing_bound_is_a_missing_interval():
    X, y = draw(5, missing=0)
    half, whole = X.copy(), X.copy()
    half[0, 0, 1] = half[1, 0, 0] = np.nan
    half[1, 0, 1] = 1e9  # says nothing about the range
    whole[:2, 0] = np.nan
    for margin in MARGINS:
        expected = fitted(whole, y, margin, "l2")
        assert_array_equal(fitted(half, y, margin, "l2").scores_, expected.scores_)
        assert_array_equal(fitted(half, y, margin, "l2").ranges_, expected.ranges_)


@pytest.mark.parametrize("factor", [1e308, 1e-310])
def test_ranges_at_the_ends_of_floating_point(factor):
    X, y = draw(1, missing=0)
    X = X / np.abs(X).max()
    for margin in MARGINS:
        expected = fitted(X, y, margin, "l2")
        found = fitted(X * factor, y, margin, "l2")
        assert_allclose(found.scores_, expected.scores_, atol=1e-12)
        assert_allclose(found.prototypes_ / factor, expected.prototypes_, atol=1e-12)
    values = np.concatenate([X, X[:1]]) * factor
    ranges = np.array([[values[:, f].min(), values[:, f].max()] for f in range(X.shape[1])])
    assert_allclose(Scale.of(values, ranges).scaled().max(axis=(0, 2)), 1)


def test_a_feature_that_is_always_missing_or_constant():
    X, y = draw(0, missing=0)
    X = np.concatenate([X, np.full((len(X), 1, 2), np.nan), np.full((len(X), 1, 2), 7.0)], axis=1)
    for margin in MARGINS:
        selector = fitted(X, y, margin, "l2")
        assert_array_equal(selector.scores_[-2:], 0)
        assert not selector.support_[-2:].any()  # 0 is the paper's threshold, but they say nothing
        assert_allclose(selector.prototypes_[:, -1], 7)


def test_prototypes_and_ranges_in_the_units_of_the_data():
    X, y = draw(20, missing=0.1)
    selector = IntervalRelief().fit(X, y)
    means = [np.nanmean(X[y == c], axis=0) for c in selector.classes_]
    assert_allclose(selector.prototypes_, means)
    assert_array_equal(selector.ranges_[:, 0], np.nanmin(X[:, :, 0], axis=0))
    assert_array_equal(selector.ranges_[:, 1], np.nanmax(X[:, :, 1], axis=0))


def test_threshold_is_reached_and_not_exceeded():
    X, y = draw(10, missing=0)
    scores = IntervalRelief().fit(X, y).scores_
    level = float(np.sort(scores)[0])
    assert IntervalRelief(threshold=level).fit(X, y).support_.all()
    assert IntervalRelief(2, threshold=None).fit(X, y).support_.sum() == 2
    shuffled = IntervalRelief(threshold="shuffle", random_state=0).fit(X, y)
    assert_array_equal(shuffled.support_, scores > shuffled.threshold_)


# ---------------------------------------------------------------------------- kinds of input


@pytest.fixture
def frame():
    X, _ = draw(10, missing=0)
    names = [f"f{j}" for j in range(X.shape[1])]
    columns = {}
    for j, name in enumerate(names):
        columns |= {f"{name}_min": X[:, j, 0], f"{name}_max": X[:, j, 1]}
    return as_intervals(pd.DataFrame(columns))


def test_arrays_and_frames_agree_and_come_back_as_they_were(frame):
    X, y = draw(10, missing=0)
    by_array = IntervalRelief(2).fit(X, y)
    for same in (frame, frame.astype(object), frame.to_numpy(), X.tolist(), np.asfortranarray(X)):
        assert_array_equal(IntervalRelief(2).fit(same, y).scores_, by_array.scores_)
    kept = by_array.support_
    assert_array_equal(by_array.transform(X), X[:, kept])
    assert by_array.transform(X.tolist()).shape == (len(X), 2, 2)
    by_frame = IntervalRelief(2).fit(frame, y)
    names = by_frame.get_feature_names_out()
    pd.testing.assert_frame_equal(by_frame.transform(frame), frame[names])
    assert_array_equal(by_frame.feature_names_in_, frame.columns)
    objects = IntervalRelief(2).fit_transform(frame.to_numpy(), y)
    assert_array_equal(objects, frame[names].to_numpy())
    back = by_array.inverse_transform(X[:, kept])
    assert_array_equal(back, np.where(kept[:, None], X, 0))


def test_set_output(frame):
    X, y = draw(10, missing=0)
    selector = IntervalRelief(2).set_output(transform="pandas").fit(X, y)
    found = selector.transform(X)
    expected = frame.iloc[:, np.flatnonzero(selector.support_)]
    assert_array_equal(found.to_numpy(), expected.to_numpy())
    assert found.columns.tolist() == selector.get_feature_names_out().tolist()
    selector.set_output(transform="polars")
    with pytest.raises(TypeError, match='"polars", which has no such columns'):
        selector.transform(X)


def test_a_threshold_that_nothing_reaches(frame):
    _, y = draw(10, missing=0)
    selector = IntervalRelief(threshold=9.0).fit(frame, y)
    assert selector.transform(frame).shape == (len(y), 0)


def test_intervals_and_numbers_in_one_frame(frame):
    X, y = draw(10, missing=0)
    mixed = frame.assign(f0=X[:, 0, 0])
    X[:, 0, 1] = X[:, 0, 0]
    assert_array_equal(IntervalRelief().fit(mixed, y).scores_, IntervalRelief().fit(X, y).scores_)
    points = pl.DataFrame({"a": X[:, 0, 0], "b": X[:, 1, 0]})
    assert IntervalRelief(1).fit(points, y).feature_names_in_.tolist() == ["a", "b"]


def test_masked_bounds_are_missing():
    X, y = draw(10, missing=0)
    gaps = X.copy()
    gaps[0, 0] = np.nan
    masked = np.ma.masked_invalid(gaps)
    assert_array_equal(
        IntervalRelief().fit(masked, y).scores_, IntervalRelief().fit(gaps, y).scores_
    )


def test_a_selector_before_clusters(frame):
    _, y = draw(10, missing=0)
    for margin in MARGINS:
        pipeline = make_pipeline(
            IntervalRelief(2, margin=margin), IntervalKMeans(2, random_state=0)
        )
        assert set(pipeline.fit(frame, y).predict(frame)) == {0, 1}


GOOD = np.array([[[0.0, 1.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.0, 3.0], [1.0, 1.0]]])


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((1, 0, 0), 5.0, r"got 5 and 2 in row 1 of feature 0\. Swap or correct"),
        ((2, 1, 0), np.inf, "got inf and 1 in row 2 of feature 1"),
        ((2, 1, 1), np.inf, "contains infinity"),
        ((0, 1, 0), -np.inf, "contains infinity"),
    ],
)
def test_bad_bounds(place, value, message):
    X = GOOD.copy()
    X[place] = value
    for estimator in (IntervalRelief(), IntervalKMeans(2)):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, [0, 1, 0])


def test_bad_shapes_and_kinds(frame):
    for shape in ((3, 2, 1), (3, 2, 3)):
        with pytest.raises(ValueError, match=r"\(n_samples, n_features, 2\), got \(3, 2"):
            IntervalRelief().fit(np.ones(shape), [0, 1, 0])
    with pytest.raises(ValueError, match=r"has 4 dimensions.*got \(3, 2, 2, 2\)"):
        IntervalRelief().fit(np.ones((3, 2, 2, 2)), [0, 1, 0])
    with pytest.raises(ValueError, match="X has 2 features, but IntervalRelief is expecting"):
        IntervalRelief().fit(np.ones((3, 3, 2)), [0, 1, 0]).transform(GOOD)
    days = pd.interval_range(pd.Timestamp("2024-01-01"), periods=3)
    with pytest.raises(TypeError, match="Column 'day' of `X` has dtype interval"):
        IntervalRelief().fit(pd.DataFrame({"day": days}), [0, 1, 0])
    with pytest.raises(ValueError, match=r"'margin'.*'both'"):
        IntervalRelief(margin="both").fit(GOOD, [0, 1, 0])
    with pytest.raises(ValueError, match=r"'distance'.*'l3'"):
        IntervalRelief(distance="l3").fit(GOOD, [0, 1, 0])


# ------------------------------------------------------------------------------- the paper


def test_table_2_of_the_paper(paper_data):
    """Delhi 2005-2007 with the L2 norm: the three subsets as printed."""
    data = pd.read_csv(paper_data / "E_interval" / "delhi_weather_2005_2007.csv")
    X, y = as_intervals(data), data["target"]
    printed = {
        "nearest": [1, 2, 3, 4, 5],
        "prototype": [1, 2, 4, 5],
        "componentwise": [4, 5],
    }
    for margin, features in printed.items():
        support = IntervalRelief(margin=margin).fit(X, y).support_
        assert (np.flatnonzero(support) + 1).tolist() == features
