"""Columns of many labels: mean outcomes on other rows, which noise cannot profit from."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import reference_report
from echelon import AutoSelector, ForwardLinear, RankCorrelation
from echelon.report import TableEncoder, summarize
from echelon.study._models import LabelMeans, many_labels, outcomes_of, with_means

LETTERS = np.array([f"shop {k:02d}" for k in range(40)])


@pytest.fixture
def shops(rng):
    """Forty shops that matter, forty cities that do not, and a number that does a little."""
    shop, city = rng.integers(0, 40, (2, 600))
    X = pd.DataFrame({"shop": LETTERS[shop], "city": LETTERS[city], "size": rng.normal(size=600)})
    y = rng.normal(size=40)[shop] + 0.3 * X["size"] + rng.normal(size=600)
    return X, y.to_numpy()


def test_means_are_those_of_the_definition(rng):
    labels = rng.choice(list("abcdefgh"), 50).tolist()
    labels[3] = labels[20] = None
    outcomes = rng.normal(size=50)
    means = LabelMeans(pd.Series(labels, dtype=object), outcomes[:, None])
    expected = reference_report.own_label_means([str(each) for each in labels], outcomes.tolist())
    assert_allclose(means.own()[:, 0], expected)
    new = means.of(pd.Series(["a", None, "never seen"], dtype=object))[:, 0]
    for label, found in zip(("a", None), new, strict=False):
        same = outcomes[[each == label for each in labels]]
        assert found == pytest.approx((same.sum() + 10 * outcomes.mean()) / (len(same) + 10))
    assert new[2] == pytest.approx(outcomes.mean())


def test_outcomes_are_numbers_whose_means_make_sense():
    assert outcomes_of(pd.Series([3, 1, 2] * 5))[:3, 0].tolist() == [2, 0, 1]
    assert outcomes_of(["b", "a"] * 5)[:2, 0].tolist() == [1, 0]
    assert outcomes_of(["b", "a", "c"] * 5)[:3].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert outcomes_of(np.linspace(0, 1, 30)).shape == (30, 1)


def test_which_columns(shops):
    X, y = shops
    few = X.assign(kind=np.where(X["size"] > 0, "a", "b"), number=np.arange(600))
    assert many_labels(few) == [0, 1]
    table, owners = with_means(few, y)
    assert owners.tolist() == [0, 1, 2, 3, 4]
    assert table.columns.tolist() == ["shop (0)", "city (0)", "size", "kind", "number"]
    classes = np.array(["x", "y", "z"])[pd.qcut(y, 3, labels=False)]
    assert with_means(few, classes)[1].tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 4]


def test_the_encoder_learns_from_other_rows(shops):
    X, y = shops
    encoder = TableEncoder().fit(X, y)
    new, own = encoder.transform(X), TableEncoder().fit_transform(X, y)
    assert new.shape == own.shape == (600, 3)
    # A row among those that were averaged tells of itself, even where labels mean nothing.
    within, honest = (np.corrcoef(each[:, 2], y)[0, 1] for each in (new, own))
    assert within > 0.2
    assert abs(honest) < 0.1
    assert TableEncoder().fit_transform(X).shape == (600, 41)  # without a target: the frequent ones


def test_categories_alone_are_standardised_too():
    """Their columns are True and False, without a number beside them."""
    home = np.array(["own", "rent", "own", "free"])
    X = pd.DataFrame({"home": home})
    expected = np.stack([home == each for each in ("free", "own", "rent")], axis=1).astype(float)
    expected = (expected - expected.mean(axis=0)) / expected.std(axis=0)
    encoder = TableEncoder()
    found = encoder.fit_transform(X)
    assert_allclose(np.sort(found, axis=1), np.sort(expected, axis=1))
    assert_allclose(encoder.transform(X), found)


@pytest.mark.parametrize("selector", [RankCorrelation(), ForwardLinear(), AutoSelector()])
def test_shops_that_matter_are_kept_and_others_not(selector, shops):
    X, y = shops
    found = summarize(X, y, selector, n_resamples=0, cv=3).summary()
    assert found["features"][0]["name"] == "shop"
    assert "city" not in found["answer"]["keep"]
    said = (
        "More than 20 categories, encoded by the mean outcome of each category in the training "
        "rows: shop (40)"
    )
    assert any(said in caveat for caveat in found["words"]["caveats"])


def test_auto_selector_takes_them(shops):
    X, y = shops
    fitted = AutoSelector(cv=3, random_state=0).fit(X, y)
    assert X.columns[fitted.order_[0]] == "shop"
    assert fitted.scores_.shape == (3,)
    assert fitted.ranker_.agreement().frame().shape[0] > 0
