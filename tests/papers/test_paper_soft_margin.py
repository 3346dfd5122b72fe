"""The protocols of paper 001: what is ranked where, and on what."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from echelon import NeighborhoodSoftMargin
from echelon.evaluation import feature_curve
from papers.data import Data
from papers.soft_margin.methods import eliminated, prepared
from papers.soft_margin.printed import TABLE_3
from papers.soft_margin.protocols import _chosen, labels_of, load, ranking_cell, subset_cell


def test_curves_inside_the_folds_are_feature_curves():
    data = Data.stand_ins()
    found = ranking_cell(data, "wine", "NSM", 3)
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier(3))
    folds = StratifiedKFold(10, shuffle=True, random_state=3)
    curve = feature_curve(NeighborhoodSoftMargin(), model, *load(data, "wine"), cv=folds)
    assert_allclose(found["inside"]["KNN"], curve.mean_scores, atol=1e-6)
    assert found["outside"] != found["inside"]


def test_before_the_folds_everything_is_selected_on_all_samples():
    found = subset_cell(Data.stand_ins(), "wine", "CFS", 0)
    assert found["outside"][-1] == int(found["outside"][-1])  # one size for all folds
    noisy = ranking_cell(Data.stand_ins(), "wine", "NSM", 0, noise=0.3)
    assert noisy["outside"]["KNN"][-1] != noisy["inside"]["KNN"][-1]  # trained on wrong labels


def test_tables_are_prepared_by_the_training_samples():
    X = pd.DataFrame({"a": ["x", "y", None, "z"], "b": [0.0, 2.0, np.nan, 9.0]})
    table = prepared(X, np.array([0, 0, 1, 1, 1]))
    assert table.filled.loc[2].tolist() == ["y", 2.0]
    assert_array_equal(table.groups, [1, 0, 0])
    assert_allclose(table.of([1])[:, 0], [0, 1, 1, 4.5])
    nominal = table.of([0])
    assert_allclose(np.linalg.norm(nominal[0] - nominal[1]), 1)
    assert_array_equal(nominal[3], 0)  # a value the training samples do not have


def test_elimination_leaves_the_separating_feature_to_the_end():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = pd.DataFrame(rng.random((40, 4))).assign(**{"2": y + rng.random(40)})
    X.columns = list("abcde")
    assert eliminated(prepared(X, np.arange(40)), y)[0] == 4


def test_sizes_are_chosen_by_the_other_folds():
    curves = np.zeros((3, 2, 1))
    curves[0, 0] = 1.0  # only the first fold likes size 1, which it must not choose for itself
    curves[1:, 1] = 0.4
    accuracy, size = _chosen(curves)
    assert_allclose(accuracy, [0.0])
    assert_allclose(size, [(2 + 1 + 1) / 3])


def test_wrong_labels_are_as_many_as_asked_and_always_wrong():
    y = np.repeat([0, 1, 2], 20)
    labels = labels_of(y, 0.1, seed=1)
    assert (labels.seen != y).sum() == 6
    assert set(labels.seen) == {0, 1, 2}
    assert_array_equal(labels_of(y, 0.0, 1).seen, y)


def test_printed_totals():
    totals = {method: sum(column.values()) for method, column in TABLE_3.items()}
    # The paper prints 74 for NRS.
    assert totals == {"NSM-KNN": 53, "NSM-SVM": 59, "CFS": 70, "C": 58, "NRS": 72}
