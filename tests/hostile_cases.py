"""Odd samples, targets and values, by name, and the contract that everything public keeps.

Every maker takes a generator and sizes; the first of each are the plainest, to which hypothesis
shrinks what fails.
"""

import warnings
from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

# ------------------------------------------------------------------------------- samples


def _numbers(rng, n, p):
    return rng.normal(size=(n, p))


def _with(value):
    """Numbers, one of which is something else."""

    def make(rng, n, p):
        X = _numbers(rng, n, p)
        if X.size:
            X.flat[rng.integers(X.size)] = value
        return X

    return make


def _object(value):
    def make(rng, n, p):
        X = _numbers(rng, n, p).astype(object)
        if X.size:
            X.flat[rng.integers(X.size)] = value
        return X

    return make


def _named(*names):
    """A frame whose columns are named so, and others by number."""

    def make(rng, n, p):
        columns = [*names, *(f"x{j}" for j in range(p))][:p]
        return pd.DataFrame(_numbers(rng, n, p), columns=pd.Index(columns, dtype=object))

    return make


def _column(make_column):
    """A frame, the first column of which is something else."""

    def make(rng, n, p):
        frame = pd.DataFrame(_numbers(rng, n, p)).rename(columns=lambda j: f"x{j}")
        frame.insert(0, "odd", make_column(rng, n))
        return frame

    return make


def _levels(rng, n, count=3):
    return rng.integers(0, count, n)


def _masked(rng, n, p):
    return np.ma.masked_array(_numbers(rng, n, p), rng.random((n, p)) < 0.2)


def _read_only(rng, n, p):
    X = _numbers(rng, n, p)
    X.flags.writeable = False
    return X


def _strided(rng, n, p):
    return _numbers(rng, 2 * n, 2 * p)[::2, ::-2]


def _intervals(rng, n, p):
    low = _numbers(rng, n, p)
    return np.stack([low, low + rng.random((n, p))], axis=2)


def _interval_frame(rng, n, p):
    bounds = np.moveaxis(_intervals(rng, n, p), 0, 2)
    make = pd.arrays.IntervalArray.from_arrays
    return pd.DataFrame({f"x{j}": make(low, high) for j, (low, high) in enumerate(bounds)})


def _words(rng, n):
    return rng.choice(["a", "b", "\u00e9", ""], n)


SAMPLES = {
    "numbers": _numbers,
    "whole": lambda rng, n, p: rng.integers(-2, 3, (n, p)),
    "frame": _named(),
    "fortran": lambda rng, n, p: np.asfortranarray(_numbers(rng, n, p)),
    "float32": lambda rng, n, p: _numbers(rng, n, p).astype(np.float32),
    "float16": lambda rng, n, p: _numbers(rng, n, p).astype(np.float16),
    "long double": lambda rng, n, p: _numbers(rng, n, p).astype(np.longdouble),
    "int8": lambda rng, n, p: rng.integers(-128, 128, (n, p), dtype=np.int8),
    "uint64": lambda rng, n, p: rng.integers(0, 2**64 - 1, (n, p), dtype=np.uint64),
    "booleans": lambda rng, n, p: rng.random((n, p)) < 0.5,
    "constant": lambda rng, n, p: np.full((n, p), 3.0),
    "zeros": lambda rng, n, p: np.zeros((n, p)),
    "one varies": lambda rng, n, p: np.eye(n, p),
    "all missing": lambda rng, n, p: np.full((n, p), np.nan),
    "column missing": lambda rng, n, p: np.where(np.arange(p) == 0, np.nan, _numbers(rng, n, p)),
    "gaps": lambda rng, n, p: np.where(rng.random((n, p)) < 0.3, np.nan, _numbers(rng, n, p)),
    "huge": lambda rng, n, p: _numbers(rng, n, p) * 1e307,
    "tiny": lambda rng, n, p: _numbers(rng, n, p) * 1e-310,
    "far": lambda rng, n, p: _numbers(rng, n, p) + 1e15,
    "huge and tiny": lambda rng, n, p: _numbers(rng, n, p) * np.logspace(-300, 300, p),
    "repeated rows": lambda rng, n, p: np.repeat(_numbers(rng, 1, p), n, axis=0),
    "repeated columns": lambda rng, n, p: np.repeat(_numbers(rng, n, 1), p, axis=1),
    "infinity": _with(np.inf),
    "negative zero": _with(-0.0),
    "big endian": lambda rng, n, p: _numbers(rng, n, p).astype(">f8"),
    "strided": _strided,
    "read-only": _read_only,
    "masked": _masked,
    "matrix": lambda rng, n, p: _numbers(rng, n, p).tolist(),
    "ragged": lambda rng, n, p: [[1.0] * (1 + j % 2) for j in range(n)],
    "objects": lambda rng, n, p: _numbers(rng, n, p).astype(object),
    "object NA": _object(pd.NA),
    "object None": _object(None),
    "object NaT": _object(pd.NaT),
    "object huge": _object(10**400),
    "object text": _object("text"),
    "object list": _object([1, 2]),
    "object fraction": _object(Fraction(1, 3)),
    "object complex": _object(1j),
    "texts": lambda rng, n, p: _numbers(rng, n, p).astype(str),
    "words": lambda rng, n, p: rng.choice(["a", "b"], (n, p)),
    "bytes": lambda rng, n, p: rng.choice([b"a", b"b"], (n, p)),
    "complex": lambda rng, n, p: _numbers(rng, n, p) * 1j,
    "dates": lambda rng, n, p: rng.integers(0, 10**9, (n, p)).astype("M8[s]"),
    "structured": lambda rng, n, p: np.zeros(n, [("a", float), ("b", int)]),
    "flat": lambda rng, n, p: _numbers(rng, n, 1)[:, 0],
    "scalar": lambda rng, n, p: 3.0,
    "nothing": lambda rng, n, p: None,
    "text": lambda rng, n, p: "X",
    "dict": lambda rng, n, p: {"a": [1.0] * n},
    "set": lambda rng, n, p: {1.0, 2.0},
    "function": lambda rng, n, p: len,
    "generator": lambda rng, n, p: ([1.0] * p for _ in range(n)),
    "three axes": lambda rng, n, p: rng.normal(size=(n, p, 3)),
    "four axes": lambda rng, n, p: rng.normal(size=(n, p, 2, 2)),
    "no rows": lambda rng, n, p: np.empty((0, p)),
    "no columns": lambda rng, n, p: np.empty((n, 0)),
    "empty frame": lambda rng, n, p: pd.DataFrame(),
    "sparse": lambda rng, n, p: sparse.csr_array(_numbers(rng, n, p)),
    "sparse frame": lambda rng, n, p: pd.DataFrame.sparse.from_spmatrix(
        sparse.csr_matrix(np.eye(n, p))
    ),
    "series": lambda rng, n, p: pd.Series(_numbers(rng, n, 1)[:, 0]),
    "intervals": _intervals,
    "interval frame": _interval_frame,
    "crossed intervals": lambda rng, n, p: _intervals(rng, n, p)[:, :, ::-1],
    "missing intervals": lambda rng, n, p: np.full((n, p, 2), np.nan),
    "no intervals": lambda rng, n, p: np.empty((n, 0, 2)),
    "labels": _column(lambda rng, n: _words(rng, n)),
    "categories": _column(lambda rng, n: pd.Categorical(_words(rng, n))),
    "ordered": _column(lambda rng, n: pd.Categorical(_levels(rng, n), ordered=True)),
    "a label per row": _column(lambda rng, n: [f"id{j}" for j in range(n)]),
    "nullable": _column(lambda rng, n: pd.array([None, *_levels(rng, n)[1:]], dtype="Int64")[:n]),
    "nullable truth": _column(lambda rng, n: pd.array([None] * n, dtype="boolean")),
    "nullable text": _column(lambda rng, n: pd.array([None, *_words(rng, n)][:n], dtype="string")),
    "mixed": _column(lambda rng, n: [("a", 1, None, 2.5)[j % 4] for j in range(n)]),
    "times": _column(lambda rng, n: pd.date_range("2024", periods=n, tz="UTC")),
    "spans": _column(lambda rng, n: pd.to_timedelta(np.arange(n), "s")),
    "periods": _column(lambda rng, n: pd.period_range("2024", periods=n, freq="M")),
    "tuples": _column(lambda rng, n: pd.Series([(1, 2)] * n)),
    "arrays within": _column(lambda rng, n: pd.Series([np.arange(2)] * n)),
    "frame of complex": _column(lambda rng, n: _levels(rng, n) * 1j),
    "same names": _named("a", "a"),
    "names of numbers": lambda rng, n, p: pd.DataFrame(_numbers(rng, n, p)),
    "names of all kinds": _named(1, "1", None, 2.5, ("a", "b")),
    "names that act": _named("<b>", "\x00\x1b", "\u202e", "=1+2", "a" * 500, ""),
    "two levels of names": lambda rng, n, p: pd.DataFrame(
        _numbers(rng, n, p), columns=pd.MultiIndex.from_product([["a"], range(p)])
    ),
    "odd index": lambda rng, n, p: pd.DataFrame(_numbers(rng, n, p), index=[7] * n),
    "polars": lambda rng, n, p: pl.DataFrame(_numbers(rng, n, p)),
    "polars of kinds": lambda rng, n, p: pl.DataFrame(
        {"a": _words(rng, n), "b": _levels(rng, n), "c": pl.Series([None] * n, dtype=pl.Float64)}
    ),
    "polars enum": lambda rng, n, p: pl.DataFrame(
        {"a": pl.Series(rng.choice(["a", "b"], n), dtype=pl.Enum(["b", "a"]))}
    ),
    "polars lazy": lambda rng, n, p: pl.DataFrame(_numbers(rng, n, p)).lazy(),
    "arrow": lambda rng, n, p: pa.table(pd.DataFrame(_numbers(rng, n, p)).rename(columns=str)),
    "arrow of kinds": lambda rng, n, p: pa.table(
        {"a": _words(rng, n), "b": pa.array(_levels(rng, n), mask=rng.random(n) < 0.3)}
    ),
    "arrow same names": lambda rng, n, p: pa.table([_levels(rng, n)] * 2, names=["a", "a"]),
}  # fmt: skip

# ------------------------------------------------------------------------------- targets

TARGETS = {
    "classes": lambda rng, n: np.arange(n) % 3,
    "two": lambda rng, n: np.arange(n) % 2,
    "numbers": lambda rng, n: rng.normal(size=n),
    "halves": lambda rng, n: np.arange(n) % 3 / 2,
    "words": lambda rng, n: np.array(["b", "a", "\u00e9"])[np.arange(n) % 3],
    "truth": lambda rng, n: np.arange(n) % 2 == 0,
    "ordered": lambda rng, n: pd.Categorical(np.arange(n) % 3, [2, 0, 1, 9], ordered=True),
    "unordered": lambda rng, n: pd.Categorical(np.arange(n) % 3),
    "series": lambda rng, n: pd.Series(np.arange(n) % 3, index=np.arange(n)[::-1], name="g"),
    "list": lambda rng, n: (np.arange(n) % 3).tolist(),
    "tuple": lambda rng, n: tuple(np.arange(n) % 3),
    "column": lambda rng, n: (np.arange(n) % 3)[:, None],
    "frame": lambda rng, n: pd.DataFrame({"g": np.arange(n) % 3}),
    "ordered frame": lambda rng, n: pd.DataFrame(
        {"g": pd.Categorical(np.arange(n) % 3, ordered=True)}
    ),
    "two columns": lambda rng, n: np.zeros((n, 2)),
    "float16": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "uint8": lambda rng, n: (np.arange(n) % 3).astype(np.uint8),
    "big endian": lambda rng, n: (np.arange(n) % 3).astype(">i4"),
    "negative": lambda rng, n: np.arange(n) % 3 - 1,
    "huge": lambda rng, n: rng.normal(size=n) * 1e307,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-310,
    "huge whole": lambda rng, n: np.array([2**63 - 1 - k % 3 for k in range(n)]),
    "beyond": lambda rng, n: np.array([10**400 + k % 3 for k in range(n)], object),
    "one class": lambda rng, n: np.zeros(n, int),
    "one of a class": lambda rng, n: (np.arange(n) == 0).astype(int),
    "a class each": lambda rng, n: np.arange(n),
    "missing": lambda rng, n: np.where(np.arange(n) == 0, np.nan, np.arange(n) % 3),
    "missing word": lambda rng, n: np.array([None, *["a", "b"] * n][:n], object),
    "NA": lambda rng, n: pd.array([None, *[0, 1] * n][:n], dtype="Int64"),
    "nullable": lambda rng, n: pd.array([0, 1, 2] * n, dtype="Int64")[:n],
    "infinite": lambda rng, n: np.where(np.arange(n) == 0, np.inf, np.arange(n) % 3),
    "masked": lambda rng, n: np.ma.masked_equal(np.arange(n) % 3, 1),
    "complex": lambda rng, n: np.arange(n) * 1j,
    "dates": lambda rng, n: np.arange(n).astype("M8[D]"),
    "bytes": lambda rng, n: np.array([b"a", b"b"])[np.arange(n) % 2],
    "mixed": lambda rng, n: np.array([("a", 1, 2.5)[k % 3] for k in range(n)], object),
    "lists": lambda rng, n: [[1]] * n,
    "polars": lambda rng, n: pl.Series(np.arange(n) % 3),
    "enum": lambda rng, n: pl.Series(["a", "b"] * n, dtype=pl.Enum(["b", "a"]))[:n],
    "arrow": lambda rng, n: pa.array(np.arange(n) % 3),
    "arrow words": lambda rng, n: pa.array(["a", "b"] * n)[:n].dictionary_encode(),
    "short": lambda rng, n: np.arange(max(n - 1, 0)) % 3,
    "long": lambda rng, n: np.arange(n + 1) % 3,
    "empty": lambda rng, n: np.array([]),
    "nothing": lambda rng, n: None,
    "text": lambda rng, n: "y",
    "number": lambda rng, n: 1,
    "dict": lambda rng, n: {"y": 1},
    "sparse": lambda rng, n: sparse.csr_array(np.eye(max(n, 1), 1)),
}  # fmt: skip

VALUES = {
    "none": None, "true": True, "false": False, "zero": 0, "one": 1, "two": 2, "minus": -1,
    "half": 0.5, "two and a half": 2.5, "nan": np.nan, "infinity": np.inf, "less": -np.inf,
    "numpy": np.int64(2), "tiny": 1e-320, "text": "odd", "auto": "auto", "empty": "",
    "list": [], "names": ["a", "b"], "numbers": [0, 1, 2], "signs": [1, -1, 0], "array": np.eye(2),
    "dict": {}, "named": {"a": 1}, "tuple": (1, 2), "bytes": b"x", "complex": 1j, "type": int,
    "function": len, "object": object(), "set": {1}, "series": pd.Series([1.0, np.nan]),
}  # fmt: skip
"""Values that a parameter may or may not take; none asks for much work."""

# ------------------------------------------------------------------------------ contract

REFUSALS = (ValueError, TypeError)
"""What a caller must be ready for; scikit-learn's InvalidParameterError is both."""


def fingerprint(value):
    """A hash of what a value holds, None where it cannot be hashed."""
    try:
        return joblib.hash(_content(value))
    except Exception:
        return None


def _content(value):
    """What a caller can see of a value: frames remember more, for their own speed."""
    if isinstance(value, tuple | list):
        return [_content(each) for each in value]
    if isinstance(value, dict):
        return {key: _content(each) for key, each in value.items()}
    if isinstance(value, pd.DataFrame):
        columns = [_content(value.iloc[:, j]) for j in range(value.shape[1])]
        return [value.columns.tolist(), columns]
    if isinstance(value, pd.Series | pd.api.extensions.ExtensionArray):
        index = value.index.tolist() if hasattr(value, "index") else None
        return [index, str(value.dtype), getattr(value, "name", None), repr(value.tolist())]
    if isinstance(value, pl.DataFrame | pl.Series | pa.Table | pa.Array):
        return repr(value.to_dict() if hasattr(value, "to_dict") else value.to_list())
    return value


def kept_contract(function, *args, **kwargs):
    """Call: a result, or a refusal in words; no other exception, no input changed.

    Returns
    -------
    result : object
        What was returned, None if the input was refused.
    """
    before = [fingerprint(each) for each in (args, kwargs)]
    result = said = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=RuntimeWarning, module="echelon")
        try:
            result = function(*args, **kwargs)
        except REFUSALS as error:
            said = str(error)
    assert said is None or said.strip(), "refused without a word"
    assert [fingerprint(each) for each in (args, kwargs)] == before, "the input was changed"
    return result
