"""Names that act without being seen, and work that is less than what was asked for."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count, parallel_config
from joblib.parallel import get_active_backend

from echelon import ReliefF
from echelon._core.jobs import Jobs, _useful
from echelon._core.words import all_visible, visible
from echelon.display import DistributionDisplay
from echelon.report import summarize

UNSEEN = "\x00\x1b\x7f\x85\u200b\u200e\u2028\u202e\u2066\ufeff"
NAME = f"a{UNSEEN}\u05d0\u05d1"


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(0)
    y = pd.Series(np.repeat([0.0, 1.0], 15), name=NAME)
    good = y + rng.normal(scale=0.4, size=30)  # the outcome itself would be called a leak
    X = pd.DataFrame({NAME: good, f"{NAME}2": 1.1 * good, "noise": rng.normal(size=30)})
    told = {"n_features": 2, "n_resamples": 0, "cv": 3, "source": NAME, "command": NAME}
    return summarize(X, y, {NAME: ReliefF()}, **told)


def test_what_acts_unseen_becomes_a_symbol():
    assert visible("a\x00\x1b\x7f\u202e\ud800") == "a\u2400\u241b\u2421<U+202E><U+D800>"
    for text in (
        "a b\tc\nd",
        "\u05d0\u05d1 \u0645",
        "e\u0301 \U0001f468\u200d\U0001f469",
        "é\u00a0€",
    ):
        assert visible(text) == text


def test_nested_values_are_made_visible_throughout():
    assert all_visible({"a\x00": ["\x00", 1, None, {"b": "\x1b"}]}) == {
        "a\u2400": ["\u2400", 1, None, {"b": "\u241b"}]
    }


@pytest.mark.parametrize("render", ["to_html", "to_markdown"])
def test_pages_hold_nothing_that_acts_unseen(report, render):
    page = getattr(report, render)()
    assert not set(page) & set(UNSEEN)
    assert "\u2400\u241b\u2421" in page


def test_names_do_not_turn_the_sentences_around_them(report):
    page = report.to_html()
    same = re.search(r'id="h-same".*?</section>', page, re.DOTALL).group()
    assert same.count("<bdi>") == same.count("</bdi>") >= 2


def test_json_keeps_names_as_they_are(report):
    assert json.loads(report.to_json())["data"]["target"] == NAME


def test_labels_of_pictures_and_errors_name_the_column():
    frame = pd.DataFrame({"when": pd.date_range("2024", periods=12)})
    with pytest.raises(TypeError, match="Column 'when' of `X` has dtype datetime"):
        DistributionDisplay.from_data(frame, np.arange(12) % 2)


def test_true_is_no_number_of_cores():
    with pytest.raises(ValueError, match="`n_jobs` must be a number of cores"):
        ReliefF(n_jobs=True).fit(np.eye(8), [0, 1] * 4)


def _double(x):
    return 2 * x


def test_no_more_processes_than_work_or_cores():
    backend, _ = get_active_backend()
    assert _useful(99, 3, backend) == min(3, cpu_count())
    assert _useful(99, 1000, backend) == cpu_count()
    assert _useful(-1, 1, backend) == 1
    assert _useful(None, 3, backend) is None
    assert _useful(99, 3, object()) == 99  # a cluster's: its cores are elsewhere
    with parallel_config("threading"):
        assert Jobs(99)("double", _double, [(1,), (2,)]) == [2, 4]
