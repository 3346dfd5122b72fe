"""From data to a decision one can show: one dict, rendered as HTML, Markdown and JSON.

``summarize``     compares selectors on data and gives a ``Report``
``Report``        the summary as a dict, and its renderings
``profile``       what the data are, what to beware of, and which method fits: a ``Profile``
``TableEncoder``  a table as numbers, for models that judge features of every kind
"""

from echelon.profile import Profile, profile
from echelon.report._report import Report
from echelon.report._summary import summarize
from echelon.study import TableEncoder

__all__ = ["Profile", "Report", "TableEncoder", "profile", "summarize"]
