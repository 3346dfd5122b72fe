"""From data to a decision one can show: one dict, rendered as HTML, Markdown and JSON.

``summarize``  compares selectors on data and gives a ``Report``
``Report``     the summary as a dict, and its renderings
"""

from echelon.report._report import Report
from echelon.report._summary import summarize

__all__ = ["Report", "summarize"]
