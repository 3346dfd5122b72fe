"""Rows that weigh: in rankings, models, scores, guesses and stabilities alike."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from echelon import AutoSelector, OrdinalDecomposition, RankCorrelation
from echelon.evaluation import rank_loss, selection_stability
from echelon.report import summarize
from echelon.study import RFE, Prepared

KINDS = ("ordinal", "classification", "regression")


@pytest.fixture
def halves(rng):
    """One feature decides in the first half of the rows, another one in the second."""
    X = pd.DataFrame(rng.normal(size=(160, 4)), columns=list("abcd"))
    X["label"] = np.where(rng.random(160) > 0.5, "x", "y")
    second = np.arange(160) >= 80
    signal = np.where(second, X["b"], X["a"]) + 0.1 * rng.normal(size=160)
    return X, signal, second


def target(signal, kind):
    if kind == "regression":
        return signal
    codes = pd.qcut(signal, 3, labels=False)
    return codes if kind == "ordinal" else np.array(list("qrs"))[codes]


@pytest.mark.parametrize("kind", KINDS)
def test_ones_change_nothing(kind, halves):
    X, signal, _ = halves
    y = target(signal, kind)
    settings = {"kind": kind, "n_resamples": 3, "cv": 3}
    plain = summarize(X, y, RankCorrelation(), **settings).summary()
    ones = summarize(X, y, RankCorrelation(), sample_weight=np.full(160, 7.0), **settings).summary()
    assert ones["answer"]["keep"] == plain["answer"]["keep"]
    for name in ("held_out", "guess", "at_this_size"):
        expected = plain["answer"]["score"][name]["mean"]
        assert ones["answer"]["score"][name]["mean"] == pytest.approx(expected, abs=1e-6)
    assert ones["methods"][0]["stability"]["frequency"] == pytest.approx(
        plain["methods"][0]["stability"]["frequency"]
    )
    assert ones["how"]["weights"] == "weights"


@pytest.mark.parametrize("kind", KINDS)
def test_equal_weights_are_none(kind, halves):
    X, signal, _ = halves
    y = target(signal + 2 * np.random.default_rng(0).normal(size=160), kind)
    plain, ones, twos = (
        AutoSelector(cv=2, random_state=0).fit(X, y, sample_weight=weights)
        for weights in (None, np.ones(160), np.full(160, 2))
    )
    for each in (ones, twos):
        assert each.score_ == plain.score_
        assert each.scores_.tolist() == plain.scores_.tolist()
        assert each.support_.tolist() == plain.support_.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_count_decide(kind, halves):
    X, signal, second = halves
    y = target(signal, kind)
    weights = pd.Series(np.where(second, 1.0, 0.01), name="importance")
    ranking = Prepared(RankCorrelation())
    found = summarize(
        X, y, ranking, kind=kind, sample_weight=weights, n_resamples=3, cv=3
    ).summary()
    assert found["answer"]["keep"][0] == "b"
    assert found["how"]["weights"] == "importance"
    assert (
        "Rows are weighted by importance in rankings, models and scores."
        in found["words"]["caveats"]
    )
    plain = summarize(X, y, ranking, kind=kind, n_resamples=0, cv=3).summary()
    worse, better = (each["answer"]["score"] for each in (plain, found))
    gains = [
        abs(each["held_out"]["mean"] - each["guess"]["mean"]) for each in (worse, better)
    ]  # fmt: skip
    assert gains[1] > gains[0]


def test_auto_selector_weighs(halves):
    X, signal, second = halves
    fitted = AutoSelector(cv=3, random_state=0).fit(X, signal, sample_weight=second + 0.01)
    assert X.columns[fitted.order_[0]] == "b"
    fitted = AutoSelector(cv=3, random_state=0).fit(X, signal, sample_weight=1.01 - second)
    assert X.columns[fitted.order_[0]] == "a"


def test_losses_models_and_stabilities_weigh(halves, rng):
    assert rank_loss([1, 2, 3], [1, 3, 1], sample_weight=[1, 2, 1]) == 1.0
    X, signal, second = halves
    y, numbers = target(signal, "ordinal"), X[list("abcd")]
    model = OrdinalDecomposition(LogisticRegression())
    only = model.fit(numbers, y, sample_weight=second.astype(float)).predict(numbers)
    assert (only == model.fit(numbers[second], y[second]).predict(numbers)).all()
    chosen = selection_stability(RankCorrelation(1), X, y, 4, random_state=0,
                                 sample_weight=second + 0.001)  # fmt: skip
    assert chosen.frequency[1] == 1.0


def test_what_takes_no_weights_says_so(halves):
    X, signal, _ = halves
    with pytest.raises(TypeError, match="RFE takes no weights"):
        summarize(X, signal, Prepared(RFE()), sample_weight=np.arange(160) / 2, n_resamples=0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        summarize(X, signal, RankCorrelation(), sample_weight=[0.5, 2], n_resamples=0)
