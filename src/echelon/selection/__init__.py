"""A selection as data: saved as JSON, read by later versions, applied to later data.

``_schema``     what a saved selection holds, and the check of what strangers wrote
``_columns``    what a column held when it was seen, and how another one differs from it
``_selection``  ``Selection``: JSON, tables, drift
"""

from echelon.selection._columns import facts_of
from echelon.selection._schema import (
    FORMAT,
    SCHEMA,
    Column,
    Reading,
    Saved,
    Score,
    Target,
)
from echelon.selection._selection import Selection

__all__ = [
    "FORMAT",
    "SCHEMA",
    "Column",
    "Reading",
    "Saved",
    "Score",
    "Selection",
    "Target",
    "facts_of",
]
