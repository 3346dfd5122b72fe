"""From a table to a decision one can show.

``profile``         what the data are, and which method fits
``TableEncoder``    a table as numbers, for models that judge features of every kind
"""

from echelon.report._encoder import TableEncoder
from echelon.report._profile import Profile, profile

__all__ = ["Profile", "TableEncoder", "profile"]
