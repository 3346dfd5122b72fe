"""What was public goes on working, with a warning that names what to use instead."""

import numpy as np
import pytest

import echelon.profile
import echelon.study
from echelon import RankCorrelation
from echelon.report import summarize
from echelon.targets import read_target


def test_names_that_go():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    X[:, 0] += y
    with pytest.warns(FutureWarning, match="goes in 0.4: use echelon.report.summarize"):
        make = echelon.study.make_summary
    settings = echelon.study.Settings(cv=3)
    found = make(X, read_target(y), {"tau": RankCorrelation()}, settings, n_resamples=0)
    assert found["answer"]["keep"][0] == "0"
    with pytest.warns(FutureWarning, match="read the caveats of a Profile"):
        caveats = echelon.profile.caveats
    assert caveats(echelon.profile.profile(X, y)) == echelon.profile.profile(X, y).caveats
    for module in (echelon.study, echelon.profile):
        with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
            module.nosuch  # noqa: B018


def test_keys_that_go(simple):
    summary, words = simple.summary(), simple.summary()["words"]
    assert (summary["title"], summary["caveats"]) == (words["title"], words["caveats"])
    assert summary["answer"]["sentence"] == words["answer"]
    assert summary["answer"]["warnings"] == words["warnings"]
    assert words["lines"]["Baseline"] in summary["answer"]["evidence"]
    assert summary["answer"]["comparison"] == words["lines"]["All features"]
    assert summary["questions"]["sentences"] == words["questions"]
    assert summarize(*_many_steps()).summary()["answer"]["offer"]["sentence"]


def _many_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = X @ np.r_[1.0, 0.9, 0.8, np.full(7, 0.12)] + 0.2 * rng.normal(size=2000)
    return X, y, RankCorrelation()
