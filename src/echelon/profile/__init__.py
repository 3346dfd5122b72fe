"""What the data are, what to beware of, and which method fits.

``_columns``  what can be seen of single columns
``_alike``    which features say the same
``_scales``   words and numbers that people order
``_repeated`` columns that look like a subject with several rows
``_facts``    ``find_facts``: the one fact finder, for profiles, reports and the command
``_advice``   the method that fits, and what to beware of, one sentence each
``_rank_order``  ``check_rank_order``: whether the order within a sample says something
``_profile``  ``profile``: all of it as a ``Profile``, to read and to show
"""

from echelon.profile._advice import caveats
from echelon.profile._alike import ALIKE, associations, groups_of
from echelon.profile._columns import is_nominal, is_number
from echelon.profile._facts import Facts, find_facts
from echelon.profile._profile import Profile, profile
from echelon.profile._rank_order import RankOrderCheck, check_rank_order
from echelon.profile._scales import guess_order

__all__ = [
    "ALIKE",
    "Facts",
    "Profile",
    "RankOrderCheck",
    "associations",
    "caveats",
    "check_rank_order",
    "find_facts",
    "groups_of",
    "guess_order",
    "is_nominal",
    "is_number",
    "profile",
]
