"""From data to a decision one can show: one dict, rendered as HTML, Markdown and JSON.

``_summary``  ``summarize``: compares selectors on data and gives a ``Report``
``_report``   ``Report``: the summary as a dict, and its renderings
``_layout``   from numbers of a summary to places on the page
``_changes``  what single features do to the score, as a picture
``_table``    the table of features as columns and cells

``profile``, ``Profile`` (what the data are, and which method fits) and ``TableEncoder`` (a table as
numbers, for models that judge features of every kind) are ``echelon.profile``'s and
``echelon.study``'s, here for convenience.
"""

from echelon.profile import Profile, profile
from echelon.report._report import Report
from echelon.report._summary import summarize
from echelon.study import TableEncoder

__all__ = ["Profile", "Report", "TableEncoder", "profile", "summarize"]
