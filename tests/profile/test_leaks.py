"""Columns that predict the target almost perfectly are named, for any target and any width."""

import numpy as np
import pandas as pd
import pytest

from echelon.profile import profile

N = 240


def beside(leak, noise, width):
    X = pd.DataFrame(noise.normal(size=(len(leak), width))).add_prefix("g")
    X.insert(width // 2, "leak", leak)
    return X


def found(leak, y, rng, width=12, **how):
    return profile(beside(leak, rng, width), y, **how).giveaways


@pytest.mark.parametrize("width", [12, 7129])
@pytest.mark.parametrize("wrong", [0, 4])
@pytest.mark.parametrize("kind", ["ordinal", "classification"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_copy_of_the_classes_with_a_few_mistakes(kind, wrong, width, n_classes, rng):
    """4 of 240 rows are 1.7 %."""
    y = np.arange(N) % n_classes
    leak = y.copy()
    rows = rng.choice(N, wrong, replace=False)
    leak[rows] = (leak[rows] + 1) % n_classes
    assert found(leak, y, rng, width, kind=kind) == ["leak"]
    if width < 100:
        assert found(np.array(list("pqrs"))[leak], y, rng, width, kind=kind) == ["leak"]
        hidden = leak + rng.random(N) / 2  # a number of which the classes are made
        assert found(hidden, y, rng, width, kind=kind) == ["leak"]


def test_mistakes_that_chance_makes_in_one_or_two_of_a_hundred_rows(rng):
    missed = 0
    for _ in range(60):
        y = rng.integers(0, 2, N)
        missed += found(np.where(rng.random(N) < 0.015, 1 - y, y), y, rng) != ["leak"]
    assert missed <= 3


@pytest.mark.parametrize("width", [12, 7129])
def test_numbers(width, rng):
    y = rng.gamma(2, 1, N)
    assert found(12 * y, y, rng, width) == ["leak"]
    assert found(-np.exp(y), y, rng, width) == ["leak"]
    rows = rng.choice(N, 3, replace=False)
    mistaken = 12 * y
    mistaken[rows] = rng.permutation(mistaken)[:3]
    assert found(mistaken, y, rng, width) == ["leak"]
    assert found(y + rng.normal(0, 0.9, N), y, rng, width) == []  # a good feature


def test_rare_classes(rng):
    y = (np.arange(N) < 12).astype(int)
    assert found(y, y, rng) == ["leak"]
    assert found(rng.permutation(y), y, rng) == []  # right in 90 % of the rows


def test_what_is_missing_where_the_outcome_is_known(rng):
    y = np.arange(N) % 2
    leak = np.where(y == 1, rng.normal(size=N), np.nan)
    assert found(leak, y, rng) == ["leak"]


def test_good_features_and_chance_are_not_named(rng):
    y = np.arange(N) % 2
    assert found(y + rng.normal(0, 0.35, N), y, rng) == []
    for _ in range(5):
        few = np.arange(12) % 2
        X = pd.DataFrame(rng.normal(size=(12, 3000)))
        assert profile(X, few).giveaways == []


@pytest.mark.parametrize(
    ("y", "kind"), [(np.arange(N) % 3, "ordinal"), (np.arange(N) / 7.0, "regression")]
)
def test_the_question_is_asked_before_the_answer(y, kind, rng):
    facts = profile(beside(12.0 * y, rng, 5), y, kind=kind)
    assert (
        "leak predicts the target almost perfectly: is it known in advance? If not, leave out "
        "what is not known before the outcome is." in facts.warnings
    )
