"""Feature curves."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    RFECV,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    f_classif,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import reference_evaluation as reference
from echelon import (
    CFS,
    CurveSelector,
    IntervalRelief,
    NeighborhoodRoughSet,
    OReliefF,
    RankOrderSelector,
    ReliefF,
    Simba,
)
from echelon.evaluation import FeatureCurve, feature_curve, rank_loss_scorer


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def noise(seed):
    """Features that know nothing of two classes, one of which has a tenth of the samples."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(200, 600)), (np.arange(200) % 10 == 0).astype(int)


def test_the_curve_does_not_leak():
    """Selected on all rows, noise looks 0.2 better than chance; within the folds it does not."""
    honest, leaking = [], []
    for seed in range(40):
        X, y = noise(seed)
        options = {"scoring": "roc_auc", "cv": StratifiedKFold(5, shuffle=True, random_state=seed)}
        honest.append(feature_curve(ReliefF(), GaussianNB(), X, y, sizes=[20], **options).scores)
        best = ReliefF(20).fit(X, y).transform(X)
        leaking.append(cross_val_score(GaussianNB(), best, y, **options))
    assert np.mean(leaking) > 0.7
    per_data_set = np.mean(honest, axis=(1, 2))
    half_width = 2.576 * per_data_set.std(ddof=1) / np.sqrt(len(per_data_set))  # 99 %
    assert abs(per_data_set.mean() - 0.5) <= half_width < 0.05


@pytest.mark.parametrize(
    "selector",
    [ReliefF(), Simba(random_state=0), CFS(), NeighborhoodRoughSet(), RankOrderSelector()],
)
def test_the_curve_is_that_of_a_pipeline(selector, wine):
    X, y = wine
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    curve = feature_curve(selector, model, X, y, sizes=[2, 5, 13], cv=folds)
    for size, row in zip(curve.sizes, curve.scores, strict=True):
        asked = make_pipeline(clone(selector).set_params(n_features_to_select=int(size)), model)
        assert_allclose(row, cross_val_score(asked, X, y, cv=folds))


def test_the_curve_is_that_of_the_reference(wine):
    X, y = wine[0].to_numpy(), wine[1].to_numpy()
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    sizes = [1, 2, 3, 7, 13]

    def score(train, test, features):
        model = KNeighborsClassifier(3).fit(X[train][:, features], y[train])
        return float(model.score(X[test][:, features], y[test]))

    expected = reference.curve(
        lambda rows: ReliefF().fit(X[rows], y[rows]).order_, score, folds, sizes
    )
    curve = feature_curve(ReliefF(), KNeighborsClassifier(3), X, y, sizes=sizes[::-1], cv=folds)
    assert_allclose(curve.scores, expected)
    assert curve.best_size == reference.best_size(sizes, expected)
    share = np.mean([len(test) / len(train) for train, test in folds])
    assert curve.test_share == pytest.approx(share)
    assert curve.one_se_size == reference.one_se_size(sizes, expected, share)
    errors = [reference.standard_error(row, share) for row in expected]
    assert_allclose(curve.standard_errors, errors, atol=1e-15)
    assert curve.orders.shape == (4, 13)


@pytest.mark.parametrize("seed", range(30))
def test_chosen_sizes(seed):
    rng = np.random.default_rng(seed)
    sizes = np.unique(rng.integers(1, 40, 8))
    scores = rng.integers(0, 6, (len(sizes), rng.integers(2, 7))) / 10
    curve = FeatureCurve(sizes, scores, np.empty((0, 0)))
    assert curve.best_size == reference.best_size(sizes.tolist(), scores.tolist())
    assert curve.one_se_size == reference.one_se_size(sizes.tolist(), scores.tolist())
    assert curve.one_se_size <= curve.best_size


def test_chosen_sizes_of_a_case_counted_by_hand():
    """Losses against size 4: 0.1, 0.01, 0.05; that of size 2 has standard deviation 0.04/sqrt(3).

    Times sqrt(1/4 + 1/3) that is 0.018.  What all sizes have in common, the spread of the folds,
    does not count.
    """
    spread = np.array([-0.2, 0.2, -0.2, 0.2])
    scores = np.array([[0.70], [0.79], [0.80], [0.75]]) + spread
    scores[1] += [0.02, 0.02, -0.02, -0.02]
    curve = FeatureCurve(np.array([1, 2, 4, 8]), scores, np.empty(0))
    assert curve.best_size == 4
    assert curve.one_se_size == 2
    frame = curve.frame()
    assert frame.columns.tolist() == [
        "n_features", "mean_score", "standard_error", "score_0", "score_1", "score_2", "score_3",
    ]  # fmt: skip
    assert_allclose(frame["standard_error"][2], 0.4 / np.sqrt(3) * np.sqrt(1 / 4 + 1 / 3))


def test_undefined_scores_are_never_best():
    curve = FeatureCurve(np.array([1, 2]), np.array([[np.nan, 1.0], [0.4, 0.6]]), np.empty(0))
    assert curve.best_size == 2
    with pytest.raises(ValueError, match="Every score is NaN"):
        FeatureCurve(np.array([1]), np.array([[np.nan]]), np.empty(0)).best_size  # noqa: B018


def test_sizes_by_default():
    X, y = noise(0)
    curve = feature_curve(SelectKBest(), GaussianNB(), X, y, cv=2, random_state=0)
    assert (curve.sizes[0], curve.sizes[-1]) == (1, 600)
    assert 20 <= len(curve.sizes) <= 30
    few = feature_curve(SelectKBest(), GaussianNB(), X[:, :4], y, cv=2, random_state=0)
    assert few.sizes.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("estimator", "groups", "splitter"),
    [
        (GaussianNB(), None, StratifiedKFold),
        (GaussianNB(), np.arange(178) // 4, StratifiedGroupKFold),
        (LinearRegression(), None, KFold),
        (LinearRegression(), np.arange(178) // 4, GroupKFold),
    ],
)
def test_a_number_of_folds(estimator, groups, splitter, wine):
    X, y = wine
    options = {"sizes": [3], "groups": groups}
    curve = feature_curve(ReliefF(), estimator, X, y, cv=4, random_state=7, **options)
    folds = splitter(4, shuffle=True, random_state=np.random.RandomState(7))
    expected = feature_curve(ReliefF(), estimator, X, y, cv=folds, **options)
    assert_array_equal(curve.scores, expected.scores)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_random_state_settles_everything(n_jobs, wine):
    X, y = wine
    models = Simba(), RandomForestClassifier(5)
    options = {"sizes": [1, 4], "cv": 3, "random_state": 3}
    one = feature_curve(*models, X, y, n_jobs=n_jobs, **options)
    two = feature_curve(*models, X, y, **options)
    assert_array_equal(one.scores, two.scores)
    assert_array_equal(one.orders, two.orders)
    assert models[0].random_state is None


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(f_classif, k=2),
        RFE(LogisticRegression(max_iter=5000), n_features_to_select=3),
        SelectFromModel(DecisionTreeClassifier(random_state=0)),
        SelectFromModel(LogisticRegression(max_iter=5000)),
        RandomForestClassifier(10, random_state=0),
        CurveSelector(ReliefF(), GaussianNB(), random_state=0),
    ],
)
def test_other_rankings(selector, wine):
    X = pd.DataFrame(StandardScaler().fit_transform(wine[0]), columns=wine[0].columns)
    curve = feature_curve(selector, GaussianNB(), X, wine[1], cv=3, random_state=0)
    assert [sorted(order) for order in curve.orders.tolist()] == [list(range(13))] * 3
    assert curve.mean_scores[4] > 0.85


def test_constant_features_rank_last():
    X, y = load_wine(return_X_y=True)
    X = np.hstack([np.ones((178, 1)), X])
    with np.errstate(invalid="ignore"), pytest.warns(UserWarning, match="constant"):
        curve = feature_curve(SelectKBest(), GaussianNB(), X, y, sizes=[13], cv=2, random_state=0)
    assert (curve.orders > 0).all()


def test_features_of_one_rank_are_not_parted(wine):
    X, y = wine
    by_fours = RFE(DecisionTreeClassifier(random_state=0), step=4)
    curve = feature_curve(by_fours, GaussianNB(), X, y, sizes=[1, 5, 9, 13], random_state=0)
    assert curve.orders.shape == (5, 13)
    with pytest.raises(ValueError, match=r"fold 0.*`sizes` must not part.*got 2.*\[1, 5, 9, 13\]"):
        feature_curve(by_fours, GaussianNB(), X, y, sizes=[1, 2], random_state=0)
    stopped = RankOrderSelector(max_divergence=0.0)
    with pytest.raises(ValueError, match="RankOrderSelector ranks several alike"):
        feature_curve(stopped, GaussianNB(), X, y, sizes=[1], random_state=0)
    with pytest.raises(ValueError, match="RFECV ranks several alike"):
        feature_curve(
            RFECV(DecisionTreeClassifier(random_state=0), min_features_to_select=3),
            GaussianNB(), X, y, sizes=[1], random_state=0,
        )  # fmt: skip


class Forward(BaseEstimator):
    """A forward search of someone else: ranks what it was asked for, and leaves an order."""

    def __init__(self, n_features_to_select=2):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.order_ = np.argsort(-f_classif(X, y)[0])[: self.n_features_to_select]
        return self


def test_a_search_of_someone_else(wine):
    curve = feature_curve(Forward(), GaussianNB(), *wine, sizes=[1, 6], random_state=0)
    expected = feature_curve(SelectKBest(), GaussianNB(), *wine, sizes=[1, 6], random_state=0)
    assert_array_equal(curve.orders, expected.orders)


def test_nominal_columns_and_ordered_targets():
    X, progression = load_diabetes(return_X_y=True, as_frame=True)
    X["sex"] = np.where(X["sex"] > 0, "f", "m")
    X = X[["sex", "bmi", "s5", "age"]]
    grade = pd.qcut(progression, 3, labels=["low", "medium", "high"])
    from sklearn.compose import make_column_selector, make_column_transformer

    encode = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    model = make_pipeline(encode, LogisticRegression())
    for y in (grade, pd.Categorical(grade)):
        curve = feature_curve(
            OReliefF(), model, X, y, cv=3, scoring=rank_loss_scorer, random_state=0
        )
        assert set(curve.orders[:, 0]) <= {1, 2}
        assert -0.75 < curve.mean_scores[-1] < -0.4
    with pytest.raises(ValueError, match=r"In fold 0 of 3 .*labels without a known order"):
        feature_curve(OReliefF(), model, X, grade.astype(str), cv=3, random_state=0)


def test_intervals(rng):
    y = np.arange(60) % 2
    X = rng.random((60, 4, 2)) * 0.3
    X[:, 2] += y[:, None]
    X[..., 1] += X[..., 0]
    flat = FunctionTransformer(lambda values: values.reshape(len(values), -1))
    model = make_pipeline(flat, GaussianNB())
    curve = feature_curve(IntervalRelief(), model, X, y, cv=3, random_state=0)
    assert_array_equal(curve.orders[:, 0], 2)
    assert curve.best_size == 1
    selector = CurveSelector(IntervalRelief(), model, random_state=0).fit(X, y)
    assert_array_equal(selector.transform(X), X[:, [2]])
    with pytest.raises(ValueError, match="expecting 4 features"):
        selector.transform(X[:, :3])


def test_lists_arrays_and_frames_agree(wine):
    X, y = wine
    options = {"sizes": [2, 4], "cv": 2, "random_state": 0}
    expected = feature_curve(ReliefF(), GaussianNB(), X, y, **options).scores
    for same in (X.to_numpy(), X.to_numpy().tolist()):
        curve = feature_curve(ReliefF(), GaussianNB(), same, y.tolist(), **options)
        assert_array_equal(curve.scores, expected)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"sizes": [0]}, ValueError, r"`sizes` must hold whole numbers from 1 to .*13, got \[0\]"),
        ({"sizes": [1.5]}, ValueError, "`sizes` must hold whole numbers"),
        ({"sizes": []}, ValueError, "`sizes` must hold whole numbers"),
        ({"sizes": [14]}, ValueError, "from 1 to the number of features, 13"),
        ({"cv": 1}, ValueError, "`cv` must be at least 2 folds or a splitter, got 1"),
        ({"scoring": "no_such_score"}, ValueError, "scoring"),
        ({"y": np.arange(5)}, ValueError, "inconsistent"),
        (
            {"selector": StandardScaler()},
            TypeError,
            "fold 0.*must rank features, got Stand",
        ),
        (
            {"selector": SequentialFeatureSelector(GaussianNB())},
            TypeError,
            "must rank features, got SequentialFeatureSelector",
        ),
        ({"X": np.arange(178)}, ValueError, "must have rows and columns"),
        ({"groups": [1, 2]}, ValueError, "inconsistent"),
    ],
)
def test_bad_input(change, error, message, wine):
    given = {"selector": ReliefF(), "estimator": GaussianNB(), "X": wine[0], "y": wine[1]}
    with pytest.raises(error, match=message):
        feature_curve(**{**given, "random_state": 0, **change})


def test_errors_name_their_fold(wine):
    X = wine[0].copy()
    X.iloc[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"In fold 0 of 2 \(from 0\): Input X contains NaN"):
        feature_curve(ReliefF(), GaussianNB(), X, wine[1], cv=KFold(2), sizes=[13])


def test_progress(wine, capsys):
    feature_curve(ReliefF(), GaussianNB(), *wine, sizes=[1], cv=2, random_state=0, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err
