"""How far a command has come: on a terminal only, after a while, with an estimate."""

import io
import json
import sys
from fractions import Fraction

import pytest

from cli_cases import ORDER, call
from echelon import AutoSelector, RankCorrelation, ReliefF
from echelon._core.jobs import Jobs, expect, one_step, step, stepwise, watched
from echelon.cli import _terminal, main
from echelon.report import summarize
from report_cases import classes_and_noise


@pytest.mark.parametrize("n_features", ["auto", 6])
@pytest.mark.parametrize("n_resamples", [0, 3])
def test_a_study_takes_the_steps_it_announces(n_features, n_resamples):
    X, y = classes_and_noise()
    told = []
    n_features = X.shape[1] if n_features == 6 else n_features
    with watched(lambda *steps: told.append(steps)):
        summarize(X, y, {"a": ReliefF(), "b": RankCorrelation()}, n_resamples=n_resamples, cv=3,
                  n_features=n_features)  # fmt: skip
    expected, done = (sum(each) for each in zip(*told, strict=True))
    assert told[0] == (2 * (3 + 1 + n_resamples) + 2 * 3, 0)  # before anything is done
    changes = X.shape[1] if n_resamples else 0  # one feature more or less, in full reports
    assert expected == done == told[0][0] + changes


def test_rankings_within_a_fold_are_parts_of_its_step():
    X, y = classes_and_noise()
    told = []
    with watched(lambda expected, done: told.append((expected, done))):
        AutoSelector("classification", cv=3, random_state=0).fit(X, y)
    expected, done = (sum(each) for each in zip(*told, strict=True))
    assert expected == done == 2 * 3 + 1
    assert 0 < told[1][1] < Fraction(1, 3)  # done long before the first fold is
    assert len(told) > 2 * expected


def test_jobs_in_a_step_tell_parts_of_it():
    told = []
    with watched(lambda expected, done: told.append((expected, done))):
        assert list(stepwise(Jobs(1)("inner", abs, [(k,)] * 3)[0] for k in range(2))) == [0, 1]
        assert Jobs(1)("outside", abs, [(-1,)]) == [1]
        with one_step():
            Jobs(1)("first", abs, [(1,), (2,)])
            Jobs(1)("more than was expected", abs, [(3,), (4,)])
        with pytest.raises(TypeError), one_step():
            Jobs(1)("failed", abs, [(None,)])
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert [part for _, part in told] == [*2 * [third, third, third, 0], half, half, 0, 0, 0]


def read_then_rank(say):
    """Steps of reading, all done, and the first step of a ranking."""
    expect(50)
    step(50)
    say("Ranking")
    expect(4)
    step()


def test_the_time_left_is_that_of_the_present_words(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    bars = []
    monkeypatch.setattr("rich.progress.Progress.stop", lambda bar: bars.append(bar))
    with _terminal.working("Reading", quiet=False) as say:
        read_then_rank(say)
    (task,) = bars[0].tasks
    assert (task.description, task.completed, task.total) == ("Ranking", 1, 4)


def test_whoever_follows_is_told_the_steps_of_the_present_words():
    told = []
    with (
        _terminal.followed(lambda *steps: told.append(steps)),
        _terminal.working("Reading", quiet=True) as say,
    ):
        read_then_rank(say)
    assert told[2:] == [
        ("Reading", 50, 50),
        ("Ranking", 0, 0),
        ("Ranking", 0, 4),
        ("Ranking", 1, 4),
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("command", "words"),
    [("rank", "Ranking 4 features by RankCorrelation"), ("bounds", "Bounding 4 features")],
)
def test_a_bar_on_a_terminal(command, words, credit, monkeypatch, capsys):
    monkeypatch.setattr(_terminal, "DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    options = ("-m", "rankcorrelation", "--cv", "3") if command == "rank" else ()
    assert main([command, str(credit), "-t", "grade", *ORDER, *options, "--json"]) == 0
    assert words in terminal.getvalue()
    assert "left" in terminal.getvalue()
    json.loads(capsys.readouterr().out)  # which the bar leaves alone


def test_nothing_before_a_second_nor_for_a_file_nor_when_quiet(credit, monkeypatch, capsys):
    options = ("rank", credit, "-t", "grade", *ORDER, "-m", "rankcorrelation", "--cv", "3")
    assert call(capsys, *options).err == ""
    for delay, more in ((0.0, ("--quiet",)), (1000.0, ())):
        monkeypatch.setattr(_terminal, "DELAY", delay)
        monkeypatch.setattr(sys, "stderr", terminal := Terminal())
        assert main([str(each) for each in (*options, *more)]) == 0
        assert terminal.getvalue() == ""
