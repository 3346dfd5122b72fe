"""RankOrderSelector is recommended where its own check in folds says so, and only there."""

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon.datasets import make_rank_order
from echelon.profile import check_rank_order
from echelon.targets import read_target


def of_levels(rng, *, comparable):
    """Three orders of four features among noise; every row at a level and a scale of its own."""
    X, y = make_rank_order(3, 25, 4, 0, random_state=0)
    if comparable:
        X = rng.normal(size=X.shape)
        X[:, 0] += 3.0 * y
        X[:, 1:] += 3.0 * y[:, None]  # all rise together: the order within a row tells nothing
    else:
        X = X * np.exp(rng.normal(size=(len(X), 1))) + 100 * rng.normal(size=(len(X), 1))
    return pd.DataFrame(X), read_target(np.array(["a", "b", "c"])[y], "classification")


def test_it_fits_where_levels_differ(rng):
    found = check_rank_order(*of_levels(rng, comparable=False))
    assert found.fits
    assert found.rank_order > found.random
    assert found.rank_order > found.relieff
    assert found.guess == pytest.approx(1 / 3)
    assert found.sentence.endswith("RankOrderSelector fits.")


def test_it_does_not_where_levels_tell(rng):
    found = check_rank_order(*of_levels(rng, comparable=True))
    assert not found.fits
    assert found.relieff > 0.9 > found.rank_order
    assert found.sentence.endswith("RankOrderSelector does not fit.")


def test_noise_is_not_recommended(rng):
    X = pd.DataFrame(rng.normal(size=(60, 12)))
    assert not check_rank_order(X, read_target(np.arange(60) % 2, "classification")).fits


def test_the_check_is_reproducible(rng):
    data = of_levels(rng, comparable=False)
    assert check_rank_order(*data) == check_rank_order(*data)


@pytest.mark.parametrize("comparable", [True, False])
def test_the_command_says_what_it_found(comparable, rng, tmp_path, capsys):
    X, target = of_levels(rng, comparable=comparable)
    path = tmp_path / "ratings.csv"
    X.add_prefix("x").assign(kind=target.y.to_numpy()).to_csv(path, index=False)
    done = call(capsys, "profile", path, "-t", "kind", "--unordered")
    assert done.code == 0
    assert "All columns look like one scale." in done.out
    assert ("Try --method rankorderselector." in done.out) != comparable
