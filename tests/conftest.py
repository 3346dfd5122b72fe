"""Shared by all tests."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.naive_bayes import GaussianNB

from benchmarks.contradictions import contradictions
from cli_cases import grades
from echelon import ReliefF
from echelon.report import summarize
from echelon.study import _summary
from report_cases import classes_and_noise, hostile_report

# The first example of a property may compile a kernel: no deadline per example.
settings.register_profile("echelon", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("echelon")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def paper_data():
    """The folder of the papers' data, which the project reads but does not contain."""
    folder = os.environ.get("ECHELON_DATA")
    if folder is None:
        pytest.skip("needs the papers' data: set ECHELON_DATA to their folder")
    return Path(folder)


# ----------------------------------------------------------------------- the command line


@pytest.fixture
def credit(tmp_path):
    """A CSV file whose grades are words."""
    frame = grades()
    frame["grade"] = np.array(["low", "medium", "high"])[frame["grade"]]
    path = tmp_path / "credit.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def houses(tmp_path):
    """A CSV file with a price, gaps and labels."""
    rng = np.random.default_rng(0)
    size, rooms = rng.normal(100, 20, 60), rng.integers(1, 6, 60)
    frame = pd.DataFrame({"size": size, "rooms": rooms, "noise": rng.normal(size=60)})
    frame["kind"] = np.where(rooms > 3, "house", "flat")
    frame["price"] = 3 * size + 20 * rooms + rng.normal(0, 5, 60)
    frame.loc[:3, "size"] = np.nan
    path = tmp_path / "houses.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def long_table(tmp_path_factory):
    """A CSV file on which neighborhoods take minutes: time to interrupt them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20_000, 60))).rename(columns=str)
    frame["y"] = rng.integers(0, 3, len(frame))
    path = tmp_path_factory.mktemp("long") / "long.csv"
    frame.to_csv(path, index=False)
    return path


# ------------------------------------------------------------------------------- reports


@pytest.fixture(scope="session", autouse=True)
def every_summary_is_coherent():
    """No summary made in any test contradicts itself."""
    speak = _summary.spoken

    def checked(summary, notes):
        assert contradictions(summary) == []
        return speak(summary, notes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_summary, "spoken", checked)
        yield


@pytest.fixture(scope="session")
def hostile():
    """A report in which every text tries to be markup."""
    return hostile_report()


@pytest.fixture(scope="session")
def simple():
    """A report on classes that two features tell apart."""
    X, y = classes_and_noise()
    return summarize(X, y, ReliefF(), n_resamples=4, cv=3, estimator=GaussianNB())
