"""From data to a decision one can show: one dict, rendered as HTML, Markdown and JSON.

``_report``   ``summarize``: a study of any selectors; ``Report``: its facts and renderings
``_several``  ``Reports``: several targets of one table, as one report
``_layout``   from facts to places on the page
``_fragment`` the answer in short: for notebooks, and as one picture

``profile``, ``Profile`` (what the data are, and which method fits) and ``TableEncoder`` (a table as
numbers, for models that evaluate features of every kind) are ``echelon.profile``'s and
``echelon.study``'s, here for convenience.
"""

from echelon.profile import Profile, profile
from echelon.report._fragment import draw_answer as draw_answer
from echelon.report._fragment import fragment as fragment
from echelon.report._report import Report, summarize
from echelon.report._report import check_path as check_path
from echelon.report._several import Reports
from echelon.study import TableEncoder

__all__ = ["Profile", "Report", "Reports", "TableEncoder", "profile", "summarize"]
