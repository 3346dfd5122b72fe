"""A shelf of ugly files: every column is read as what it is, or named before the answer."""

import os
import re
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon.cli.files import Reading, read_table
from shelf_cases import SHELF

SEEDS = range(int(os.environ.get("SHELF_SEEDS", "3")))


def same(column, truth):
    """Whether a column holds these values, and is of their kind."""
    known = [each for each in truth if each is not None]
    if any(isinstance(each, datetime) for each in known):  # of any unit
        return pd.api.types.is_datetime64_any_dtype(column.dtype) and pd.Series(
            pd.to_datetime(truth)
        ).astype("datetime64[ns]").equals(column.astype("datetime64[ns]"))
    if all(isinstance(each, str) for each in known):
        return column.astype(object).where(column.notna(), None).tolist() == truth
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    numbers = np.array([np.nan if each is None else each for each in truth], dtype=float)
    return len(column) == len(truth) and np.allclose(
        column.to_numpy(dtype=float), numbers, rtol=1e-9, atol=1e-9, equal_nan=True
    )


def named(name, said):
    return any(re.search(rf"(^|\W){re.escape(name)}(\W|$)", sentence) for sentence in said)


def check(case, seed, tmp_path):
    file = SHELF[case](np.random.default_rng([seed, *map(ord, case)]))
    path = tmp_path / file.name
    path.write_bytes(file.content)
    found = read_table(str(path), Reading(**file.how))
    said = [*found.notes, *found.doubts]
    names = [*file.truth, *(name for name in file.named if name not in file.truth)]
    assert found.frame.columns.tolist() == names or set(found.frame.columns) == set(names), (
        found.frame.columns.tolist(),
        said,
    )
    for name in names:
        right = name in file.truth and same(found.frame[name], file.truth[name])
        assert right or (name in file.named and named(name, said)), (
            name, found.frame[name].tolist()[:8], file.truth.get(name, [])[:8], said
        )  # fmt: skip


@pytest.mark.parametrize("case", [each for each in SHELF if not each.startswith("made_up")])
def test_every_column_is_read_as_what_it_is_or_named(case, tmp_path):
    check(case, 0, tmp_path)


@pytest.mark.parametrize("case", [each for each in SHELF if each.startswith("made_up")])
@pytest.mark.parametrize("seed", SEEDS)
def test_kinds_that_a_seed_makes_up(case, seed, tmp_path):
    check(case, seed, tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "program"),
    [
        ("x.sav", b"$FL2@(#) SPSS DATA FILE" + bytes(200), "SPSS"),
        ("x.dta", b"<stata_dta><header>" + bytes(200), "Stata"),
        ("x.dta", b"\x72\x02\x01\x00" + bytes(200), "Stata"),
        ("x.sas7bdat", bytes(12) + b"\xc2\xea\x81\x60" + bytes(200), "SAS"),
    ],
)
def test_damaged_files_of_other_programs_are_named(name, content, program, tmp_path, capsys):
    (tmp_path / name).write_bytes(content)
    call(capsys, "rank", tmp_path / name, "-t", "y").check_refused(
        f"{name} cannot be read as a file of {program}"
    )
