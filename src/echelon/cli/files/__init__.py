"""Files of any format as tables, and what is wrong with them in one sentence.

``_read``   any format, compressed or not;  ``_text``  delimited text and ARFF
``_unpack`` the bytes of a file, unpacked;  ``_limit``  how much memory they may take
``_clean``  columns of text that are really numbers or dates;  ``_numbers``  how numbers are written
"""

from echelon.cli.files._numbers import numbers_of
from echelon.cli.files._read import Table, read_table
from echelon.cli.files._text import Reading

__all__ = ["Reading", "Table", "numbers_of", "read_table"]
