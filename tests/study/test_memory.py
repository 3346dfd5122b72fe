"""What is done to all columns of a large table must not take the memory of several tables."""

import tracemalloc
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from echelon.data import read_columns
from echelon.filters import _base, _forward_linear
from echelon.profile import _columns
from echelon.report import TableEncoder
from echelon.study import _models

N_ROWS, N_COLUMNS = 400, 1000


@pytest.fixture
def table(rng):
    return pd.DataFrame(rng.normal(size=(N_ROWS, N_COLUMNS)), columns=map(str, range(N_COLUMNS)))


@contextmanager
def at_most(n_tables):
    """Within, no more memory is taken than that of so many tables."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / (8 * N_ROWS * N_COLUMNS) <= n_tables


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch):
    for module, name in ((_models, "CELLS"), (_columns, "CELLS"), (_base, "_CELLS")):
        monkeypatch.setattr(module, name, 20 * N_ROWS)


def test_a_table_is_encoded_in_one_copy(table):
    encoder = TableEncoder()
    with at_most(1.3):
        made = encoder.fit_transform(table)
    one_by_one = [TableEncoder().fit_transform(table.iloc[:, [j]]) for j in range(5)]
    np.testing.assert_allclose(made[:, :5], np.hstack(one_by_one), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scale", ["value", "rank"])
def test_columns_of_a_linear_model_are_made_in_one_copy(table, scale, monkeypatch):
    columns = read_columns(table)
    with at_most(1.6):
        found = _forward_linear.Design(columns, scale).rows
    monkeypatch.setattr(_base, "_CELLS", N_ROWS * N_COLUMNS)
    assert_array_equal(found, _forward_linear.Design(columns, scale).rows)


def test_a_profile_of_columns_copies_no_table(table):
    with at_most(0.4):
        assert _columns.identifier_columns(table) == []
    with at_most(1.4):  # all values are sorted together
        assert _columns.has_common_scale(table)
    standardised = (table - table.mean()) / table.std(ddof=0)
    with at_most(1.4):
        assert not _columns.has_common_scale(standardised)
