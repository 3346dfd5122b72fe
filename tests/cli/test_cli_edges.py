"""What was seen once: pictures and sentences beside the answer, and options that settle a doubt."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from cli_cases import call
from echelon import AutoSelector, ReliefF
from echelon._core.words import with_error
from echelon.cli._outputs import ranking_picture

QUICK = ("-m", "rankcorrelation", "-q")


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Real ages of 99, a column whose name ends with a full stop, texts, one missing value."""
    rng = np.random.default_rng(0)
    n = 120
    grade = rng.integers(0, 3, n)
    age = rng.integers(18, 60, n) + 3 * grade
    age[:3] = 99
    x = (grade + rng.normal(0, 0.7, n)).round(2)
    numbers = [f"K{k}" for k in range(n)]
    frame = pd.DataFrame({"age": age, "Kreditnr.": numbers, "x": x, "grade": grade})
    frame["remark"] = [f"said {k}" for k in rng.integers(0, 110, n)]
    frame.loc[5, "x"] = np.nan
    path = tmp_path_factory.mktemp("edges") / "survey.csv"
    frame.to_csv(path, index=False)
    return path


def test_codes_that_are_values_are_said_to_be(survey, capsys):
    asked = call(capsys, "rank", survey, "-t", "grade", *QUICK).out
    assert "pass --missing age=99, if not, --not-missing age." in asked
    settled = call(capsys, "rank", survey, "-t", "grade", *QUICK, "--not-missing", "age").out
    assert "--missing" not in settled
    call(capsys, "rank", survey, "-t", "grade", "--not-missing", "agee").check_refused(
        "mean 'age'?"
    )


def test_sentences_end_once_and_count_right(survey, capsys):
    out = call(capsys, "rank", survey, "-t", "grade", *QUICK).out
    assert "Excluded (looks like an ID): Kreditnr.\n" in out
    assert "Excluded (free text rather than categories): remark." in out
    assert "1 value (" in out
    assert "in 1 column is missing." in out
    assert ".." not in out.replace("...", "")
    one = call(capsys, "rank", survey, "-t", "grade", *QUICK, "--drop", "age").out
    assert "120 rows, 1 feature; grade: 0 < 1 < 2" in one


def test_texts_are_ranked_where_asked_for(survey, capsys):
    done = call(capsys, "rank", survey, "-t", "grade", *QUICK, "--keep", "remark", "--json")
    summary = json.loads(done.out)
    assert "remark" in [feature["name"] for feature in summary["features"]]
    assert summary["set_aside"] == {"Kreditnr.": "looks like an ID"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("option", ["-o", "--report", "--plot", "--code", "--save-config"])
def test_a_full_disk_is_named_and_the_answer_shown(option, survey, capsys):
    done = call(capsys, "rank", survey, "-t", "grade", *QUICK, option, "/dev/full")
    assert (done.code, done.err) == (2, "echelon: No space left on device: '/dev/full'\n")
    assert "\nSelected" in done.out
    assert "\nWrote" not in done.out


def test_zero_has_no_sign():
    assert with_error(-0.0001, 0.01) == "0.000 ± 0.010"
    assert with_error(-0.01, 0.01) == "-0.010 ± 0.010"


def test_the_picture_marks_what_is_selected():
    features = [{"name": f"f{j}", "score": None, "loss": None, "kept": j < 10} for j in range(12)]
    curve = {"n_features": list(range(1, 13)), "folds": np.linspace(0, 1, 12)[:, None] * [1, 1.1]}
    method = {"name": "m", "curve": curve, "best_size": 12, "one_se_size": 8, "n_features": 10}
    answer = {"method": "m", "n_features": 10}
    summary = {"features": features, "methods": [method], "answer": answer,
               "how": {"scoring": "accuracy"}}  # fmt: skip
    _, labels = ranking_picture(summary).axes[-1].get_legend_handles_labels()
    assert labels == ["best mean: 12", "selected: 10"]


@pytest.fixture(scope="module")
def homes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({"home": np.where(y + rng.normal(0, 0.3, 80) > 0.5, "own", "rent"),
                      "noise": rng.normal(size=80)})  # fmt: skip
    return X, y


@pytest.mark.parametrize("categories", ["str", "category"])
def test_a_model_that_takes_numbers_only_gets_numbers(homes, categories):
    X, y = homes
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5)
    selector = AutoSelector(estimator=model, cv=2, random_state=0, n_jobs=1)
    selector.fit(X.astype({"home": categories}), y)
    assert selector.get_feature_names_out().tolist() == ["home"]


def test_a_pipeline_gets_the_table_as_it_is(homes):
    X, y = homes
    pipe = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    selector = AutoSelector(estimator=pipe, cv=2, random_state=0, n_jobs=1).fit(X, y)
    assert selector.estimator_ is pipe


@pytest.mark.parametrize("selector", [AutoSelector(), ReliefF()])
def test_dates_are_refused_with_what_to_do(selector, homes):
    X, y = homes
    X = X.assign(when=pd.date_range("2024", periods=len(X)))
    with pytest.raises(TypeError, match=r"pass dates as numbers of days, as in \(X\['when'\] - "):
        selector.fit(X, y)
