"""IterativeRelief and IRelief against plain loops and their definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler

import reference_margin
from cases import draw_case
from echelon import IRelief, IterativeRelief, MultiSURF, ReliefF, RReliefF
from echelon.datasets import make_epistasis
from reference import scale_columns


def naive_turf(score, X, drop, least):
    """Scores of the round in which a feature left, and how many rounds it took part in."""
    left = list(range(X.shape[1]))
    scores, rounds = [0.0] * X.shape[1], [0] * X.shape[1]
    while True:
        for f, s in zip(left, score(X[:, left]), strict=True):
            scores[f], rounds[f] = s, rounds[f] + 1
        if len(left) <= least:
            return scores, rounds
        n = max(least, min(len(left) - 1, round(len(left) * (1 - drop))))
        left = sorted(sorted(left, key=lambda f: (-scores[f], f))[:n])


@pytest.mark.parametrize("drop", [0.1, 0.5])
def test_turf_equals_plain_deals(drop):
    X, y = make_epistasis(120, 25, heritability=0.3, random_state=0)
    base = MultiSURF()
    found = IterativeRelief(base, 3, drop=drop, min_features=4).fit(X, y)
    scores, rounds = naive_turf(lambda Z: MultiSURF().fit(Z, y).scores_, X, drop, 4)
    assert_allclose(found.scores_, scores)
    assert_array_equal(found.rounds_, rounds)
    # Monotone: who stays longer ranks better, and in one round the better score does.
    along = found.order_
    assert (np.diff(found.rounds_[along]) <= 0).all()
    same = np.diff(found.rounds_[along]) == 0
    assert (np.diff(found.scores_[along])[same] <= 0).all()
    assert_array_equal(found.support_, found.ranking_ <= 3)


def naive_turf_of_groups(score, X, groups, first, drop, least):
    """Rounds every feature took part in, if groups are dropped whole and some never."""
    left, rounds = list(dict.fromkeys(groups)), [0] * len(groups)
    while True:
        columns = [f for f, g in enumerate(groups) if g in left]
        scores = dict(zip(columns, score(X[:, columns]), strict=True))
        for f in columns:
            rounds[f] += 1
        floor = max(least, len(first))
        if len(left) <= floor:
            return rounds
        n = max(floor, min(len(left) - 1, round(len(left) * (1 - drop))))
        best = {g: max(scores[f] for f in columns if groups[f] == g) for g in left}
        left = sorted(left, key=lambda g: (g not in first, -best[g]))[:n]


@pytest.mark.parametrize(("first", "least"), [([], 3), ([2], 3), ([0, 2, 5], 1)])
def test_turf_drops_whole_groups_and_none_that_must_stay(first, least):
    X, y = make_epistasis(120, 24, heritability=0.3, random_state=0)
    groups = [f % 9 for f in range(24)]
    found = IterativeRelief(ReliefF(), len(first) + 1, min_features=least, feature_groups=groups,
                            must_keep=list(first))  # fmt: skip
    found.fit(X, y)
    score = lambda Z: ReliefF().fit(Z, y).scores_  # noqa: E731
    rounds = naive_turf_of_groups(score, X, groups, first, 0.5, least)
    assert_array_equal(found.rounds_, rounds)
    assert set(np.array(groups)[found.support_]) > set(first)
    assert len(set(np.array(groups)[found.support_])) == len(first) + 1
    assert_array_equal(found.support_, np.isin(groups, np.array(groups)[found.support_]))
    assert (found.ranking_[np.isin(groups, first)] <= len(first)).all()


def test_vls_deals_whole_groups():
    X, y = make_epistasis(100, 12, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcdefghijkl"))
    groups = {"one": ["a", "e", "l"], "two": ["b", "c"]}
    seen = []

    class Seeing(ReliefF):
        def fit(self, X, y):
            seen.append(set(X.columns))
            return super().fit(X, y)

    found = IterativeRelief(Seeing(), strategy="vls", subset_size=3, n_deals=4, random_state=0,
                            feature_groups=groups, must_keep=["k"]).fit(frame, y)  # fmt: skip
    assert len(seen) == 4 * 3  # nine groups, three to a part
    for part in seen:
        assert all(part >= set(group) or not part & set(group) for group in groups.values())
    assert found.support_[10]
    assert found.ranking_[10] == 1
    assert len({found.support_[0], found.support_[4], found.support_[11]}) == 1
    with pytest.raises(ValueError, match="`n_features_to_select` must be at least 2, the number"):
        IterativeRelief(ReliefF(), 1, must_keep=[0, 1]).fit(X, y)


def test_vls_is_the_largest_score_of_all_parts():
    X, y = make_epistasis(100, 21, random_state=0)
    found = IterativeRelief(ReliefF(), 3, strategy="vls", subset_size=6, n_deals=3, random_state=4)
    found.fit(X, y)
    rng = np.random.RandomState(4)
    largest, parts = np.full(21, -np.inf), []
    for _ in range(3):
        order = rng.permutation(21)
        parts += np.array_split(order, 4)
        for part in parts[-4:]:
            rng.randint(np.iinfo(np.int32).max, size=1)  # a seed for the selector
            part = np.sort(part)
            largest[part] = np.maximum(largest[part], ReliefF().fit(X[:, part], y).scores_)
    assert_allclose(found.scores_, largest)
    assert_array_equal(found.rounds_, 3)
    assert_array_equal(found.order_, np.argsort(-largest, kind="stable"))


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_iterative_relief_equals_reference(metric):
    for seed in range(30):
        case = draw_case(seed, missing=0, max_samples=25)
        X, y, nominal = case.lists
        rounds, rate = (1, 2, 5)[seed % 3], (0.1, 0.5, 1.0)[seed // 3 % 3]
        expected, done = reference_margin.iterative_relieff(
            X, y, case.k, rounds, rate, nominal, metric
        )
        for engine in ("numba", "numpy"):
            base = ReliefF(n_neighbors=case.k, metric=metric, engine=engine,
                           categorical_features=case.nominal)  # fmt: skip
            found = IterativeRelief(base, strategy="iter", n_iter=rounds, step_size=rate)
            found.fit(case.X, case.y)
            assert_allclose(found.scores_, expected, atol=1e-9, err_msg=str(seed))
            assert_array_equal(found.rounds_, done)
            assert_array_equal(found.support_, found.scores_ > 0)
            assert_array_equal(found.order_, np.argsort(-found.scores_, kind="stable"))


@pytest.mark.parametrize("neighbors", ["ReliefF", "MuRelief", "MultiSURF"])
def test_iterative_relief_equals_skrebate(neighbors):
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:250], y[:250]
    k = {} if neighbors == "MultiSURF" else {"n_neighbors": 10}
    peer = skrebate.Iter(getattr(skrebate, neighbors)(**k)).fit(X, y)
    base = {
        "ReliefF": ReliefF(),
        "MuRelief": ReliefF(neighbors="extreme"),
        "MultiSURF": MultiSURF(kind="classification"),
    }[neighbors]
    found = IterativeRelief(base, strategy="iter").fit(X, y)
    assert_allclose(found.scores_, peer.feature_importances_, atol=1e-9)


def test_nominal_features_weighted_as_in_skrebate():
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    rng = np.random.default_rng(0)  # no distance equals a limit, which rounding would decide there
    X = rng.integers(0, 3, (120, 9)).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    peer = skrebate.Iter(skrebate.MultiSURF(), max_iter=4).fit(X, y)
    base = MultiSURF(kind="classification", categorical_features=range(9))
    found = IterativeRelief(base, strategy="iter", n_iter=4).fit(X, y)
    assert_allclose(found.scores_, peer.feature_importances_, atol=1e-9)


def test_weights_without_a_positive_score_end_the_rounds():
    found = IterativeRelief(ReliefF(), strategy="iter").fit(np.ones((20, 3)), np.arange(20) % 2)
    assert_array_equal(found.rounds_, 1)
    assert_array_equal(found.scores_, 0)
    assert not found.support_.any()


def test_weights_are_for_relief_and_complete_data():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(TypeError, match='Relief type with strategy="iter", which weighs'):
        IterativeRelief(RandomForestClassifier(2), strategy="iter").fit(X, y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        IterativeRelief(ReliefF(), strategy="iter").fit(X, y)
    for parameter, value in (("n_iter", 0), ("step_size", 0), ("step_size", 1.1)):
        with pytest.raises(ValueError, match=parameter):
            IterativeRelief(strategy="iter", **{parameter: value}).fit(X, y)


def test_weights_find_two_that_matter_only_together_among_many():
    first = {1: 0, 10: 0}
    for seed in range(4):
        X, y = make_epistasis(400, 200, heritability=0.4, random_state=seed)
        for rounds in first:
            found = IterativeRelief(MultiSURF(), 2, strategy="iter", n_iter=rounds).fit(X, y)
            first[rounds] += set(found.get_support(indices=True).tolist()) == {0, 1}
    assert first[10] >= first[1] + 2


def test_own_rules_of_the_selector_decide_if_no_number_is_given():
    X, y = load_wine(return_X_y=True)
    turf = IterativeRelief(ReliefF(threshold="family"), min_features=5).fit(X, y)
    assert_array_equal(turf.support_[turf.support_], turf.selector_.support_[
        turf.selector_.support_])  # fmt: skip
    assert turf.support_.sum() == turf.selector_.support_.sum() <= 5
    every = IterativeRelief(RandomForestClassifier(5), strategy="vls", random_state=0).fit(X, y)
    assert every.support_.all()


def test_frames_numbers_and_models():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((80, 12)), columns=list("abcdefghijkl"))
    frame["c"] = np.where(frame["c"] > 0.5, "x", "y")
    y = frame["a"] + 0.1 * rng.random(80)
    for strategy in ("turf", "vls", "iter"):
        found = IterativeRelief(RReliefF(), 1, strategy=strategy, random_state=0).fit(frame, y)
        assert found.get_feature_names_out().tolist() == ["a"]


def test_what_does_not_score_is_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(TypeError, match="`selector` must score features, got StandardScaler"):
        IterativeRelief(StandardScaler()).fit(X, y)


@pytest.mark.slow
def test_few_relevant_among_many_are_found():
    """TuRF ranks both genes first more often than one round does."""
    first = {"once": 0, "turf": 0}
    for seed in range(10):
        X, y = make_epistasis(500, 300, heritability=0.3, minor_allele_frequency=0.4,
                              random_state=seed)  # fmt: skip
        for name, selector in (("once", MultiSURF(2)), ("turf", IterativeRelief(MultiSURF(), 2))):
            first[name] += selector.fit(X, y).support_[:2].all()
    assert first["turf"] >= first["once"] + 5


# ------------------------------------------------------------------------------------- I-Relief


def test_irelief_equals_reference():
    for seed in range(20):
        case = draw_case(seed, missing=0, max_samples=25)
        X, y, nominal = case.lists
        scaled = scale_columns(X, nominal)
        n, p = len(X), len(X[0])
        far = [reference_margin.distance(scaled[i], scaled[j], nominal, "manhattan")
               for i in range(n) for j in range(n) if i != j]  # fmt: skip
        width = 0.2 * sum(far) / len(far) / p**0.5
        for rounds in (1, 3, 100):
            expected = reference_margin.soft_relief(X, y, width, nominal, max_iter=rounds)
            found = IRelief(categorical_features=case.nominal, max_iter=rounds).fit(case.X, case.y)
            assert_allclose(found.scores_, expected, atol=1e-8, err_msg=str((seed, rounds)))


def test_irelief_settles_and_forgets_noise():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.random((200, 30))
    X[:, :3] += 0.4 * y[:, None]
    found = IRelief().fit(X, y)
    assert 1 < found.n_iter_ < 100
    assert np.flatnonzero(found.support_).tolist() == [0, 1, 2]
    one, two = (IRelief(n_jobs=n).fit(X, y).scores_ for n in (1, 2))
    assert_array_equal(one, two)
