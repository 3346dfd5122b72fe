"""What the command asks and refuses: one line, and the exit code."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call
from echelon.cli import _rank, main


def test_an_order_that_is_not_known_is_asked_for(credit, capsys):
    done = call(capsys, "rank", credit, "-t", "grade")
    done.check_refused(
        "Is low < medium < high the order of 'grade'?",
        "--class-order low,medium,high",
        "--unordered",
    )
    unordered = call(capsys, "profile", credit, "-t", "grade", "--unordered", "--json")
    assert json.loads(unordered.out)["method"] == "autoselector"
    call(capsys, "rank", credit, "-t", "home", "-m", "orelieff").check_refused(
        "What is the order of 'home'? Pass --class-order own,rent"
    )


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        (["-t", "grad", *ORDER], ["no column 'grad'", "Did you mean 'grade'?"]),
        (["-t", "grade", "--class-order", "low,high"], ["it lacks 'medium'"]),
        (["-t", "grade", "--class-order", "low,low,medium,high"], ["got 'low' again"]),
        (["-t", "grade", *ORDER, "--unordered"], ["contradict"]),
        (["-t", "grade", *ORDER, "-m", "relief-f"], ["Did you mean 'relieff'?"]),
        (["-t", "grade", *ORDER, "-n", "0"], ["from 1 to 4"]),
        (["-t", "grade", *ORDER, "-n", "many"], ["from 1 to 4"]),
        (["-t", "grade", *ORDER, "--drop", "grade"], ["names the target"]),
        (["-t", "grade", *ORDER, "--drop", "x"], ["no column 'x' (--drop)"]),
        (["-t", "grade", *ORDER, "--categorical", "homes"], ["mean 'home'?"]),
        (["-t", "grade", *ORDER, "--estimator", "forrest"], ["mean 'forest'?"]),
        (["-t", "income", "-m", "relieff"], ["different numbers, and relieff is for classes"]),
        (["-t", "income", "--estimator", "bayes"], ["for classes"]),
        (["-t", "grade", *ORDER, "--delimiter", "::"], ["one character"]),
        (["-t", "grade", *ORDER, "--report", "x.pdf"], ["--report must end in .html"]),
        (["-t", "grade", *ORDER, "--seed", "-1"], ["--seed"]),
        (["-t", "grade", "--nonsense"], ["--nonsense", "echelon rank --help"]),
        ([], ["--target"]),
    ],
)
def test_wrong_options_are_refused_in_one_line(options, fragments, credit, capsys):
    call(capsys, "rank", credit, *options).check_refused(*fragments)


def test_compare_needs_two_methods(credit, capsys):
    call(capsys, "compare", credit, "-t", "grade", *ORDER, "-m", "cfs").check_refused("two or more")


def test_debug_shows_where(credit):
    with pytest.raises(ValueError, match="no column"):
        main(["rank", str(credit), "-t", "x", "--debug"])


def test_a_mistake_of_ours_is_not_blamed_on_the_input(credit, capsys, monkeypatch):
    def broken(*args, **options):
        raise KeyError("internals")

    monkeypatch.setattr(_rank, "_by_default", broken)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER)
    assert done.code == 1
    assert done.err.startswith("echelon: KeyError: 'internals' (internal error")


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError(), "not enough memory"), (MemoryError("Use fewer jobs."), "Use fewer jobs.")],
)
def test_memory_that_does_not_suffice(credit, capsys, monkeypatch, error, said):
    def large(*args, **options):
        raise error

    monkeypatch.setattr(_rank, "_by_default", large)
    call(capsys, "rank", credit, "-t", "grade", *ORDER).check_refused(said)


@pytest.mark.parametrize("order", ["1,2,3,4,5", "1.0,2.0,3.0,4.0,5.0", "5,4,3,2,1"])
def test_the_order_that_is_asked_for_is_taken_where_a_target_is_missing(order, tmp_path, capsys):
    rng = np.random.default_rng(0)
    outcome = [str(k % 5 + 1) for k in range(79)] + [""]
    path = tmp_path / "x.csv"
    pd.DataFrame({"x": rng.normal(size=80), "outcome": outcome}).to_csv(path, index=False)
    options = ("rank", path, "-t", "outcome", "-m", "rankcorrelation")
    call(capsys, *options).check_refused("pass --class-order 1,2,3,4,5, lowest first")
    done = call(capsys, *options, "--class-order", order, "--json")
    assert (done.code, done.err) == (0, "")
    classes = json.loads(done.out)["data"]["classes"]
    assert list(classes) == [each.removesuffix(".0") for each in order.split(",")]
    wrong = call(capsys, *options, "--class-order", "1,2,3,4")
    wrong.check_refused("it lacks '5'")


def test_classes_with_a_unit_are_named_as_in_the_file(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "term": ["12 m", "24 m", "36 m"] * 20})
    frame.to_csv(tmp_path / "x.csv", index=False)
    options = ("rank", tmp_path / "x.csv", "-t", "term", "-m", "rankcorrelation", "--json")
    done = call(capsys, *options, "--class-order", "12 m,24 m,36 m")
    assert list(json.loads(done.out)["data"]["classes"]) == ["12", "24", "36"]


def test_codes_with_zeros_at_the_front_are_not_taken_for_an_order(credit, capsys):
    """Postal codes have no order, though their digits do."""
    frame = pd.read_csv(credit)
    frame["postcode"] = [("01067", "04109", "80331")[k % 3] for k in range(len(frame))]
    frame["floor"] = [("1st", "2nd", "3rd")[k % 3] for k in range(len(frame))]
    frame.to_csv(credit, index=False)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "rankcorrelation", "--cv", 2)
    assert done.code == 0
    assert "floor looks ordered" in done.out
    assert "postcode looks ordered" not in done.out


def test_names_of_several_lines_are_printed_in_one(credit, capsys):
    frame = pd.read_csv(credit).rename(columns={"income": "income\n(net)"})
    frame.to_csv(credit, index=False)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "rankcorrelation", "--cv", 2)
    assert "income (net)" in done.out
    assert "\ufffd" not in done.out
