"""The twelve tables and the coherence run: what the pages say of the cells."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.analyst.data import TABLES
from benchmarks.analyst.measure import command_line, outer_folds, read_table, run_fold
from benchmarks.analyst.page import RIVALS, make_page, verdict
from benchmarks.coherence import MADE
from benchmarks.coherence import make_page as coherence_page

MADE_HERE = ["diabetes", "survey, stores", "repeated measures", "half grades"]


def score(all_gain=-0.1, forest_gain=0.1, clear=False, ahead=False, larger=True):
    """The scores of an answer: what selecting gains over all features, and over a forest."""
    everything = {"name": "all features", "gain": all_gain, "clear": False, "ahead": False}
    other = {"name": "random forest, all features", "gain": forest_gain}
    others = [everything, other | {"clear": clear, "ahead": ahead}]
    return {"name": "R²", "larger_is_better": larger, "others": others}


def command(**changes):
    """What the command answered, as a cell."""
    found = {"command": "echelon rank a.csv --target y", "shape": [100, 5], "cpu": 3.2, "wall": 9.0,
             "sentence": "Selected 2 of 5 features; adding more gains little.", "warnings": [],
             "lines": {"Score": "0.5 (R², cross-validated)"}, "score": score(), "helps": True,
             "keep": ["a", "b"], "contradictions": []}  # fmt: skip
    return found | changes


def folds(**means):
    """Five folds in which every rival is off by the same noise, and some better by so much."""
    base = dict.fromkeys(("guess", *RIVALS), 0.5) | means
    wiggle = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
    return [
        {
            "kept": ["a", "b"],
            "model": "linear",
            "scores": {n: v + w * (n == "kept") for n, v in base.items()},
        }
        for w in wiggle
    ]


def test_the_kept_set_keeps_up_within_one_standard_error():
    found = verdict(command(), folds(all=0.505))
    assert found.best == "all"
    assert found.lost == pytest.approx(0.005)
    # s = 0.0158, times the root of 1 / 5 + 1 / 4
    assert found.error == pytest.approx(0.0158 * np.sqrt(0.45), abs=1e-4)
    assert found.within
    assert found.said == ""


@pytest.mark.parametrize(
    ("best", "changes", "said"),
    [
        ("all", {"score": score()}, "selecting costs something against all features"),
        ("all", {"score": score(all_gain=0.1)}, None),
        ("forest", {"score": score(0.1, -0.1, clear=True)},
         "a random forest with all features is significantly better"),
        ("forest", {"score": score(0.1, -0.1, ahead=True)},
         "a random forest with all features is better by more than one standard error"),
        ("Kendall", {"score": score(forest_gain=-0.1, clear=True)}, None),
        ("Kendall", {"helps": False}, "no set is significantly better than the baseline"),
    ],
)  # fmt: skip
def test_where_it_does_not_the_answer_has_to_say_so(best, changes, said):
    found = verdict(command(**changes), folds(**{best: 0.9}))
    expected = "no" if said is None else f"yes: {said}"
    assert (found.within, found.best, found.said) == (False, best, expected)


def test_errors_are_better_where_they_are_smaller():
    smaller = command(score=score(larger=False))
    assert verdict(smaller, folds(forest=0.1)).best == "forest"
    assert verdict(smaller, folds(forest=0.9)).best != "forest"


def test_the_page_counts():
    cells = {
        "good": {"command": command(), "folds": folds()},
        "bad": {"command": command(), "folds": folds(Kendall=0.9)},
    }
    page = make_page(cells, {"cpu": 9.0, "imports": 2.5}, ["good", "bad", "late"])
    assert "Not run yet: late." in page
    assert "9.0 s of CPU, 2.5 s of it imports" in page
    assert "It keeps up on 1 of 2." in page
    assert "but for bad." in page
    assert page.count("    $ echelon rank a.csv --target y") == 2


@pytest.mark.parametrize("name", MADE_HERE)
def test_tables_are_read_as_the_command_is_told(name):
    table = TABLES[name](Path())
    X, target, groups = read_table(table)
    assert table.target not in X.columns
    assert target.kind == ("regression" if name == "diabetes" else "ordinal")
    assert (groups is None) == (table.groups is None)
    assert " ".join(command_line(name, table)).startswith("echelon rank ")
    for train, test in outer_folds(target, groups):
        assert len(np.intersect1d(train, test)) == 0
        if groups is not None:
            assert not set(groups.iloc[train]) & set(groups.iloc[test])


def test_a_fold_scores_everyone():
    table = TABLES["repeated measures"](Path())
    small = table._replace(frame=table.frame.iloc[:, [0, 1, 2, -1]])
    found = run_fold(small, 0)
    assert set(found["scores"]) == {"guess", *RIVALS}
    assert np.isfinite(list(found["scores"].values())).all()
    assert set(found["kept"]) <= {"lab_0", "lab_1"}


def test_the_coherence_page_names_what_was_found():
    cells = [
        {"data": "a", "method": "m", "found": []},
        {"data": "b", "method": "m", "found": ["x."]},
    ]
    page = coherence_page(cells)
    assert "read 2 summaries of 2 data sets and found 1 contradictions" in page
    assert "- b, m: x." in page


@pytest.mark.parametrize("name", list(MADE))
def test_made_tables_have_a_target(name):
    X, y = MADE[name](np.random.default_rng(0))
    assert len(X) == len(y)
    assert X.columns.is_unique
