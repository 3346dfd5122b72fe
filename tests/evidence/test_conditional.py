"""Models of one column given others, against loops and against what was simulated."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import reference_evidence as reference
from echelon.data import read_columns
from echelon.evidence import _conditional
from echelon.evidence._conditional import PENALTIES, Conditionals, _logits, encode


def mixed(n, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "number": z + rng.normal(size=n),
            "grade": pd.cut(z + rng.normal(size=n), [-9, -1, 0, 1, 9]).codes,
            "home": rng.choice(["own", "rent", "none"], n, p=[0.5, 0.4, 0.1]),
            "constant": np.ones(n),
        }
    ).astype({"grade": float})
    for name in ("number", "grade", "home"):
        table[name] = table[name].where(rng.uniform(size=n) > missing)
    return table


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 3.0])
@pytest.mark.parametrize("shape", [(25, 4), (12, 15)])
def test_ridge_of_any_column_from_one_inverse(monkeypatch, penalty, shape):
    monkeypatch.setattr(_conditional, "PENALTIES", np.array([penalty]))
    matrix = np.random.default_rng(0).normal(size=shape)
    matrix[:, 1] += matrix[:, 0]
    given = np.array([0, 2, 3])
    fit = Conditionals(matrix).ridge(np.array([1]), given, np.ones(len(matrix), bool))
    weights, intercept = reference.ridge(matrix[:, given], matrix[:, 1], penalty * len(matrix))
    np.testing.assert_allclose(fit.weights[given, 0], weights, rtol=1e-8)
    np.testing.assert_allclose(fit.intercept, intercept, rtol=1e-8, atol=1e-10)
    assert not np.delete(fit.weights[:, 0], given).any()
    left_out = reference.ridge_left_out(matrix[:, given], matrix[:, 1], penalty * len(matrix))
    np.testing.assert_allclose(fit.left_out[:, 0], left_out, rtol=1e-7, atol=1e-9)


def test_the_penalty_with_the_smallest_error_is_taken(monkeypatch):
    matrix = np.random.default_rng(1).normal(size=(30, 20))
    everywhere, given = np.ones(30, bool), np.arange(1, 20)
    chosen = Conditionals(matrix).ridge(np.array([0]), given, everywhere)
    errors = []
    for penalty in PENALTIES:
        monkeypatch.setattr(_conditional, "PENALTIES", np.array([penalty]))
        fit = Conditionals(matrix).ridge(np.array([0]), given, everywhere)
        errors.append(((matrix[:, 0] - fit.left_out[:, 0]) ** 2).sum())
    error = ((matrix[:, 0] - chosen.left_out[:, 0]) ** 2).sum()
    assert error == pytest.approx(min(errors))


@pytest.mark.parametrize("seed", range(5))
def test_logits_have_the_largest_penalised_likelihood(seed):
    rng = np.random.default_rng(seed)
    index = rng.normal(size=40)
    index = (index - index.mean()) / index.std()
    level = np.digitize(index + rng.logistic(size=40), [-1, 0.5])
    above = (level[:, None] > np.arange(2)).astype(float)
    intercepts, slope = _logits(index, above)

    def loss(beta):
        return -reference.log_likelihood(index, above, beta[:2], beta[2], 1.0)

    best = minimize(loss, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose([*intercepts, slope], best, atol=2e-4)


def test_draws_have_the_distribution_of_the_column_given_the_others():
    table = mixed(4000, missing=0.0)
    encoded = encode(read_columns(table))
    models = Conditionals(encoded.matrix, np.arange(2000))
    held_out = encoded.matrix[2000:]
    random_state = np.random.RandomState(0)
    for f in range(3):
        feature = encoded.features[f]
        drawn = models.model(feature, encoded.others([f])).draw(held_out, random_state)
        observed = held_out[:, feature.columns]
        np.testing.assert_allclose(drawn.mean(axis=0), observed.mean(axis=0), atol=0.08)
        np.testing.assert_allclose(drawn.std(axis=0), observed.std(axis=0), rtol=0.1)
        others = held_out[:, encoded.others([f])]
        expected, found = others.T @ observed / 2000, others.T @ drawn / 2000
        np.testing.assert_allclose(found, expected, atol=0.08)
        if len(feature.levels):
            levels = {tuple(level) for level in feature.levels.round(9)}
            assert {tuple(row) for row in drawn.round(9)} == levels


def test_missing_values_stay_and_have_no_residual():
    table = mixed(300, missing=0.2)
    encoded = encode(read_columns(table))
    assert np.isfinite(encoded.matrix).all()
    models = Conditionals(encoded.matrix)
    for f in range(4):
        model = models.model(encoded.features[f], encoded.others([f]))
        gone = ~encoded.present[:, f]
        drawn = model.draw(encoded.matrix, np.random.RandomState(0))
        own = encoded.matrix[:, encoded.features[f].columns]
        np.testing.assert_array_equal(drawn[gone], own[gone])
        assert not model.residuals(encoded.matrix)[gone].any()


def test_probabilities_of_levels_are_ordered_cumulative_logits():
    table = mixed(500)
    encoded = encode(read_columns(table))
    for f in (1, 2):
        model = Conditionals(encoded.matrix).model(encoded.features[f], encoded.others([f]))
        chances = model.probabilities(encoded.matrix)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        assert (chances > 0).all()
        shares = table.iloc[:, f].value_counts(normalize=True, sort=False)
        if f == 1:
            np.testing.assert_allclose(
                chances[encoded.present[:, f]].mean(axis=0), shares.sort_index(), atol=0.01
            )


@pytest.mark.parametrize(
    "column",
    [
        [np.nan] * 20,
        [1.0] * 20,
        [1.0] * 19 + [np.nan],
        [0.0] * 19 + [1.0],
        [str(i) for i in range(20)],
        ["a"] * 19 + ["b"],
        [1e300 * i for i in range(20)],
    ],
)
def test_odd_columns_have_finite_models(column):
    table = pd.DataFrame({"odd": column, "x": np.arange(20.0) ** 2, "z": np.sin(np.arange(20))})
    encoded = encode(read_columns(table))
    models = Conditionals(encoded.matrix, np.arange(0, 20, 2))
    for f, feature in enumerate(encoded.features):
        model = models.model(feature, encoded.others([f]))
        assert np.isfinite(model.residuals(encoded.matrix)).all()
        assert np.isfinite(model.draw(encoded.matrix, np.random.RandomState(0))).all()
