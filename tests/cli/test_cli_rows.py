"""What is known of rows and columns: groups, time, and features kept in any case."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from cli_cases import call

FAST = ("-m", "rankcorrelation")


@pytest.fixture
def visits(tmp_path):
    """Ten visits of each of 20 patients, alike but for the day; nothing goes with the pain."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 10)
    table = pd.DataFrame(
        rng.normal(size=(20, 4))[patient] + 0.05 * rng.normal(size=(200, 4)),
        columns=["pulse", "mass", "height", "sugar"],
    ).round(3)
    day = rng.integers(0, 200, 200)
    table["day"] = (pd.Timestamp("2024-03-01") + pd.to_timedelta(day, unit="D")).strftime("%F")
    table["patient"] = patient + 500
    table["pain"] = rng.permutation(np.arange(20) % 3)[patient]
    path = tmp_path / "visits.csv"
    table.to_csv(path, index=False)
    return path


def test_a_subject_with_several_rows_is_named_before_the_answer(visits, capsys):
    done = call(capsys, "rank", visits, "-t", "pain", *FAST)
    assert (done.code, done.err) == (0, "")
    warned = done.out.index("Warning: patient looks like a subject ID with repeated rows")
    assert warned < done.out.index("Selected")
    assert "--groups patient" in done.out
    assert "Excluded (looks like a subject ID with repeated rows): patient." in done.out
    assert "day counts days since 2024-03-01." in done.out
    found = json.loads(call(capsys, "rank", visits, "-t", "pain", *FAST, "--json").out)
    assert "--groups patient" in found["words"]["warnings"][0]
    assert found["how"]["groups"] is None


def test_groups_stay_together_and_are_no_feature(visits, capsys):
    done = call(capsys, "rank", visits, "-t", "pain", *FAST, "--groups", "patient")
    assert (done.code, done.err) == (0, "")
    assert "Warning" not in done.out
    assert "visits.csv: 200 rows, 5 features" in done.out
    assert "No features selected" in done.out
    assert "Evaluated over 5 folds; rows of the same patient are never split." in done.out


def test_time_splits_forward(visits, capsys):
    options = ("--time", "day", "--drop", "patient", "--cv", 3, "--json")
    found = json.loads(call(capsys, "rank", visits, "-t", "pain", *FAST, *options).out)
    assert found["how"]["time"] == "day"
    assert found["how"]["folds"] == 3
    assert {feature["name"] for feature in found["features"]} == {
        "pulse",
        "mass",
        "height",
        "sugar",
    }


def test_rows_without_a_group_are_left_out(visits, capsys):
    table = pd.read_csv(visits)
    table.loc[:9, "patient"] = None
    table.to_csv(visits, index=False)
    done = call(capsys, "compare", visits, "-t", "pain", "-m", "rankcorrelation,cfs",
                "--groups", "patient")  # fmt: skip
    assert "10 rows without patient left out." in done.out
    assert "190 rows" in done.out


def test_what_is_kept_in_any_case(credit, capsys):
    options = ("--keep", "noise", "--class-order", "low,medium,high", *FAST)
    done = call(capsys, "rank", credit, "-t", "grade", *options)
    assert "noise and income" in done.out
    assert re.search(r"^As requested +noise$", done.out, re.MULTILINE)
    first = next(line for line in done.out.splitlines() if line.strip().startswith("1 "))
    assert first.split()[1] == "noise"


def test_the_tolerance_on_the_command_line(credit, capsys):
    def sizes(*options):
        done = call(capsys, "rank", credit, "-t", "debt", *FAST, *options, "--json")
        return json.loads(done.out)["answer"]["n_features"]

    assert sizes("--tolerance", "99%") == 1
    assert sizes("--tolerance", "0.0") >= sizes("--tolerance", "20%")


@pytest.fixture
def survey(tmp_path):
    """Answers that rise with the outcome, a number for every respondent, and a date."""
    rng = np.random.default_rng(0)
    n, words = 150, ["never", "rarely", "often"]
    answer = rng.integers(0, 3, n)
    table = pd.DataFrame({"respondent": rng.permutation(n) + 4000})
    table["friendly"] = np.array(words)[answer]
    table["helpful"] = np.array(words)[rng.integers(0, 3, n)]
    table["wait"] = rng.gamma(2, 5, n).round(1)
    table["score"] = (10 * answer + rng.normal(size=n)).round(2)
    path = tmp_path / "survey.csv"
    table.to_csv(path, index=False)
    return path


def test_weights_of_rows(survey, capsys):
    options = ("-t", "score", *FAST, "--weights", "wait")
    done = call(capsys, "rank", survey, *options)
    assert (done.code, done.err) == (0, "")
    assert "Rows are weighted by wait in rankings, models and scores." in done.out
    assert "survey.csv: 150 rows, 2 features" in done.out
    for more, fragment in (
        (("--weights", "friendly"), "must name a column of numbers, and 'friendly' holds labels"),
        (("--weights", "change"), "finite numbers of at least 0, and 'change' of survey.csv"),
        (("--weights", "wait", "-m", "rfe"), "rfe takes no weights of rows."),
        (("--weights", "wait", "--estimator", "knn"), "knn takes no weights of rows."),
        (("--weights", "wait", "--groups", "wait"), "--groups and --weights name the same column"),
    ):
        table = pd.read_csv(survey)
        table.assign(change=table["wait"] - 10).to_csv(survey, index=False)
        call(capsys, "rank", survey, "-t", "score", *more).check_refused(fragment)


def test_orders_of_features_are_asked_about_and_declared(survey, capsys):
    done = call(capsys, "rank", survey, "-t", "score", *FAST)
    assert "Excluded (looks like an ID): respondent." in done.out
    asked = "--ordered friendly,helpful=never,rarely,often."
    assert (
        "friendly and helpful look ordered and are treated as unordered: if never < rarely < "
        "often, pass " + asked
    ) in done.out
    told = ("--ordered", "friendly,helpful=never,rarely,often")
    done = call(capsys, "rank", survey, "-t", "score", *FAST, *told)
    assert "look ordered" not in done.out
    assert any("friendly" in line and "rises 0.9" in line for line in done.out.splitlines())


def test_many_orders_are_asked_about_in_one_sentence(survey, capsys):
    table = pd.read_csv(survey)
    for k in range(4):
        table[f"grade{k}"] = np.array([f"A{k}1", f"A{k}2", f"A{k}3"])[np.arange(len(table)) % 3]
    table.to_csv(survey, index=False)
    done = call(capsys, "rank", survey, "-t", "score", *FAST)
    assert done.out.count("look ordered") == 1
    assert "pass --ordered for each that is ordered, as in --ordered friendly=" in done.out


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        ("friendly", 'must be as "column=low,medium,high"'),
        ("friendly=", 'must be as "column=low,medium,high"'),
        ("friend=never", "no column 'friend' (--ordered). Did you mean 'friendly'?"),
        ("friendly=never,often", "must name every label of 'friendly'; it lacks 'rarely'."),
        ("friendly=never,often,never", "names 'never' of 'friendly' twice"),
        ("wait=1,2", "Column 'wait' of survey.csv has an order already"),
    ],
)
def test_orders_that_cannot_be(survey, capsys, given, fragment):
    call(capsys, "rank", survey, "-t", "score", "--ordered", given).check_refused(fragment)


def test_profile_looks_before_it_asks(survey, capsys):
    table = pd.read_csv(survey)
    table["name"] = [f"n{k % 90}" for k in range(len(table))]
    table.to_csv(survey, index=False)
    doubt = "Column 'name' has 90 different categories in 150 rows, too many for classes."
    done = call(capsys, "profile", survey, "-t", "name")
    assert (done.code, done.err) == (0, "")
    assert done.out.index("look like IDs  respondent") < done.out.index(doubt)
    call(capsys, "rank", survey, "-t", "name").check_refused(doubt)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (("--groups", "patients"), "no column 'patients' (--groups). Did you mean 'patient'?"),
        (("--groups", "pain"), "--target and --groups name the same column, 'pain'."),
        (("--groups", "day", "--time", "day"), "--groups and --time name the same column, 'day'."),
        (("--keep", "patient", "--groups", "patient"), "--keep and --groups name the same column"),
        (("--keep", "mass", "--drop", "mass"), "--keep and --drop both name 'mass'."),
        (("--keep", "pain"), "--keep names the target, 'pain', which is no feature."),
        (("--time", "label"), "--time must name a column of dates or numbers"),
        (("--groups", "label"), "There are 2 groups, too few"),
        (("--tolerance", "little"), "--tolerance must be a loss in units of the score"),
        (("--tolerance", "1%", "-n", "2"), "--n-features and --tolerance both set the number"),
    ],
)
def test_what_is_refused(visits, capsys, options, fragment):
    table = pd.read_csv(visits)
    table["label"] = np.where(np.arange(200) % 2, "odd", "even")
    table.to_csv(visits, index=False)
    call(capsys, "rank", visits, "-t", "pain", *FAST, *options).check_refused(fragment)


def test_bounds_take_neither_groups_nor_time(visits, capsys):
    call(capsys, "bounds", visits, "-t", "pain", "--groups", "patient").check_refused(
        "bounds takes no --groups; rank and compare do."
    )
