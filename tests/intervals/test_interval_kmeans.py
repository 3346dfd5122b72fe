"""IntervalKMeans against the reference, and clustering_accuracy."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import reference_interval as reference
from echelon import IntervalKMeans, as_intervals
from echelon.evaluation import clustering_accuracy
from echelon.intervals._kmeans import _without_empty


def blobs(seed, n=60, p=3, k=4):
    lower, y = make_blobs(n, p, centers=k, random_state=seed)
    width = np.random.default_rng(seed).exponential(size=lower.shape)
    return np.stack([lower, lower + width], axis=2), y


def scaled(X):
    return reference.scale_intervals(X.tolist())


def test_a_result_is_a_fixed_point_of_the_reference():
    for seed in range(20):
        X, _ = blobs(seed)
        found = IntervalKMeans(4, n_init=1, random_state=seed).fit(X)
        samples = scaled(X)
        means = reference.prototypes(samples, found.labels_.tolist())
        centers = [means[c] for c in range(4)]
        assert reference.nearest_centers(samples, centers) == found.labels_.tolist()
        again, labels = reference.kmeans_steps(samples, centers, 3)
        assert labels == found.labels_.tolist()
        low, high = found.ranges_.T[:, :, None]
        assert_allclose((found.cluster_centers_ - low) / (high - low), again)
        far = [reference.pattern_distance(x, centers[c], "l2")
               for x, c in zip(samples, labels, strict=True)]  # fmt: skip
        assert_allclose(found.inertia_, sum(far))


def test_steps_equal_the_reference():
    for seed in range(20):
        X, _ = blobs(seed, n=30, k=2)
        kmeans = IntervalKMeans(3, n_init=1, max_iter=2, random_state=seed).fit(X)
        first = np.random.RandomState(seed)
        start = IntervalKMeans(3)
        start.ranges_ = kmeans.ranges_
        centers = start._start(start._scale(X), first).tolist()
        _, labels = reference.kmeans_steps(scaled(X), centers, 2)
        assert kmeans.labels_.tolist() == labels


def test_clusters_that_are_there_are_found():
    X, y = blobs(3, n=200)
    kmeans = IntervalKMeans(4, random_state=0).fit(X)
    assert clustering_accuracy(y, kmeans.labels_, match="optimal") > 0.95
    assert_array_equal(kmeans.predict(X), kmeans.labels_)
    assert kmeans.cluster_centers_.shape == (4, 3, 2)
    means = [X[kmeans.labels_ == c].mean(axis=0) for c in range(4)]
    assert_allclose(kmeans.cluster_centers_, means)


def test_more_starts_are_never_worse_and_choices_are_repeatable():
    X, _ = blobs(1, k=8)
    one = IntervalKMeans(8, n_init=1, random_state=0).fit(X)
    many = IntervalKMeans(8, n_init=20, random_state=0).fit(X)
    assert many.inertia_ <= one.inertia_
    again = IntervalKMeans(8, n_init=20, random_state=0).fit(X)
    assert_array_equal(many.labels_, again.labels_)


def test_scale():
    X, _ = blobs(3)
    large = X * np.array([1.0, 1e6, 1e-3])[:, None]
    a, b = (IntervalKMeans(4, random_state=0).fit(data) for data in (X, large))
    assert_array_equal(a.labels_, b.labels_)
    plain = IntervalKMeans(4, scale=False, random_state=0).fit(X)
    far = [reference.pattern_distance(x, plain.cluster_centers_[c].tolist(), "l2")
           for x, c in zip(X.tolist(), plain.labels_, strict=True)]  # fmt: skip
    assert_allclose(plain.inertia_, sum(far))


def test_empty_clusters_take_the_farthest_sample():
    labels, distances = np.array([0, 0, 0, 1]), np.array([1.0, 3.0, 2.0, 9.0])
    assert _without_empty(labels, distances, 4).tolist() == [0, 2, 3, 1]  # 1 would become empty


def test_fewer_different_samples_than_clusters():
    X = np.repeat([[[0.0, 1.0]], [[5.0, 6.0]]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3 clusters hold samples"):
        kmeans = IntervalKMeans(3, random_state=0).fit(X)
    assert kmeans.inertia_ == 0
    with pytest.raises(ValueError, match=r"at most the number of samples, n_samples=10, got 11"):
        IntervalKMeans(11).fit(X)


def test_frames_points_and_gaps():
    X, _ = blobs(0, p=1)
    frame = as_intervals(pd.DataFrame({"a_min": X[:, 0, 0], "a_max": X[:, 0, 1]}))
    expected = IntervalKMeans(3, random_state=0).fit(X).labels_
    assert_array_equal(IntervalKMeans(3, random_state=0).fit(frame).labels_, expected)
    points = IntervalKMeans(3, random_state=0).fit(X[:, :, 0])
    assert_array_equal(points.cluster_centers_[:, :, 0], points.cluster_centers_[:, :, 1])
    X[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="takes no missing intervals"):
        IntervalKMeans(3).fit(X)


def test_accuracy():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, clusters = rng.integers(0, 4, 50), rng.integers(0, 6, 50)
        expected = reference.majority_accuracy(y.tolist(), clusters.tolist())
        assert clustering_accuracy(y, clusters) == pytest.approx(expected)
        assert clustering_accuracy(y, clusters, match="optimal") <= expected
    assert clustering_accuracy(["a", "b", "a"], [7, 3, 7], match="optimal") == 1


def test_accuracy_of_wrong_input():
    with pytest.raises(ValueError, match=r"`match` must be .*got 'best'"):
        clustering_accuracy([0, 1], [0, 1], match="best")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clustering_accuracy([0, 1], [0])
    with pytest.raises(ValueError, match="at least one class"):
        clustering_accuracy([], [])
