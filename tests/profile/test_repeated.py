"""Columns that look like a subject with several rows, and those that only look so at first."""

import numpy as np
import pandas as pd
import pytest

from echelon import AutoSelector
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
    assert ("look like subject IDs", "x") in found.frame().itertuples(index=False, name=None)


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


def test_jobs_are_no_subjects(rng):
    """Rows of one job are alike, in many ways, but a job is no subject."""
    jobs = [f"{a} {b}" for a in ("senior", "junior", "chief") for b in ("nurse", "clerk", "baker",
            "smith", "cook", "pilot")]  # fmt: skip
    job = rng.integers(0, len(jobs), 400)
    X = measured(rng, job, spread=0.1)
    for name in ("job title", "position", "Occupation"):
        assert repeated_subjects(X.assign(**{name: np.array(jobs)[job]}), X["m0"].to_numpy()) == []


def test_visits_in_blocks_belong_to_subjects(rng):
    """Numbers 1, 2, 3, ... of subjects whose group is a column, in the order of groups."""
    chick = np.repeat(np.arange(1, 49), 12)
    diet = (chick - 1) // 12
    X = pd.DataFrame({"Time": np.tile(np.arange(12), 48), "Chick": chick, "Diet": diet})
    weight = 40 + X["Time"] * (3 + diet) + rng.normal(0, 9, len(X))
    assert repeated_subjects(X, weight.to_numpy()) == ["Chick"]
    month = pd.DataFrame({"month": np.repeat(np.arange(1, 13), 30), "x": rng.normal(size=360)})
    month["quarter"] = (month["month"] - 1) // 3
    assert repeated_subjects(month, rng.normal(size=360)) == []
    ages = pd.DataFrame({"years": np.repeat(np.arange(30, 70), 9), "x": rng.normal(size=360)})
    assert repeated_subjects(ages, rng.normal(size=360)) == []  # sorted, nothing is constant


def test_texts_describe_rows(rng):
    n = 336
    y = rng.integers(0, 2, n)
    X = pd.DataFrame({"x": y + rng.normal(size=n), "noise": rng.normal(size=n)})
    X["when"] = [f"t{k}" for k in rng.integers(0, 300, n)]
    X["town"] = [f"town {k}" for k in rng.integers(0, 25, n)]
    found = profile(X, y)
    assert (found.texts, found.identifiers) == (["when"], [])
    assert found.nominal == ["town"]
    assert ("free text", "when") in found.frame().itertuples(index=False, name=None)


def test_selected_texts_are_named():
    """A text whose first words tell the class is selected by way of its few repeats."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = pd.DataFrame({"remark": [f"{'abc'[v]} {k}" for v, k in zip(y, rng.integers(0, 20, 90),
                                                                 strict=True)]})  # fmt: skip
    with pytest.warns(UserWarning, match="Selected 'remark' with up to 3. different texts in 90"):
        AutoSelector(n_features_to_select=1, cv=3, random_state=0, n_jobs=1).fit(X, y)
