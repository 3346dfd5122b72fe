"""Names of ``echelon.data`` under their old module, until all modules import the new one."""

from echelon.data import *  # noqa: F403
from echelon.data import INTERVAL, Data, _codes, as_pandas, is_nominal, kind_of  # noqa: F401
from echelon.data import as_pandas as to_pandas  # noqa: F401
from echelon.data import is_nominal as looks_nominal  # noqa: F401

Columns = Data


def is_interval_column(column):
    return kind_of(column) == INTERVAL
