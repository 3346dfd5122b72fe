"""How far a command has come: on a terminal only, after a while, with an estimate."""

import io
import json
import sys

import pytest

from cli_cases import ORDER, call
from echelon import RankCorrelation, ReliefF
from echelon._core.progress import watched
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
