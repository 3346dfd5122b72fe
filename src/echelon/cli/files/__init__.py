"""Files of any format as tables, and what is wrong with them in one sentence.

``_read``   any format, compressed or not, Parquet and Feather;  ``_text``  delimited text
``_bytes``  the bytes of a file: how much memory they may take, unpacked, decoded, and what they are
``_records``  ARFF and JSON lines;  ``_excel``  Excel;  ``_labelled``  SPSS, Stata and SAS
``_databases``  SQLite and DuckDB
``_clean``  columns of text that are really numbers or dates;  ``_numbers``  how numbers are written
``_dates``  how dates are written
``_folder`` several files as one table, and samples of what does not fit into memory
"""

from echelon.cli.files._dates import dates_in
from echelon.cli.files._folder import Drawing
from echelon.cli.files._numbers import is_code, numbers_of
from echelon.cli.files._read import Table, located, read_table
from echelon.cli.files._text import MISSING, Reading

__all__ = [
    "MISSING",
    "Drawing",
    "Reading",
    "Table",
    "dates_in",
    "is_code",
    "located",
    "numbers_of",
    "read_table",
]
