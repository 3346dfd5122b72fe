"""MRMR against its definition, with every measure."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_filters as by_labels
import reference_filters_ranks as reference
import reference_forward as by_ranks
from cases import draw_case
from echelon.filters import MRMR
from echelon.filters import _mrmr as module

KINDS = ["ordinal", "classification", "regression"]
RANKS = ["kendall", "spearman"]
LABELS = ["mutual_information", "symmetric_uncertainty"]


def drawn(seed, measure):
    """Features, some of them copies, their mask of labels, a target and what it is."""
    orders_only = measure == "rank_mutual_information"
    case = draw_case(seed, nominal=0 if orders_only else None)
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % 3]
    if orders_only and kind == "classification":
        kind = "ordinal"
    y = case.y + (np.round(rng.normal(size=len(case.y)), 1) if kind == "regression" else 0)
    noisy = case.y + np.where(rng.random(len(y)) < 0.3, rng.integers(0, 3, len(y)), 0)
    X = np.column_stack([case.X, noisy, case.y + rng.normal(size=len(y)), noisy])
    return X, np.append(case.nominal, [False] * 3), y, kind


def pair_measure(X, nominal, y, kind, measure, n_bins=4):
    """Relevance of every feature, and the association of two of them."""
    columns = [X[:, f].tolist() for f in range(X.shape[1])]
    if measure in RANKS:
        ordered = kind != "classification" or len(set(y.tolist())) == 2
        relevance = [
            by_ranks.association(x, y.tolist(), bool(is_label), ordered, measure)
            for x, is_label in zip(columns, nominal, strict=True)
        ]

        def between(g, f):
            other = columns[g]
            rows = [i for i, v in enumerate(other) if v == v]
            return by_ranks.association(
                [columns[f][i] for i in rows],
                [other[i] for i in rows],
                bool(nominal[f]),
                not nominal[g],
                measure,
            )

        return relevance, between
    if measure == "rank_mutual_information":
        signs = [signed_by_tau(x, y.tolist()) for x in columns]
        relevance = [
            max(0, reference.directed_information(x, y.tolist(), s))
            for x, s in zip(columns, signs, strict=True)
        ]
        return relevance, lambda g, f: max(
            0, reference.directed_information(columns[f], columns[g], signs[f], signs[g])
        )
    classes = y.tolist()
    if kind == "regression":
        classes = [by_labels.quantile_bin(v, classes, n_bins) for v in classes]
    labels = by_labels.discretize(X.tolist(), classes, nominal.tolist(), "quantile", n_bins)
    of = (
        reference.mutual_information
        if measure == "mutual_information"
        else by_labels.symmetric_uncertainty
    )
    return [of(x, classes) for x in labels], lambda g, f: of(labels[f], labels[g])


def signed_by_tau(x, y):
    pairs = [(u, v) for u, v in zip(x, y, strict=True) if u == u]
    score = sum(
        np.sign(a - c) * np.sign(b - d) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]
    )
    return int(np.sign(score))


@pytest.mark.parametrize("scheme", ["difference", "quotient"])
@pytest.mark.parametrize("measure", [*RANKS, *LABELS, "rank_mutual_information"])
def test_paths(measure, scheme, monkeypatch):
    monkeypatch.setattr(module, "_AT_A_TIME", 2)  # so that most comparisons are put off
    for seed in range(60):
        X, nominal, y, kind = drawn(seed, measure)
        selector = MRMR(
            1.0, measure=measure, scheme=scheme, n_bins=4, kind=kind, categorical_features=nominal
        ).fit(X, y)
        relevance, between = pair_measure(X, nominal, y, kind, measure)
        assert_allclose(selector.relevances_, relevance, atol=1e-9, err_msg=str(seed))
        expected = reference.mrmr(
            relevance, between, X.shape[1], scheme == "quotient", varying_first(X, measure)
        )
        n = len(expected)
        assert selector.order_[:n].tolist() == [step[0] for step in expected], seed
        for column, name in enumerate(("value", "relevance", "redundancy"), start=1):
            values = [step[column] for step in expected]
            assert_allclose(selector.path_[name][:n], values, atol=1e-8, err_msg=f"{seed} {name}")


def varying_first(X, measure):
    """Features that are not constant: the others come after all of these."""

    def values(f):
        present = {v for v in X[:, f].tolist() if v == v}
        gaps = measure in LABELS and np.isnan(X[:, f]).any()
        return len(present) + bool(gaps)

    return [f for f in range(X.shape[1]) if values(f) > 1]


def test_the_own_rule(rng):
    """A signal and its copies, which say more of it than of the target."""
    a = rng.normal(size=300)
    y = np.digitize(a + rng.normal(size=300), [-1, 0, 1])
    X = np.vstack([a, a + 0.1 * rng.normal(size=(2, 300))]).T
    for measure in (*RANKS, *LABELS, "rank_mutual_information"):
        selector = MRMR(measure=measure, random_state=0).fit(X, y)
        first, second = selector.path_
        assert np.flatnonzero(selector.support_).tolist() == [first.feature]
        assert second.relevance <= second.redundancy


def test_noise_alone_keeps_one_feature(rng):
    kept = [
        MRMR(random_state=seed).fit(rng.normal(size=(80, 40)), np.arange(80) % 3).support_.sum()
        for seed in range(20)
    ]
    assert min(kept) == 1
    assert np.mean(kept) < 3


def test_a_copy_does_not_come_second(rng):
    x = rng.normal(size=(200, 2))
    y = np.digitize(x @ [3, 2], [-3, 0, 3])
    for measure in (*RANKS, *LABELS, "rank_mutual_information"):
        order = MRMR(1.0, measure=measure).fit(np.column_stack([x, -x]), y).order_
        assert order[:2].tolist() == [0, 1], measure


def test_nominal_columns_and_gaps_have_their_say(rng):
    y = np.arange(120) % 3
    frame = pd.DataFrame({"noise": rng.normal(size=120), "label": np.array(list("xyz"))[y]})
    frame["gaps"] = np.where(y == 2, np.nan, rng.normal(size=120))
    for measure in (*RANKS, *LABELS):
        assert MRMR(1, measure=measure).fit(frame, y).order_[0] == 1
    assert MRMR(3, measure="mutual_information").fit(frame, y).relevances_[2] > 0.5


def test_what_has_no_order_is_refused(rng):
    X, y = rng.random((30, 2)), np.arange(30) % 3
    measure = {"measure": "rank_mutual_information"}
    with pytest.raises(TypeError, match="feature 1 of `X` is nominal"):
        MRMR(categorical_features=[1], **measure).fit(np.round(X), y)
    with pytest.raises(ValueError, match="'rank_mutual_information' needs one"):
        MRMR(kind="classification", **measure).fit(X, y)
    with pytest.raises(ValueError, match=r"'measure'.*'pearson'"):
        MRMR(measure="pearson").fit(X, y)


def test_chance_is_drawn_by_random_state(rng):
    X, y = rng.random((40, 30)), np.arange(40) % 4
    one, two = (MRMR(random_state=3).fit(X, y) for _ in range(2))
    assert_array_equal(one.support_, two.support_)
