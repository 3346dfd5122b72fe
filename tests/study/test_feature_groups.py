"""Features that stand or fall together: ranked, tried and selected as a whole."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from cli_cases import call
from echelon import MRMR, AutoSelector, RankCorrelation
from echelon.report import summarize
from echelon.study._design import best_columns
from echelon.study._rankers import Arranged, OfGroups
from reference_evaluation import group_order

LABELS = np.array([0, 1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8])
"""Of the 13 columns of wine."""


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def quick(**params):
    """The default with a model that costs little."""
    return AutoSelector("classification", estimator=GaussianNB(), cv=3, random_state=0, **params)


def whole(mask, labels=LABELS):
    """How many groups are in a mask; none in part."""
    inside = set(labels[mask])
    assert_array_equal(mask, [label in inside for label in labels])
    return len(inside)


class Stated(BaseEstimator):
    """A ranking that is given; 0 features are not reached and share the last rank."""

    def __init__(self, ranks):
        self.ranks = ranks

    def fit(self, X, y):
        self.ranking_ = np.array(self.ranks)
        return self


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_order_of_groups_is_that_of_their_best_features(data):
    n = data.draw(st.integers(1, 9))
    ranks = np.array(data.draw(st.permutations(range(1, n + 1))))
    groups = pd.factorize(np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))))[
        0
    ]
    masks = st.lists(st.booleans(), min_size=n, max_size=n)
    first = np.isin(groups, groups[np.array(data.draw(masks))])
    last = np.array(data.draw(masks))
    X = pd.DataFrame(np.zeros((2, n)), columns=[f"f{j}" for j in range(n)])
    named = [X.columns[mask].tolist() for mask in (first, last)]
    arranged = Arranged(Stated(ranks.tolist()), *named, feature_groups=groups).fit(X, [0, 1])
    expected = group_order(ranks.tolist(), groups.tolist(), *map(np.flatnonzero, (first, last)))
    assert_array_equal(arranged.ranking_, [expected.index(group) + 1 for group in groups])
    counted = OfGroups(arranged, groups).fit(X, [0, 1])
    assert np.argsort(counted.ranking_).tolist() == expected
    for size in range(1, len(expected) + 1):
        best = best_columns(arranged.ranking_, size, groups)
        assert sorted(best) == [f for f in range(n) if groups[f] in expected[:size]]
        assert sorted(best) == sorted(arranged.order_[: len(best)])
    alone = Arranged(Stated(ranks.tolist()), *named, feature_groups=np.arange(n)).fit(X, [0, 1])
    plain = Arranged(Stated(ranks.tolist()), *named).fit(X, [0, 1])
    assert_array_equal(alone.order_, plain.order_)
    assert_array_equal(alone.ranking_, plain.ranking_)


def test_the_curve_tries_whole_groups(wine):
    """The naive way: rank the training rows, add group after group, score the test rows."""
    X, y = wine
    folds = list(StratifiedKFold(3).split(X, y))
    report = summarize(X, y, RankCorrelation(), kind="classification", estimator=GaussianNB(),
                       cv=folds, feature_groups=LABELS, n_resamples=0)  # fmt: skip
    found = report.summary()
    method = found["methods"][0]
    ranks = RankCorrelation(kind="classification").fit(X, y).ranking_
    expected = group_order(ranks.tolist(), LABELS.tolist())
    sizes = np.cumsum([np.count_nonzero(group == LABELS) for group in expected])
    assert method["curve"]["n_features"] == sizes.tolist()
    scores = []
    for train, test in folds:
        ranks = RankCorrelation(kind="classification").fit(X.iloc[train], y.iloc[train]).ranking_
        order = group_order(ranks.tolist(), LABELS.tolist())
        for n_groups in range(1, len(order) + 1):
            used = np.isin(LABELS, order[:n_groups])
            model = GaussianNB().fit(X.loc[:, used].iloc[train], y.iloc[train])
            known = model.predict(X.loc[:, used].iloc[test])
            scores.append(balanced_accuracy_score(y.iloc[test], known))
    assert_allclose(method["curve"]["folds"], np.reshape(scores, (len(folds), -1)).T, atol=1e-12)
    answer = found["answer"]
    assert whole(X.columns.isin(answer["keep"])) in range(1, 9)
    assert answer["n_features"] == len(answer["keep"])
    assert answer["n_features"] in sizes
    assert set(map(frozenset, answer["together"])) == {
        frozenset(X.columns[label == LABELS]) for label in (1, 3, 5)
    }
    assert any("are selected together or not at all" in each for each in found["words"]["caveats"])


def test_all_of_a_group_or_none(wine):
    X, y = wine
    for n_groups in (1, 3, 4):
        selector = quick(n_features_to_select=n_groups, feature_groups=LABELS).fit(X, y)
        assert whole(selector.support_) == n_groups
        assert_array_equal(selector.support_, selector.ranking_ <= n_groups)
        assert sorted(set(selector.ranking_)) == list(range(1, 10))
        assert sorted(selector.order_) == list(range(13))
        assert (np.diff(selector.ranking_[selector.order_]) >= 0).all()
    selector = quick(feature_groups=LABELS).fit(X, y)
    assert whole(selector.support_) in selector.curves_["consensus"].sizes
    facts = selector.report(n_resamples=3).summary()
    assert sorted(facts["answer"]["keep"]) == sorted(X.columns[selector.support_])
    frequency = np.array([each["stability"] for each in facts["features"]])
    group = [LABELS[X.columns.get_loc(each["name"])] for each in facts["features"]]
    assert pd.Series(frequency).groupby(group).nunique().eq(1).all()


def test_groups_of_one_change_nothing(wine):
    X, y = wine
    plain = quick(must_keep=["ash"]).fit(X, y)
    by_name = quick(must_keep=["ash"], feature_groups={"a": ["hue"], "b": [0]}).fit(X, y)
    by_label = quick(must_keep=["ash"], feature_groups=list(X.columns)).fit(X, y)
    for other in (by_name, by_label):
        for name in ("order_", "ranking_", "support_", "scores_"):
            assert_array_equal(getattr(other, name), getattr(plain, name))
        assert_array_equal(other.curves_["consensus"].scores, plain.curves_["consensus"].scores)
        assert other.score_ == plain.score_


def test_what_must_be_kept_keeps_its_group(wine, rng):
    X, y = wine
    X = X.assign(noise=rng.normal(size=len(X)))
    group = {"q": ["noise", "ash", "hue"]}
    selector = quick(must_keep=["noise"], feature_groups=group, n_features_to_select=2).fit(X, y)
    inside = X.columns.isin(group["q"])
    assert_array_equal(selector.ranking_ == 1, inside)
    assert selector.support_[inside].all()
    assert selector.report(n_resamples=0).summary()["answer"]["always"] == ["ash", "hue", "noise"]
    for_noise = AutoSelector("classification", estimator=GaussianNB(), must_keep=["noise"],
                             feature_groups=group, cv=3, random_state=0)  # fmt: skip
    with_noise = for_noise.fit(X, rng.permutation(y))
    assert_array_equal(with_noise.support_, inside)
    with pytest.raises(ValueError, match="at least 2, the number of groups of features in"):
        quick(must_keep=["noise", "ash", "magnesium"], feature_groups={"q": ["noise", "ash"]},
              n_features_to_select=1).fit(X, y)  # fmt: skip


def test_constants_and_copies_follow_their_group(wine):
    X, y = wine
    X = X.assign(constant=1.0, alone=2.0, copy=X["flavanoids"], again=X["hue"])
    group = {"q": ["proline", "constant", "copy"]}
    selector = quick(feature_groups=group).fit(X, y)
    place = dict(zip(X.columns, selector.ranking_, strict=True))
    assert place["proline"] == place["constant"] == place["copy"] < place["again"]
    assert {place["again"], place["alone"]} == {14, 15}  # 17 columns, three of them in one group
    assert selector.curves_["consensus"].sizes[-1] <= 13
    chosen = dict(zip(X.columns, selector.support_, strict=True))
    assert chosen["proline"] == chosen["constant"] == chosen["copy"]


def test_a_search_reaches_as_many_groups_as_are_tried(rng):
    """It ranks 30 features unless told otherwise, and these may be a few groups."""
    X = pd.DataFrame(rng.normal(size=(60, 45)))
    y = (X.iloc[:, :3].sum(axis=1) > 0).astype(int)
    found = summarize(X, y, MRMR(), kind="classification", estimator=GaussianNB(), cv=2,
                      feature_groups=np.arange(45) // 9, n_resamples=0).summary()  # fmt: skip
    assert found["methods"][0]["curve"]["n_features"] == [9, 18, 27, 36, 45]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"feature_groups": [0, 1]}, "one label per feature, 13, got 2"),
        ({"feature_groups": {"a": ["ash"], "b": ["ash"]}}, "column 'ash' in two groups"),
        ({"feature_groups": {"a": ["age"]}}, "names the column 'age'"),
        ({"feature_groups": LABELS, "n_features_to_select": 10}, "number of groups of features, 9"),
    ],
)
def test_what_is_wrong_is_said(wine, given, message):
    with pytest.raises(ValueError, match=message):
        quick(**given).fit(*wine)
    given = {"n_features" if name.startswith("n_") else name: each for name, each in given.items()}
    with pytest.raises(ValueError, match=message):
        summarize(*wine, RankCorrelation(), **given)


# ------------------------------------------------------------------------------------ the command


@pytest.fixture
def file(wine, tmp_path):
    X, y = wine
    path = tmp_path / "wine.csv"
    X.assign(kind=np.array(["a", "b", "c"])[y], nothing=1).to_csv(path, index=False)
    return path


def test_the_command(file, wine, tmp_path, capsys):
    together = ["--together", "ash,hue,nothing", "--together", "proline,magnesium"]
    options = ["-t", "kind", "--unordered", "-m", "rankcorrelation", "--cv", "3", "-n", "2"]
    written = ["--save", tmp_path / "s.json", "--code", tmp_path / "s.py",
               "--save-config", tmp_path / "s.toml"]  # fmt: skip
    done = call(capsys, "rank", file, *options, *together, "--json", *written)
    assert done.code == 0
    answer = json.loads(done.out)["answer"]
    groups = [{"ash", "hue"}, {"proline", "magnesium"}]
    assert [set(group) for group in answer["together"]] in (groups, groups[::-1])
    assert all(group <= set(answer["keep"]) or not group & set(answer["keep"]) for group in groups)
    assert 2 <= len(answer["keep"]) <= 4
    saved = json.loads((tmp_path / "s.json").read_text())
    assert saved["settings"]["together"] == ["ash,hue,nothing", "proline,magnesium"]
    again = call(capsys, "rank", file, "--config", tmp_path / "s.toml", "--json")
    assert json.loads(again.out)["answer"]["keep"] == answer["keep"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--together", "ash,age"], r"no feature 'age' \(--together\)"),
        (["--together", "ash,hue", "--together", "hue,proline"], "--together names 'hue' twice"),
        (["--together", "ash,hue", "-n", "13"], "a number from 1 to 12, the features there are"),
        (["--together", "ash,kind"], r"no feature 'kind' \(--together\)"),
    ],
)
def test_the_command_says_what_is_wrong(file, options, message, capsys):
    done = call(capsys, "rank", file, "-t", "kind", "--unordered", *options)
    assert done.code == 2
    assert pd.Series([done.err]).str.contains(message).all()
