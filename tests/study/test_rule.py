"""How many features to keep: tolerances, the smaller set on offer, those kept in any case."""

import numpy as np
import pandas as pd
import pytest

from echelon import ForwardLinear, RankCorrelation
from echelon.evaluation import FeatureCurve
from echelon.report import summarize
from echelon.study._choice import Rule, choose, read_rule, share_to_offer, size_of
from echelon.study._rankers import Arranged

NAMES = list("abcdefgh")
ALONE = np.arange(len(NAMES))


def curve_of(*means):
    """A curve without spread over three folds."""
    scores = np.repeat(np.array(means, dtype=float)[:, None], 3, axis=1)
    sizes = np.arange(1, len(means) + 1)
    return FeatureCurve(sizes, scores, np.tile(sizes - 1, (3, 1)))


KNEE = curve_of(0.2, 0.4, 0.58, 0.585, 0.59, 0.6, 0.605, 0.61)
"""Three features are nearly as good as eight; 0.1 is the guess."""


@pytest.mark.parametrize(
    ("tolerance", "size"), [(None, 7), ("1%", 7), ("5.9%", 3), (0.03, 3), (0.0301, 3), (0.5, 1)]
)
def test_the_tolerance_is_a_loss_or_a_share_of_the_gain(tolerance, size):
    rule = read_rule("auto", tolerance, (), NAMES, ALONE)
    assert size_of(KNEE, 0.1, rule) == size


def test_the_knee_is_offered_by_the_tolerance_that_leads_to_it():
    share = share_to_offer(KNEE, 0.1, 8)
    assert share == 0.1  # 3 features lose 5.9 % of the gain
    assert size_of(KNEE, 0.1, Rule(share=share)) == 3
    assert share_to_offer(KNEE, 0.1, 4) is None  # small enough itself
    straight = curve_of(*np.linspace(0.2, 0.9, 8))
    assert share_to_offer(straight, 0.1, 8) is None
    assert share_to_offer(curve_of(0.25, 0.25, 0.25), 0.25, 3) is None


def test_the_first_method_is_chosen_unless_another_is_better_or_no_worse_and_smaller():
    curves = {
        "first": curve_of(0.3, 0.485, 0.486, 0.486),
        "all": curve_of(0.2, 0.3, 0.4, 0.5),
        "poor": curve_of(0.1, 0.1, 0.2, 0.3),
    }
    # Without spread 1 % of the gain is all that may be lost.
    assert choose(curves, 0.0, Rule()) == ("all", 4)
    assert choose(curves, 0.0, Rule(share=0.05)) == ("first", 2)
    assert choose(curves, 0.0, Rule(tolerance=0.25)) == ("first", 1)
    assert choose(curves, 0.0, Rule(wanted=3)) == ("first", 3)
    curves["smaller"] = curve_of(0.485, 0.485, 0.485, 0.485)
    assert choose(curves, 0.0, Rule(share=0.05)) == ("smaller", 1)


@pytest.mark.parametrize("tolerance", ["some", "-1%", "%", -0.1, True, float("nan"), "inf"])
def test_no_tolerance(tolerance):
    with pytest.raises(ValueError, match="`tolerance` must be a number from 0"):
        read_rule("auto", tolerance, (), NAMES, ALONE)


def test_wrong_numbers_of_features():
    for n_features in (0, 9, 1.5, True, "many"):
        with pytest.raises(ValueError, match="'auto' or a whole number from 1 to"):
            read_rule(n_features, None, (), NAMES, ALONE)
    with pytest.raises(ValueError, match="from 2 to the number of features, 8, got 1"):
        read_rule(1, None, ("a", "b"), NAMES, ALONE)
    with pytest.raises(ValueError, match="`keep` must name features, got 'z'"):
        read_rule("auto", None, ("z",), NAMES, ALONE)


@pytest.fixture
def sums(rng):
    """A quantity that falls off from one feature to the next."""
    X = pd.DataFrame(rng.normal(size=(120, 8)), columns=NAMES)
    y = X @ (0.6 ** np.arange(8)) + 0.3 * rng.normal(size=120)
    return X, y


@pytest.mark.parametrize("selector", [RankCorrelation(), ForwardLinear()])
def test_some_features_come_first(selector, sums):
    X, y = sums
    fitted = Arranged(selector, ("h", "c")).fit(X, y)
    assert {"h", "c"} == set(X.columns[fitted.order_[:2]])
    assert X.columns[fitted.order_[2]] == "a"
    assert sorted(X.columns[fitted.ranking_ <= 3]) == ["a", "c", "h"]


@pytest.mark.parametrize("selector", [RankCorrelation(), ForwardLinear()])
def test_they_are_in_the_answer_of_every_size(selector, sums):
    X, y = sums
    found = summarize(X, y, selector, keep=["h"], tolerance="20%", n_resamples=4).summary()
    answer = found["answer"]
    assert answer["always"] == ["h"]
    assert answer["keep"][:2] == ["h", "a"]
    assert found["features"][0]["stability"] == 1.0
    assert answer["rule"]["share"] == 0.2
    noise = np.random.default_rng(1).normal(size=120)
    none = summarize(X, noise, selector, keep=["h", "g"], n_resamples=0).summary()
    assert sorted(none["answer"]["keep"]) == ["g", "h"]
    assert none["words"]["answer"].startswith("Selected only ")
    assert "as requested" in none["words"]["answer"]


def test_nearly_everything_comes_with_an_offer(rng):
    """Many rows make every little gain certain, and the answer useless."""
    X = pd.DataFrame(rng.normal(size=(2000, 10)), columns=list("abcdefghij"))
    y = X @ np.r_[1.0, 0.9, 0.8, np.full(7, 0.12)] + 0.2 * rng.normal(size=2000)
    summary = summarize(X, y, RankCorrelation(), n_resamples=0).summary()
    answer = summary["answer"]
    offer = answer["offer"]
    assert answer["n_features"] > offer["n_features"] == 3
    assert sorted(offer["keep"]) == ["a", "b", "c"]
    assert 0 < offer["share"] < 0.1
    assert offer["tolerance"] == 0.05
    assert summary["words"]["lines"]["Smaller set"].endswith('(tolerance="5%")')
    taken = summarize(X, y, RankCorrelation(), n_resamples=0, tolerance="5%").summary()["answer"]
    assert taken["keep"] == offer["keep"]
    assert taken["offer"] is None
