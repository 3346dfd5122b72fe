"""CFS and Consistency against their definitions, and small facts checked by hand."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import reference_filters as reference
from cases import draw_case
from echelon._core.choices import best_first
from echelon.data import read_columns
from echelon.filters import CFS, Consistency, inconsistency_rate, symmetric_uncertainty
from echelon.filters._base import label_columns

ESTIMATORS = [CFS, Consistency]
CUTS = ["mdl", "quantile"]
SEEDS = range(150)


def awkward_case(seed):
    """A drawn case with copies of columns, and some that go with the classes."""
    case = draw_case(seed)
    rng = np.random.default_rng(seed)
    m = len(case.y)
    if seed % 2:
        noisy = case.y + np.where(rng.random(m) < 0.2, rng.integers(0, 3, m), 0)
        extra = np.column_stack([noisy, case.y * 0.5 + rng.random(m), 7 - noisy])
        case.X = np.column_stack([case.X, extra])
        case.nominal = np.append(case.nominal, [False, False, seed % 4 == 1])
    if seed % 3 == 0:
        order = rng.permutation(2 * case.X.shape[1])[: case.X.shape[1] + 2]
        case.X = np.hstack([case.X, -case.X])[:, order]
        case.nominal = np.tile(case.nominal, 2)[order]
    return case


def expected_columns(case, cuts, n_bins):
    return reference.discretize(*case.lists, cuts, n_bins)


def usable(case):
    X = case.X.tolist()
    return any(reference.varies(X, f) for f in range(len(X[0])))


@parametrize_with_checks([CFS(search="forward")])
def test_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------- against the definitions


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("cuts", CUTS)
def test_labels(cuts):
    for seed in SEEDS:
        case = awkward_case(seed)
        n_bins = 2 + seed % 9
        columns = read_columns(case.X, case.nominal, allow_nan=True)
        labels = label_columns(columns, case.y, cuts, n_bins)
        expected = expected_columns(case, cuts, n_bins)
        assert_array_equal(labels.codes.min(axis=1), 0)
        assert_array_equal(labels.codes.max(axis=1), labels.n_labels - 1)
        for f, column in enumerate(expected):
            assert same_partition(labels.codes[f].tolist(), column), (seed, f)


@pytest.mark.parametrize("search", ["forward", "best_first"])
@pytest.mark.parametrize("cuts", CUTS)
def test_cfs(cuts, search):
    sizes = set()
    for seed in SEEDS:
        case = awkward_case(seed)
        if not usable(case):
            continue
        X, y, _ = case.lists
        tables = reference.associations(expected_columns(case, cuts, 4), y)
        chosen = (reference.cfs_forward if search == "forward" else reference.cfs_best_first)(
            X, lambda s, tables=tables: reference.merit(s, *tables)
        )
        params = {
            "discretize": cuts,
            "n_bins": 4,
            "search": search,
            "categorical_features": case.nominal,
        }
        selector = CFS(**params).fit(case.X, case.y)
        chosen = chosen or [
            reference.best_next(
                [],
                [f for f in range(len(X[0])) if reference.varies(X, f)],
                lambda s, tables=tables: reference.merit(s, *tables),
            )[0]
        ]
        assert selector.order_[: len(chosen)].tolist() == chosen, seed
        assert np.flatnonzero(selector.support_).tolist() == sorted(chosen), seed
        sizes.add(len(chosen))

        steps = reference.in_order(
            X,
            len(X[0]),
            lambda s, tables=tables: reference.merit(s, *tables),
            chosen if search == "best_first" else (),
        )
        selector = CFS(1.0, **params).fit(case.X, case.y)
        assert selector.order_.tolist() == [f for f, _ in steps], seed
        assert_allclose(selector.path_.value, [value for _, value in steps], atol=1e-9)
    assert sizes >= {1, 2, 3}


@pytest.mark.parametrize("cuts", CUTS)
def test_consistency(cuts):
    sizes = set()
    for seed in SEEDS:
        case = awkward_case(seed)
        if not usable(case):
            continue
        X, y, _ = case.lists
        columns = expected_columns(case, cuts, 4)
        params = {"discretize": cuts, "n_bins": 4, "categorical_features": case.nominal}
        selector = Consistency(**params).fit(case.X, case.y)
        chosen = reference.consistency(X, columns, y)
        everything = reference.n_inconsistent(columns, y, range(len(columns))) / len(y)
        assert selector.order_.tolist() == chosen, seed
        assert selector.rate_ == everything == inconsistency_rate(case.X, case.y, **params)
        sizes.add(len(chosen))

        def score(s, columns=columns, y=y):
            return -reference.n_inconsistent(columns, y, s)

        steps = reference.in_order(X, len(X[0]), score)
        selector = Consistency(1.0, **params).fit(case.X, case.y)
        assert selector.order_.tolist() == [f for f, _ in steps], seed
        assert_array_equal(selector.path_.value, [-count / len(y) for _, count in steps])
    assert sizes >= {1, 2, 3}


def test_symmetric_uncertainty():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 60))
        a, b = rng.integers(0, rng.integers(1, m + 1), m), rng.integers(0, 3, m)
        value = symmetric_uncertainty(a, b)
        assert_allclose(value, reference.symmetric_uncertainty(a.tolist(), b.tolist()), atol=1e-12)
        renamed = rng.permutation(m + 1)[a], np.array(["x", "y", "z"])[b]
        assert value == symmetric_uncertainty(*renamed) == symmetric_uncertainty(*renamed[::-1])


def test_best_first_on_any_values():
    """The queue of expansions visits sets as the definition's list of open sets does."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 8))
        table = dict(zip(range(2**p), rng.integers(-2, 9, 2**p) / 4, strict=True))

        def score(subset, table=table):
            return table[sum(1 << f for f in subset)]

        def expand(chain, p=p, score=score):
            return np.array([-np.inf if f in chain else score([*chain, f]) for f in range(p)])

        X = [list(range(p)), list(range(1, p + 1))]
        for patience in (1, 5):
            expected = reference.cfs_best_first(X, score, patience)
            assert list(best_first(expand, patience=patience)) == expected


# -------------------------------------------------------------------------------- by hand


def test_a_cut_must_pay():
    y = np.array([0] * 10 + [1] * 10)
    x = np.arange(20.0)
    alternating = np.where(np.arange(20) % 2, x, -x)
    X = np.column_stack([alternating, x])
    assert CFS().fit(X, y).order_.tolist() == [1]
    assert CFS(2).fit(X, y).path_.value.tolist() == pytest.approx([1, 1 / np.sqrt(2)])


def test_cuts_of_iris():
    """The cuts other implementations of Fayyad and Irani find in these data."""
    X, y = load_iris(return_X_y=True)
    codes = label_columns(read_columns(X, None, allow_nan=True), y, "mdl", 10).codes
    cuts = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
    for f in range(4):
        assert_array_equal(codes[f], np.digitize(X[:, f], cuts[f]))


def test_merit_of_two_features():
    """Two independent bits that together are the class: SU with it 2 * 1 / (1 + 2) each."""
    a, b = np.tile([0, 0, 1, 1], 5), np.tile([0, 1, 0, 1], 5)
    X = np.column_stack([a, b]).astype(float)
    selector = CFS(categorical_features=[0, 1]).fit(X, 2 * a + b)
    assert selector.order_.tolist() == [0, 1]
    assert_allclose(selector.path_.value, [2 / 3, (4 / 3) / np.sqrt(2)], rtol=1e-9)


@pytest.mark.parametrize("search", ["forward", "best_first"])
@pytest.mark.parametrize("cuts", CUTS)
def test_copies_tie_and_the_lowest_index_wins(cuts, search, rng):
    """Also copies whose labels come in another order."""
    y = rng.integers(0, 3, 97)
    x = y + rng.normal(size=97)
    column = pd.Series(rng.choice(list("abcdefg"), 97)).where(rng.random(97) < 0.5, y.astype(str))
    frame = pd.DataFrame({"noise": rng.random(97), "x": -x, "s": column, "x copy": x})
    frame["s copy"] = column.map(dict(zip(column.unique(), "zyxwvutsrq", strict=False)))
    everything = CFS(5, search=search, discretize=cuts, n_bins=5).fit(frame, y)
    rank = dict(zip(frame, everything.ranking_, strict=True))
    assert rank["x"] < rank["x copy"]
    assert rank["s"] < rank["s copy"]
    for pair in (["x", "x copy"], ["s", "s copy"]):
        selector = CFS(search=search, discretize=cuts, n_bins=5).fit(frame[pair], y)
        assert selector.get_feature_names_out().tolist() == pair[:1]


def test_exclusive_or_is_beyond_the_first_step():
    """No feature lowers the rate alone: the lowest index is added, then what completes it."""
    a, b = np.tile([0, 0, 1, 1], 6), np.tile([0, 1, 0, 1], 6)
    X = np.column_stack([a, np.arange(24) // 12, b]).astype(float)
    selector = Consistency(categorical_features=[0, 1, 2]).fit(X, a ^ b)
    assert selector.order_.tolist() == [0, 2]
    assert selector.path_.value.tolist() == [0.5, 0.0]
    assert CFS(categorical_features=[0, 1, 2]).fit(X, a ^ b).support_.tolist() == [
        True,
        False,
        False,
    ]


def test_inconsistency_by_hand():
    X = pd.DataFrame({"a": list("xxxyyz"), "b": ["u"] * 6})
    assert inconsistency_rate(X, [0, 0, 1, 1, 0, 2]) == 2 / 6
    with pytest.raises(ValueError, match='`discretize` must be "mdl" or "quantile", got \'k\''):
        inconsistency_rate(X, [0, 0, 1, 1, 0, 2], discretize="k")
    with pytest.raises(ValueError, match="`n_bins` must be an integer of at least 2, got 1"):
        inconsistency_rate(X, [0, 0, 1, 1, 0, 2], n_bins=1)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_missing_is_a_category(estimator):
    y = np.arange(40) % 2
    gaps = np.where(y, np.nan, 5.0)
    X = np.column_stack([np.ones(40), gaps, np.full(40, np.nan)])
    selector = estimator().fit(X, y)
    assert selector.order_[selector.ranking_[selector.order_] == 1].tolist() == [1]
    assert selector.support_.tolist() == [False, True, False]
    assert estimator(3).fit(X, y).order_.tolist() == [1, 0, 2]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_only_constants(estimator):
    with pytest.raises(ValueError, match="Every feature of `X` is constant"):
        estimator().fit(np.ones((6, 2)), [0, 1] * 3)


def test_equal_values_stay_together():
    columns = read_columns([[1], [1], [1], [1], [2], [3], [4], [5]], None, allow_nan=True)
    labels = label_columns(columns, np.arange(8) % 2, "quantile", 4)
    assert labels.codes[0].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("cuts", CUTS)
def test_many_classes_and_labels(cuts, rng):
    """Where 3^k is too large a number, and every sample has a label of its own."""
    y = np.arange(1400) % 700
    labels = [f"#{i}" for i in range(1400)]
    frame = pd.DataFrame({"id": labels, "y": [labels[i] for i in y], "x": y * 1.0})
    assert CFS(discretize=cuts).fit(frame, y).order_[0] == 1
    assert Consistency(discretize=cuts).fit(frame, y).order_.tolist() == [0]


# ------------------------------------------------------------------------------- as a selector


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_selector(estimator):
    X, y = load_wine(return_X_y=True, as_frame=True)
    own = estimator().fit(X, y)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    assert estimator().fit(X, names).classes_.tolist() == ["barbera", "barolo", "grignolino"]
    assert_array_equal(estimator().fit(X, names).order_, own.order_)
    for n in (1, 3, 13):
        selector = estimator(n).fit(X, y)
        assert selector.support_.sum() == n
        assert_array_equal(selector.order_, estimator(13).fit(X, y).order_[:n])
    assert_array_equal(estimator().fit(X.to_numpy(np.float32), y).support_.shape, (13,))
    pipeline = make_pipeline(estimator(), GaussianNB())
    step = f"{estimator.__name__.lower()}__discretize"
    assert GridSearchCV(pipeline, {step: CUTS}, cv=3).fit(X, y).best_score_ > 0.85


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_verbose_shows_a_progress_bar_on_stderr(estimator, capsys):
    X, y = load_wine(return_X_y=True)
    estimator(2, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"discretize": "width"}, "'discretize'.*'width'"),
        ({"n_bins": 1}, "'n_bins'.*Got 1"),
        ({"categorical_features": [5]}, "from 0 to 2, got 5"),
        ({"n_features_to_select": 4}, "at most the number of features, 3, got 4"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_bad_parameters(estimator, params, message, rng):
    with pytest.raises(ValueError, match=message):
        estimator(**params).fit(rng.random((12, 3)), np.arange(12) % 3)


def test_bad_search(rng):
    with pytest.raises(ValueError, match=r"'search'.*'random'"):
        CFS(search="random").fit(rng.random((12, 3)), np.arange(12) % 3)
