"""Codes for missing values are suspected where they are isolated and repeat, and nowhere else."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon.cli.files import Reading, read_table
from echelon.profile import profile
from echelon.profile._columns import missing_codes


@pytest.mark.parametrize("codes", [[99], [77, 88], [-9], [-99], [-999], [999], [9999], [-9, 99]])
@pytest.mark.parametrize("n", [60, 400])
def test_codes_among_answers_and_measures_are_found(codes, n):
    rng = np.random.default_rng(n)
    for values in (rng.integers(1, 6, n), rng.normal(3, 1, n), rng.integers(0, 2, n)):
        values = np.concatenate([values, np.repeat(codes, 3)]).astype(float)
        assert missing_codes(rng.permutation(values)) == sorted(codes)


def test_codes_among_ages_are_found_and_ages_are_not():
    ages = np.random.default_rng(0).integers(60, 96, 300).astype(float)
    assert missing_codes(ages) == []
    assert missing_codes(np.r_[ages, [77, 88] * 9]) == []
    assert missing_codes(np.r_[ages, [999] * 9, np.nan]) == [999]


def test_incomes_below_zero_are_found_beside_large_gaps():
    incomes = np.exp(np.random.default_rng(0).normal(10, 1.5, 200))
    assert missing_codes(np.r_[incomes, [-999] * 5]) == [-999]


ORDINARY = {
    "ages": lambda rng, n: rng.integers(18, 100, n),
    "old": lambda rng, n: rng.integers(60, 96, n),
    "normal ages": lambda rng, n: rng.normal(50, 15, n).round(),
    "counts": lambda rng, n: rng.poisson(60, n),
    "tail": lambda rng, n: rng.geometric(0.02, n),
    "money": lambda rng, n: np.exp(rng.normal(4, 1, n)).round(),
    "degrees": lambda rng, n: rng.normal(2, 5, n).round(),
    "percent": lambda rng, n: rng.integers(0, 101, n),
    "prices": lambda rng, n: rng.choice([49, 99, 199, 299, 499, 999], n),
    "continuous": lambda rng, n: rng.normal(size=n),
    "answers": lambda rng, n: rng.integers(1, 6, n),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_columns_are_hardly_ever_suspected(kind):
    rng = np.random.default_rng(0)
    alarms = [
        bool(missing_codes(np.asarray(ORDINARY[kind](rng, n), dtype=float)))
        for n in (30, 100, 500)
        for _ in range(100)
    ]
    assert np.mean(alarms) <= 0.01


@pytest.mark.parametrize("values", [[], [np.nan] * 5, [1.0], [99.0] * 5, [1, 99, 99], [1, 2, 99]])
def test_too_little_to_tell(values):
    assert missing_codes(np.array(values, dtype=float)) == []


def test_a_code_of_several_columns_is_found_where_it_occurs_once():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(1, 6, (200, 5)), columns=list("abcde"))
    y = rng.integers(0, 2, 200)
    X.loc[:3, "a"] = X.loc[7, "b"] = -99
    X.loc[9, "c"] = 999  # once, and nowhere else
    assert profile(X, y).missing_codes == {"a": [-99]}
    X.loc[5:9, "d"] = -99
    assert profile(X, y).missing_codes == {"a": [-99], "b": [-99], "d": [-99]}


def survey(n=80):
    rng = np.random.default_rng(0)
    q1, q2, grade = rng.integers(1, 6, n), rng.integers(1, 6, n), rng.integers(1, 4, n)
    q1[:6], q2[6:12], q2[12:15] = 77, 77, 88
    q1[15:18] = 88
    return pd.DataFrame({"q1": q1, "q2": q2, "age": rng.integers(60, 96, n), "grade": grade})


def test_a_profile_has_the_fact_and_says_it():
    table = survey()
    found = profile(table.drop(columns="grade"), table["grade"])
    assert found.missing_codes == {"q1": [77, 88], "q2": [77, 88]}
    assert any("77 and 88 in q1 and q2 repeat far from" in said for said in found.caveats)
    assert found.facts()["missing_codes"] == found.missing_codes
    plain = table.assign(label="a", grade=table["grade"].replace(3, 99))
    found = profile(plain[["q1", "label"]], plain["grade"])
    assert found.missing_codes == {"grade": [99], "q1": [77, 88]}


def test_the_command_says_it_before_the_answer_and_the_option_settles_it(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    survey().to_csv(path, index=False)
    options = ("rank", path, "-t", "grade", "-m", "rankcorrelation", "-q")
    out = call(capsys, *options).out
    assert out.index("Warning: 77 and 88 in q1 and q2") < out.index("feature  ")
    assert out.count("pass --missing q1,q2=77,88, if not, --not-missing q1,q2.") == 1
    done = call(capsys, *options, "--missing", "q1,q2=77,88")
    assert done.code == 0
    assert "Warning: 77" not in done.out
    data = json.loads(
        call(capsys, "profile", path, "-t", "grade", "--missing", "q1=77,88", "--json").out
    )
    assert (data["missing"], data["missing_codes"]) == ({"q1": 9}, {"q2": [77, 88]})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_means_missing_in_all_columns_or_in_some(ending, tmp_path):
    path = tmp_path / f"x.{ending}"
    frame = pd.DataFrame({"a": [1.0, 77, 3], "b": [77, 5, 6], "c": ["77", "x", "y"]})
    write = frame.to_parquet if ending == "parquet" else frame.to_csv
    write(path, index=False)

    def gaps(**how):
        return read_table(str(path), Reading(**how)).frame.isna().sum().tolist()

    assert gaps() == [0, 0, 0]
    assert gaps(missing=("77",)) == [1, 1, 1]
    assert gaps(missing_in={"a": ["77"], "c": ["x", "y"]}) == [1, 0, 2]


def test_missing_in_columns_that_are_none_is_refused(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    survey().to_csv(path, index=False)
    options = ("profile", path, "-t", "grade", "--missing")
    call(capsys, *options, "q11=77").check_refused("no column 'q11' (--missing)")
    call(capsys, *options, "q1=").check_refused("must be as")
