"""The one room that speaks: every sentence about data and results is made here, of facts.

``_data``    what a profile says: the data, what to note about them, the method that fits
``_answer``  what a study says: the answer, its evidence, comparisons, questions, caveats

Studies and profiles hold numbers and names only.  A sentence that tells what to do next names the
option of the command where the study was started by the command, else the parameter in Python.
"""

from echelon.words._answer import MATTERS, UNSTABLE, decided_otherwise, spoken
from echelon.words._data import data_caveats, data_facts, data_warnings, why_method

__all__ = [
    "MATTERS",
    "UNSTABLE",
    "data_caveats",
    "data_facts",
    "data_warnings",
    "decided_otherwise",
    "spoken",
    "why_method",
]
