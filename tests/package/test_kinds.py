"""What a column holds is decided once: every entry point agrees, whatever the dtype."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from echelon import AutoSelector, ReliefF
from echelon.data import as_frame, as_table, kind_of, read_columns
from echelon.profile import find_facts, profile
from echelon.report import TableEncoder
from echelon.study import with_labels_split
from echelon.targets import read_target

N = 24
NUMBERS = np.tile([1.5, -2.0, 3.25, 0.5, 7.0, 2.5], N // 6)
WHOLE = np.tile([1, 2, 3, 4, 5, 9], N // 6)
WORDS = ["red", "green", "blue", "red", "blue", "green"] * (N // 6)
CODES = ["007", "012", "003", "007", "003", "012"] * (N // 6)
LEVELS = ["low", "mid", "high"]
GRADES = ["low", "high", "mid", "low", "mid", "high"] * (N // 6)
HOLES = [None if i % 5 == 0 else value for i, value in enumerate(NUMBERS.tolist())]
Y = np.arange(N) % 2


def pandas(values, dtype=None):
    return pd.Series(values, dtype=dtype)


COLUMNS = {
    "float64": (pandas(NUMBERS), "number"),
    "float32": (pandas(NUMBERS, "float32"), "number"),
    "float16": (pandas(NUMBERS, "float16"), "number"),
    "int64": (pandas(WHOLE), "number"),
    "int8": (pandas(WHOLE, "int8"), "number"),
    "uint16": (pandas(WHOLE, "uint16"), "number"),
    "bool": (pandas(WHOLE > 3), "number"),
    "nullable integer": (pandas(WHOLE, "Int64"), "number"),
    "nullable integer with gaps": (pandas(WHOLE, "Int64").where(WHOLE > 1), "number"),
    "nullable float": (pandas(NUMBERS, "Float64"), "number"),
    "nullable boolean": (pandas(WHOLE > 3, "boolean").where(WHOLE > 1), "number"),
    "arrow integer": (pandas(WHOLE, pd.ArrowDtype(pa.int32())), "number"),
    "arrow double": (pandas(NUMBERS, pd.ArrowDtype(pa.float64())), "number"),
    "arrow boolean": (pandas(WHOLE > 3, pd.ArrowDtype(pa.bool_())), "number"),
    "arrow decimal": (
        pandas([Decimal(str(v)) for v in NUMBERS], pd.ArrowDtype(pa.decimal128(8, 3))),
        "number",
    ),
    "sparse": (pandas(pd.arrays.SparseArray(NUMBERS)), "number"),
    "objects: floats": (pandas(NUMBERS.tolist(), object), "number"),
    "objects: floats and gaps": (pandas(HOLES, object), "number"),
    "objects: integers": (pandas(WHOLE.tolist(), object), "number"),
    "objects: integers and floats": (pandas([1, 2.5] * (N // 2), object), "number"),
    "objects: booleans": (pandas((WHOLE > 3).tolist(), object), "number"),
    "objects: decimals": (pandas([Decimal(str(v)) for v in NUMBERS], object), "number"),
    "objects: decimals and gaps": (
        pandas([None if v is None else Decimal(str(v)) for v in HOLES], object),
        "number",
    ),
    "text: numbers": (pandas([str(v) for v in NUMBERS]), "number"),
    "text: numbers and gaps": (pandas([None if v is None else str(v) for v in HOLES]), "number"),
    "text: numbers, as objects": (pandas([f" {v:e} " for v in NUMBERS], object), "number"),
    "text": (pandas(WORDS), "nominal"),
    "text, as objects": (pandas(WORDS, object), "nominal"),
    "text with gaps": (pandas([*WORDS[:-2], None, None], object), "nominal"),
    "text, string dtype": (pandas(WORDS, "string"), "nominal"),
    "text, arrow": (pandas(WORDS, pd.ArrowDtype(pa.string())), "nominal"),
    "text: codes with leading zeros": (pandas(CODES), "nominal"),
    "text: some numbers": (pandas(["1", "2", "many"] * (N // 3)), "nominal"),
    "categories": (pandas(WORDS, "category"), "nominal"),
    "categories: numbers": (pandas(WHOLE, "category"), "nominal"),
    "categories, arrow": (
        pandas(WORDS, pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
        "nominal",
    ),
    "categories, ordered": (
        pandas(pd.Categorical(GRADES, LEVELS, ordered=True)),
        "ordered",
    ),
    "categories, ordered numbers": (
        pandas(pd.Categorical(WHOLE, [9, 5, 4, 3, 2, 1], ordered=True)),
        "ordered",
    ),
    "dates": (pandas(pd.date_range("2024-01-01", periods=N)), None),
    "dates, as objects": (
        pandas([each.date() for each in pd.date_range("2024-01-01", periods=N)], object),
        None,
    ),
    "durations": (pandas(pd.to_timedelta(np.arange(N), "h")), None),
    "periods": (pandas(pd.period_range("2024-01", periods=N, freq="M")), None),
    "complex": (pandas(NUMBERS + 1j), None),
    "objects: numbers and text": (pandas([1, "a"] * (N // 2), object), None),
    "objects: fractions": (pandas([Fraction(1, 3)] * N, object), None),
    "objects: lists": (pandas([[1], [2]] * (N // 2), object), None),
    "objects: bytes": (pandas([b"a", b"b"] * (N // 2), object), None),
}
READ = [name for name, (_, kind) in COLUMNS.items() if kind is not None]
REFUSED = [name for name, (_, kind) in COLUMNS.items() if kind is None]


def table_of(name):
    """The column beside a plain one."""
    return pd.DataFrame({"it": COLUMNS[name][0], "plain": np.arange(N, dtype=float)})


@pytest.mark.parametrize("name", READ)
def test_every_entry_point_agrees(name):
    table, kind = table_of(name), COLUMNS[name][1]
    nominal = kind == "nominal"
    assert kind_of(table["it"]) == kind
    assert kind_of(as_frame(table)["it"]) == kind
    data = read_columns(table)
    assert data.nominal.tolist() == [nominal, False]
    assert (find_facts(as_frame(table), read_target(Y)).nominal == ["it"]) == nominal
    assert (profile(table, Y).nominal == ["it"]) == nominal
    encoder = TableEncoder().fit(table)
    assert (0 in encoder.labels_) == nominal
    assert len(with_labels_split(as_frame(table))[1]) == (
        2 if not nominal else len(encoder.sources_)
    )
    if not nominal:
        # Numbers are the same numbers, wherever they are read.
        known = ~np.isnan(data.values[:, 0])
        scaled = encoder.transform(table)[known, 0]
        slope, start = np.polyfit(data.values[known, 0], scaled, 1)
        np.testing.assert_allclose(slope * data.values[known, 0] + start, scaled, atol=1e-3)


@pytest.mark.parametrize("name", READ)
def test_a_column_counts_as_its_plain_form(name):
    """Selectors give it the score of the same values as floats, or as categories."""
    table, kind = table_of(name), COLUMNS[name][1]
    plain = as_frame(table)
    if kind == "nominal":
        plain = plain.assign(it=pd.Categorical(plain["it"].astype(str).where(plain["it"].notna())))
    else:
        plain = plain.assign(it=read_columns(table).values[:, 0].astype(float))
    np.testing.assert_allclose(
        ReliefF().fit(table, Y).scores_, ReliefF().fit(plain, Y).scores_, atol=1e-6
    )


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_kind_is_refused_by_all(name):
    table = table_of(name)
    assert kind_of(table["it"]) is None
    for refuse in (
        lambda: read_columns(table),
        lambda: ReliefF().fit(table, Y),
        lambda: AutoSelector(random_state=0).fit(table, Y),
        lambda: TableEncoder().fit(table),
        lambda: profile(table, Y),
    ):
        with pytest.raises(TypeError, match="Column 'it' of `X` has dtype"):
            refuse()


@pytest.mark.parametrize("name", ["objects: decimals", "text: numbers"])
def test_a_signal_held_as_decimals_or_text_is_kept(name):
    rng = np.random.default_rng(0)
    signal = rng.normal(size=120).round(3)
    held = [Decimal(str(v)) for v in signal] if "decimals" in name else [str(v) for v in signal]
    X = pd.DataFrame({"noise": rng.normal(size=120), "signal": held})
    y = signal + 0.1 * rng.normal(size=120)
    assert AutoSelector(random_state=0).fit(X, y).get_feature_names_out().tolist() == ["signal"]


def test_frames_of_other_libraries_are_read_alike():
    frame = pd.DataFrame({"a": NUMBERS, "b": WORDS, "c": WHOLE > 3})
    frame["d"] = pd.Categorical(GRADES, LEVELS, ordered=True)
    expected = read_columns(frame)
    arrow = pa.table(frame)
    polars = pl.DataFrame(
        {"a": NUMBERS, "b": WORDS, "c": WHOLE > 3, "d": pl.Series(GRADES, dtype=pl.Enum(LEVELS))}
    )
    for table in (arrow, polars, arrow.to_batches()[0]):
        found = read_columns(as_table(table))
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.nominal, expected.nominal)
        assert as_table(table).columns.tolist() == list("abcd")


def test_rows_of_data_are_read_as_all_of_them():
    """Text of which some rows look like numbers stays text in every part of the rows."""
    table = pd.DataFrame({"code": ["1", "2", "x", "1"] * 5, "plain": np.arange(20.0)})
    part = as_frame(table).iloc[:2]
    assert kind_of(as_frame(part)["code"]) == "nominal"
    encoder = TableEncoder().fit(table)
    np.testing.assert_array_equal(encoder.transform(table)[:2], encoder.transform(table.iloc[:2]))
