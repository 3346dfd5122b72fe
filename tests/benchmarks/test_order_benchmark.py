"""The benchmark of the order: what it measures, and what it may say."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import order
from benchmarks.kept.data import Source
from benchmarks.order import CODES, CUMULATIVE, MEDIAN, UNORDERED, Found, Pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sets with three classes, two classes, and few rows; the first column decides the class."""
    made, rng = tmp_path_factory.mktemp("sets"), np.random.default_rng(0)
    for name, n, classes in (("three", 90, 3), ("two", 90, 2), ("few", 30, 3)):
        y = np.arange(n) % classes
        X = rng.normal(size=(n, 3))
        X[:, 0] = y + 0.1 * rng.random(n)
        pd.DataFrame(X).assign(target=y).to_csv(made / f"{name}.csv", index=False)
    return made


def source(folder, name):
    return Source("fresh", name, folder / f"{name}.csv")


def test_only_sets_where_the_order_can_matter_are_used(folder):
    found = order.used([source(folder, name) for name in ("three", "two", "few")])
    assert [each.name for each in found] == ["three"]


def test_forests_and_selectors_find_the_column_that_decides(folder, monkeypatch):
    monkeypatch.setitem(order.TREES, "n_estimators", 10)
    found = order.forests_on(source(folder, "three"))
    assert {each.method for each in found} == set(order.FORESTS)
    assert len(found) == len(order.FORESTS) * order.N_FOLDS * order.N_REPEATS
    assert max(each.error for each in found) < 0.2
    monkeypatch.setattr(order, "N_BEST", 1)
    best = {
        "first": lambda X, y: [np.argmax(np.abs(np.corrcoef(X.T, y)[-1, :-1]))],
        "none": lambda X, y: [],
    }
    chosen = order.selectors_on(source(folder, "three"), best)
    first = [each for each in chosen if each.method == "first"]
    assert [(each.n_selected, each.n_noise) for each in first] == [(1, 0)] * 3
    assert max(each.error for each in first) < 0.2
    none = [each for each in chosen if each.method == "none"]
    assert {each.n_selected for each in none} == {0}
    assert all(each.error == pytest.approx(2 / 3) for each in none)  # always the middle class


def test_the_median_class_of_an_unordered_forest(rng):
    """Where two far classes are equally likely, the middle is the better answer."""
    X, y = np.zeros((9, 1)), np.array([0, 0, 0, 0, 1, 2, 2, 2, 2])
    assert order.unordered_median(X, y, X[:1])[0] == 1
    assert order.unordered(X, y, X[:1])[0] in (0, 2)
    assert order.cumulative(X, y, X[:1])[0] == 1
    assert order.on_codes(X, y, X[:1])[0] == 1


def test_what_was_not_run_is_named(folder):
    wanted = order.tasks([source(folder, "three")])
    assert list(wanted) == ["forests/three", "cheap/three", "default/three"]
    assert order.not_run(wanted, dict.fromkeys(wanted)) == ""
    assert "not run: default/three." in order.not_run(wanted, dict.fromkeys(list(wanted)[:2]))


def frame(ratios, pair):
    """Errors of two methods on sets, in two folds."""
    cells = {
        f"forests/set {i}": [Found(pair.other, fold, 0.5) for fold in range(2)]
        + [Found(pair.ordered, fold, 0.5 * ratio) for fold in range(2)]
        for i, ratio in enumerate(ratios)
    }
    return order.frame_of(cells)


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([0.8, 0.9, 0.85, 1.02], "the order helps.  Smaller on 3 of 4 sets, larger on 1"),
        ([1.2, 1.1, 1.05, 1.0], "the order costs.  Smaller on 0 of 4 sets, larger on 3"),
        (
            [0.8, 1.2, 0.995, 1.1],
            "no significant difference.  Smaller on 1 of 4 sets, larger on 2",
        ),
    ],
)
def test_a_verdict_needs_an_interval_without_1(ratios, words):
    pair = Pair("title", CUMULATIVE, UNORDERED)
    said = order.sentence(frame(ratios, pair), pair)
    assert words in said
    assert f"the largest ratios: set {np.argmax(ratios)} {max(ratios):.2f}, " in said


def test_how_much_is_noise():
    pair = Pair("title", "with", "without")
    found = {
        f"cheap/{name}": [Found("with", 0, 0.5, 4, 0), Found("without", 0, 0.5, 4, n_noise),
                          Found("without", 1, 0.5, 0, 0)]
        for name, n_noise in (("a", 1), ("b", 2), ("c", 3))
    }  # fmt: skip
    said = order.noise_sentence(order.frame_of(found), pair)
    assert "**with**: 0% of the selected features are noise, of **without** 50%" in said
    assert said.endswith("less with the order.")
    turned = order.noise_sentence(order.frame_of(found), Pair("", "without", "with"))
    assert turned.endswith("more with the order.")


def test_errors_are_means_over_folds_before_they_are_divided():
    cells = {"forests/a": [Found(CUMULATIVE, 0, 0.2), Found(CUMULATIVE, 1, 0.4)]}
    cells["forests/a"] += [Found(CODES, 0, 0.1), Found(CODES, 1, 0.5)]
    assert order.relative(order.frame_of(cells), CUMULATIVE, CODES)["a"] == pytest.approx(1)


def test_the_picture_has_a_dot_for_every_set(monkeypatch):
    pair = Pair("title", CUMULATIVE, MEDIAN)
    monkeypatch.setattr(order, "PAIRS", (pair,))
    figure = order.picture(frame([0.8, 0.9, 1.1], pair))
    (dots,) = figure.axes[0].collections
    assert sorted(dots.get_offsets()[:, 0].round(3)) == [0.8, 0.9, 1.1]
    assert any(text.get_text() == "set 2" for text in figure.axes[0].texts)
