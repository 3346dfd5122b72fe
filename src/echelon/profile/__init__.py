"""What the data are, and which method fits.

``_columns``  what can be seen of single columns: codes for missing values, subjects with several
              rows each
``_related``  which features are redundant, and which may hold the answer itself
``_scales``   words and numbers that people order
``_profile``  ``profile``, ``find_facts``: all of it as facts, to read and to show
``_rank_order``  ``check_rank_order``: whether the order within a sample says something
"""

import warnings
from typing import Any

from echelon._core.words import data_caveats
from echelon.data import is_nominal, is_number
from echelon.profile._columns import constant_columns, text_columns
from echelon.profile._profile import Facts, Profile, find_facts, profile
from echelon.profile._rank_order import RankOrderCheck, check_rank_order
from echelon.profile._related import ALIKE, associations, groups_of
from echelon.profile._scales import guess_order

__all__ = [
    "ALIKE",
    "Facts",
    "Profile",
    "RankOrderCheck",
    "associations",
    "check_rank_order",
    "constant_columns",
    "find_facts",
    "groups_of",
    "guess_order",
    "is_nominal",
    "is_number",
    "profile",
    "text_columns",
]


def __getattr__(name: str) -> Any:
    if name == "caveats":
        warnings.warn(
            "echelon.profile.caveats goes in 0.4: read the caveats of a Profile.",
            FutureWarning,
            stacklevel=2,
        )
        return data_caveats
    raise AttributeError(f"module 'echelon.profile' has no attribute {name!r}")
