"""Weights of evidence in reports: for two classes, in monotone bins."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from echelon import RankCorrelation
from echelon._core.words import bin_label
from echelon.report import summarize


@pytest.fixture(scope="module")
def credit():
    """Good at higher ages; a nominal and an ordered column, and missing values."""
    rng = np.random.default_rng(0)
    n = 300
    X = pd.DataFrame({
        "age": rng.integers(18, 80, n).astype(float),
        "home": rng.choice(["own", "rent<b>", "free"], n),
        "job": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"],
                              ordered=True),
    })  # fmt: skip
    X.loc[:20, "age"] = np.nan
    good = (X["age"].fillna(40) > 45) ^ (rng.random(n) < 0.2)
    return X, pd.Series(np.where(good, "good", "bad"), name="risk")


@pytest.fixture(scope="module")
def report(credit):
    return summarize(*credit, RankCorrelation(), n_resamples=0)


def test_bins_are_those_of_the_rows(credit, report):
    X, y = credit
    (age,) = [each for each in report.summary()["scorecard"] if each["name"] == "age"]
    shares = [part["share"] for part in age["bins"] if part["start"] is not None]
    assert shares == sorted(shares), "monotone"
    assert sum(part["samples"] for part in age["bins"]) == len(X)
    for part in age["bins"]:
        low, high = part["start"], np.inf if part["end"] is None else part["end"]
        here = X["age"].isna() if low is None else (X["age"] >= low) & (X["age"] < high)
        assert part["samples"] == here.sum()
        assert_allclose(part["share"], (y[here] == "good").mean())


def test_categories_have_their_names(report):
    names = {
        each["name"]: [bin_label(part, k) for k, part in enumerate(each["bins"])]
        for each in report.summary()["scorecard"]
    }
    assert sorted(names["home"]) == ["free", "own", "rent<b>"]
    assert names["job"][0].startswith("low")
    assert names["job"][-1].endswith("high")
    assert names["age"][0].startswith("below ")
    assert names["age"][-1] == "missing"


def test_pages_show_them_escaped(report):
    page = report.to_html()
    n_bins = sum(len(each["bins"]) for each in report.summary()["scorecard"])
    assert "Weights of evidence" in page
    assert page.count('<svg class="weights"') == n_bins
    assert "rent<b>" not in report.to_html()
    assert "## Weights of evidence" in report.to_markdown()


def test_two_ordered_classes_have_bins_too(credit):
    X, y = credit
    found = summarize(X, y, RankCorrelation(), class_order=["bad", "good"], n_resamples=0)
    assert found.summary()["data"]["kind"] == "ordinal"
    (age,) = [each for each in found.summary()["scorecard"] if each["name"] == "age"]
    assert_allclose(age["bins"][-2]["share"], max(b["share"] for b in age["bins"][:-1]))


@pytest.mark.parametrize("classes", [3, 60])
def test_not_for_other_targets(credit, classes):
    X, _ = credit
    y = np.arange(len(X)) % classes * 1.0
    found = summarize(X, y, RankCorrelation(), n_resamples=0)
    assert found.summary()["scorecard"] is None
    assert "Weights of evidence" not in found.to_html()


def test_features_with_a_direction_are_shown_however_they_rank(rng):
    X = pd.DataFrame(rng.normal(size=(120, 13)), columns=list("abcdefghijklm"))
    y = np.where(X["a"] > 0, "good", "bad")
    found = summarize(X, y, RankCorrelation(), monotonic_cst=dict.fromkeys(X, 1), n_resamples=0)
    assert {each["name"] for each in found.summary()["scorecard"]} == set(X)
    free = summarize(X, y, RankCorrelation(), n_resamples=0)
    assert len(free.summary()["scorecard"]) == 10
