"""What selected features are worth: held-out losses where their values are shuffled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score

from cli_cases import call
from echelon import AutoSelector, RankCorrelation
from echelon.report import summarize
from echelon.study import _study


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 5)), columns=["strong", "weak", "n1", "n2", "n3"])
    X["label"] = np.array(["u", "v", "w"])[rng.integers(0, 3, 200)]
    y = 2 * X["strong"] + 0.7 * X["weak"] + 1.5 * (X["label"] == "u") + rng.normal(size=200)
    return X, y


def test_noise_loses_nothing_and_signals_in_their_order(table):
    X, y = table
    selector = AutoSelector(n_features_to_select=6, random_state=0).fit(X, y)
    loss = dict(zip(X.columns, selector.scores_, strict=True))
    error = dict(zip(X.columns, selector.scores_error_, strict=True))
    assert loss["strong"] > loss["label"] > loss["weak"] > 0.02
    for noise in ("n1", "n2", "n3"):
        assert abs(loss[noise]) < 0.02
        assert abs(loss[noise]) < 3 * error[noise] + 0.005
    assert loss["strong"] > 5 * error["strong"]


def test_losses_are_those_of_a_plain_loop(table):
    X, y = table[0].drop(columns="label"), table[1]
    folds = [(np.arange(50, 200), np.arange(50)), (np.arange(100), np.arange(100, 200))]
    report = summarize(
        X, y, RankCorrelation(), n_features=3, cv=folds, n_resamples=0,
        estimator=LinearRegression(), scoring="neg_mean_absolute_error",
    )  # fmt: skip
    features = [row for row in report.summary()["features"] if row["kept"]]
    kept = [row["name"] for row in features]
    for row in features:
        assert row["loss_error"] >= 0
        found = []
        for train, test in folds:
            model = LinearRegression().fit(X.loc[train, kept], y[train])
            error = mean_absolute_error(y[test], model.predict(X.loc[test, kept]))
            shuffled = []
            for seed in range(60):
                changed = X.loc[test, kept].copy()
                order = np.random.default_rng(seed).permutation(len(test))
                changed[row["name"]] = changed[row["name"]].to_numpy()[order]
                shuffled.append(mean_absolute_error(y[test], model.predict(changed)))
            found.append(np.mean(shuffled) - error)
        assert row["loss"] == pytest.approx(np.mean(found), abs=0.06)
    left = [row for row in report.summary()["features"] if not row["kept"]]
    assert {row["loss"] for row in left} == {None}


def test_a_scorer_of_ones_own_gives_the_same_losses(table):
    X, y = table

    def scorer(model, X, y):
        return r2_score(y, model.predict(X))

    own, known = (
        AutoSelector(cv=2, random_state=0, n_features_to_select=3, scoring=scoring).fit(X, y)
        for scoring in (scorer, "r2")
    )
    np.testing.assert_allclose(own.scores_, known.scores_, atol=1e-9)
    np.testing.assert_allclose(own.scores_error_, known.scores_error_, atol=1e-9)


def test_large_folds_are_sampled_with_all_classes(monkeypatch, rng):
    monkeypatch.setattr(_study, "ROWS", 5)
    y = np.array(["no"] * 90 + ["yes"] * 10)
    X = pd.DataFrame({"a": (y == "yes") + 0.3 * rng.normal(size=100), "b": rng.normal(size=100)})
    report = summarize(X, y, RankCorrelation(), cv=2, n_features=2, n_resamples=0,
                       scoring="roc_auc", kind="classification")  # fmt: skip
    losses = {row["name"]: row["loss"] for row in report.summary()["features"]}
    assert losses["a"] > 0.1 > abs(losses["b"])


def test_losses_stand_where_scores_of_the_aggregation_stood(table, tmp_path, capsys):
    X, y = table
    path = tmp_path / "table.csv"
    X.assign(y=y).to_csv(path, index=False)
    picture, page = tmp_path / "p.svg", tmp_path / "r.md"
    options = ("rank", path, "-t", "y", "--cv", 2, "--plot", picture, "--report", page)
    done = call(capsys, *options)
    assert (done.code, done.err) == (0, "")
    header = next(line for line in done.out.splitlines() if line.split()[:1] == ["rank"])
    assert header.split()[:3] == ["rank", "feature", "loss"]
    assert "loss: how much the held-out score (R²) worsens" in done.out
    assert "loss: how much the held-out score (R²) worsens" in page.read_text()


def test_nothing_selected_is_worth_nothing(rng):
    X = rng.normal(size=(60, 4))
    selector = AutoSelector(cv=2, random_state=0).fit(X, rng.normal(size=60))
    assert not selector.helps_
    assert selector.scores_.tolist() == [0, 0, 0, 0]
