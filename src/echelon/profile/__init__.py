"""What the data are, what to beware of, and which method fits.

``_profile``  ``profile``: facts, caveats and advice as a ``Profile``
``_columns``  what can be seen of feature columns before any method runs
``_scales``   words and numbers that people order
``_data``     the data at a glance
``_caveats``  what to beware of, one sentence each
"""

from echelon.profile._alike import ALIKE, as_values, associations, groups_of
from echelon.profile._caveats import caveats_of, class_caveats
from echelon.profile._columns import is_nominal, is_number
from echelon.profile._data import glance
from echelon.profile._profile import Profile, profile
from echelon.profile._scales import guess_order

__all__ = [
    "ALIKE",
    "Profile",
    "as_values",
    "associations",
    "caveats_of",
    "class_caveats",
    "glance",
    "groups_of",
    "guess_order",
    "is_nominal",
    "is_number",
    "profile",
]
