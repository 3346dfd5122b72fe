"""A fitted AutoSelector is the study: its report says what it selected."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from echelon import AutoSelector
from echelon.datasets import load_grades


@pytest.fixture(scope="module")
def fitted():
    X, y = load_grades()
    return AutoSelector(random_state=0).fit(X, y)


def test_the_report_is_about_the_selection(fitted, tmp_path):
    report = fitted.report(tmp_path / "page.html", n_resamples=2)
    answer = report.summary()["answer"]
    assert set(answer["keep"]) == set(fitted.get_feature_names_out())
    assert answer["score"]["held_out"]["mean"] == pytest.approx(fitted.score_)
    assert answer["helps"] == fitted.helps_
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.to_html()
    with pytest.raises(FileExistsError):
        fitted.report(tmp_path / "page.html", n_resamples=0)
    fitted.report(tmp_path / "page.html", n_resamples=0, overwrite=True)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") != report.to_html()
    for ending in ("md", "json"):
        fitted.report(tmp_path / f"page.{ending}", n_resamples=0)
    with pytest.raises(ValueError, match=r"must end in \.html, \.md or \.json"):
        fitted.report(tmp_path / "page.doc", n_resamples=0)


def test_a_report_needs_the_data_of_the_fit(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.support_, fitted.support_)
    with pytest.raises(ValueError, match="does not hold its data"):
        copy.report()
    assert len(pickle.dumps(fitted)) < 2e6
    assert not hasattr(clone(fitted), "_study")


def test_what_must_be_kept(fitted):
    X, y = load_grades()
    by_name = AutoSelector(must_keep=["age"], random_state=0).fit(X, y)
    assert "age" in by_name.get_feature_names_out()
    assert by_name.ranking_[X.columns.get_loc("age")] == 1
    by_index = AutoSelector(must_keep=[0], random_state=0).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(by_index.support_, by_name.support_)
    assert by_name.report(n_resamples=0).summary()["answer"]["always"] == ["age"]
    with pytest.raises(ValueError, match="`must_keep` names the column 'nosuch'"):
        AutoSelector(must_keep=["nosuch"]).fit(X, y)


def test_noise_that_is_kept_as_asked_for(rng):
    X, y = pd.DataFrame(rng.normal(size=(80, 5)), columns=list("abcde")), np.arange(80) % 2
    none = AutoSelector(random_state=0).fit(X, y)
    some = AutoSelector(random_state=0, allow_none=False).fit(X, y)
    assert not none.support_.any()
    for selector in (none, some):
        summary = selector.report(n_resamples=0).summary()
        assert set(summary["answer"]["keep"]) == set(X.columns[selector.support_])
        assert not summary["answer"]["helps"]
    assert "not significantly better" in summary["words"]["answer"]
