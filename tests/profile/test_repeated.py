"""Columns that look like a subject with several rows, and those that only look so at first."""

import numpy as np
import pandas as pd
import pytest

from echelon.profile import profile
from echelon.profile._columns import repeated_subjects


def measured(rng, subject, spread=0.3, n_columns=5):
    """Measurements that rows of one subject share but for some spread."""
    each = rng.normal(size=(subject.max() + 1, n_columns))[subject]
    noise = spread * rng.normal(size=each.shape)
    return pd.DataFrame(each + noise, columns=[f"m{j}" for j in range(n_columns)])


@pytest.mark.parametrize("n_each", [2, 5, 15])
@pytest.mark.parametrize("labels", [False, True])
def test_rows_of_one_value_that_are_alike(n_each, labels, rng):
    subject = np.repeat(rng.permutation(40), n_each)
    X = measured(rng, subject)
    X["x"] = [f"s{code}" for code in subject] if labels else subject + 100
    outcome = rng.normal(size=len(X))
    assert repeated_subjects(X, outcome) == ["x"]
    apart = X.assign(x=rng.permutation(X["x"]))  # the same values, of other rows
    assert repeated_subjects(apart, outcome) == []
    found = profile(X, outcome)
    assert found.repeated == ["x"]
    assert "groups=" in found.warnings[0]
    assert ("like subjects", "x") in found.frame().itertuples(index=False, name=None)


def test_a_name_is_enough_where_values_repeat(rng):
    subject = rng.integers(0, 60, 600)
    X = pd.DataFrame(rng.normal(size=(600, 3)), columns=list("abc"))
    for name in ("patient", "Store No", "HouseholdID", "school_code"):
        assert repeated_subjects(X.assign(**{name: subject}), rng.normal(size=600)) == [name]
    few = X.assign(store=subject % 3)  # levels rather than subjects
    assert repeated_subjects(few, rng.normal(size=600)) == []


def test_quantities_are_no_subjects(rng):
    """What neighbouring numbers share, they share because they are near."""
    age = rng.integers(18, 80, 500)
    X = pd.DataFrame({"age": age, "pulse": 200 - age + rng.normal(size=500)})
    X["pressure"] = 0.5 * age + rng.normal(size=500)
    X["customers"] = 3 * age + rng.integers(0, 3, 500)  # named so, and a number of them
    assert repeated_subjects(X, age + rng.normal(size=500)) == []


def test_ordered_answers_gaps_and_intervals_are_looked_at(rng):
    subject = np.repeat(np.arange(20), 6)
    X = measured(rng, subject)
    X.loc[::11, "m0"] = np.nan
    X["likert"] = pd.Categorical(rng.integers(0, 9, 120), ordered=True)
    X["who"] = pd.Series(subject).map(lambda code: f"p{code}").where(subject != 3)
    assert repeated_subjects(X, rng.normal(size=120)) == ["who"]
    spans = pd.IntervalIndex.from_arrays(np.arange(120.0), np.arange(1.0, 121.0))
    assert repeated_subjects(pd.DataFrame({"span": spans}), rng.normal(size=120)) == []
