"""Files of any format as tables, and what is wrong with them in one sentence.

``_read``   any format;  ``_text``  delimited text;  ``_arff``  ARFF
``_unpack``  what is compressed in them
``_clean``  columns of text that are really numbers or dates
"""

from echelon.cli.files._read import Reading, Table, read_table

__all__ = ["Reading", "Table", "read_table"]
