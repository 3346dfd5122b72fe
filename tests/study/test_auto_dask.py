"""AutoSelector on a Dask DataFrame: rank correlations of all rows, the rest on samples."""

import numpy as np
import pandas as pd
import pytest

from echelon import AutoSelector, RankCorrelation
from echelon.large import _draw as drawing
from echelon.study import Rows
from echelon.study._sampled import sample_of

dask = pytest.importorskip("dask.dataframe")
N = 3000


@pytest.fixture
def table(rng, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", 400)
    y = rng.integers(0, 3, N)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=N) + y,
            "b": rng.integers(0, 5, N).astype(float),
            "c": rng.choice(["u", "v", None], N),
            "d": rng.normal(size=N),
        }
    )
    X.loc[rng.random(N) < 0.1, "b"] = np.nan
    return X, pd.Series(y, name="grade")


def fitted(X, y, **given):
    return AutoSelector(kind="ordinal", random_state=0).fit(X, y, **given)


def of_sample(X, y):
    sample, _ = sample_of(X, y, Rows(), "ordinal", None, 0)
    return sample.frame, sample.target


def test_ways_to_pass_the_target_agree(table):
    X, y = table
    frame = dask.from_pandas(X, npartitions=4)
    found = fitted(frame, dask.from_pandas(y, npartitions=4))
    assert found.sample_["rows"] == N
    assert found.sample_["sampled"] == pytest.approx(400, abs=2)
    assert found.get_feature_names_out().tolist() == ["a"]
    whole = RankCorrelation(kind="ordinal").fit(X, y)
    own = found.ranker_.selectors_["rank correlation"]
    assert found.sample_["binned"] == 0
    np.testing.assert_allclose(own.scores_, whole.scores_, atol=1e-12)
    assert np.abs(RankCorrelation().fit(*of_sample(frame, y)).scores_ - whole.scores_).max() > 1e-3
    others = [
        (dask.from_pandas(X.assign(grade=y), npartitions=7), "grade"),
        (frame, y),
        (frame, y.to_numpy()),
    ]
    expected, labels = of_sample(frame, y)
    for other, target in others:
        drawn, own_labels = of_sample(other, target)
        pd.testing.assert_frame_equal(drawn, expected)
        np.testing.assert_array_equal(own_labels.numbers, labels.numbers)
    summary = found.summary()
    assert summary["selection_frequency"].max() == 1
    rho = RankCorrelation(measure="spearman", kind="ordinal").fit(X, y).correlations_
    trend = summary.set_index("feature")["trend"]
    np.testing.assert_allclose(trend[["a", "b", "d"]], rho[[0, 1, 3]], atol=5e-4)
    assert summary.set_index("feature").loc["b", "trend"] == pytest.approx(rho[1], abs=1e-9)
    lines = found.report(n_resamples=0).summary()["words"]["lines"]
    assert lines["Sample"].startswith(f"{found.sample_['sampled']} of {N:,} rows")


def test_few_rows_are_the_frame_itself(table, monkeypatch):
    X, y = table
    monkeypatch.setattr(drawing, "ROWS", N)
    some, labels = X.iloc[:500], y.iloc[:500]
    found, whole = fitted(dask.from_pandas(some, npartitions=3), labels), fitted(some, labels)
    assert found.sample_ is whole.sample_ is None
    np.testing.assert_array_equal(found.scores_, whole.scores_)
    np.testing.assert_array_equal(found.order_, whole.order_)
    pd.testing.assert_frame_equal(found.summary(), whole.summary())


def test_groups_and_numbers(table):
    X, _ = table
    frame = dask.from_pandas(X, npartitions=4)
    groups = pd.Series(np.arange(N) // 10, name="house")
    target = X["a"] + X["d"]
    found = AutoSelector(random_state=0).fit(
        frame[["a", "b", "d"]], dask.from_pandas(target, npartitions=4), groups=groups
    )
    assert found.kind_ == "regression"
    assert {*found.get_feature_names_out()} == {"a", "d"}
    assert found.report(n_resamples=0).summary()["how"]["groups"] == "house"


def test_what_is_refused(table):
    X, y = table
    frame = dask.from_pandas(X, npartitions=4)
    for target, said in (
        ("grad", "`y` names the column 'grad'"),
        (y.iloc[:-1], "one value for every row of `X`, which has 3,000"),
        (dask.from_pandas(y, npartitions=2), "same rows in every partition"),
    ):
        with pytest.raises(ValueError, match=said):
            fitted(frame, target)
    gone = X.assign(grade=y.astype(float).where(y > 0))
    with pytest.raises(ValueError, match=f"`y` is missing in {(y == 0).sum():,} rows"):
        fitted(dask.from_pandas(gone, npartitions=4), "grade")
    with pytest.raises(ValueError, match="`sample_weight` must be None"):
        fitted(frame, y, sample_weight=np.ones(N))
    with pytest.raises(TypeError, match="from_dask_array"):
        fitted(frame[["a", "b"]].to_dask_array(lengths=True), y)
    with pytest.raises(TypeError, match="named by text"):
        fitted(frame.rename(columns={"a": 0}), y)


def test_on_a_cluster(table):
    distributed = pytest.importorskip("distributed")
    X, y = table
    frame = dask.from_pandas(X, npartitions=5)
    here = fitted(frame[["a", "b"]], y)
    with distributed.Client(processes=False, dashboard_address=":0", n_workers=1):
        there = fitted(frame[["a", "b"]], dask.from_pandas(y, npartitions=5))
    np.testing.assert_array_equal(here.scores_, there.scores_)
    assert here.sample_ == there.sample_
