"""Files that hold a table in a way of their own: read whole, or refused in one clear line."""

import pytest

from echelon.cli._terminal import InputError
from echelon.cli.files import Reading, read_table


def test_a_short_row_is_refused_after_a_cell_of_any_length(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"a,note,grade\n1,{'x' * 140_000},0\n1,2,1\n3,1\n2,2,0\n")
    with pytest.raises(InputError, match=r"Line 4 of long\.csv has 2 fields"):
        read_table(str(path), Reading())


def test_a_cell_of_any_length_is_read_beside_missing_values(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"a,note,grade\n1,{'x' * 140_000},0\n1,2,\n2,2,0\n")
    frame = read_table(str(path), Reading()).frame
    assert len(frame["note"][0]) == 140_000
