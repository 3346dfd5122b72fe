"""The one room that speaks: every sentence about data and results is made here, of facts.

``_text``    plain values, and numbers, lists and names as text
``_data``    what a profile says: the data, what to note about them, the method that fits
``_answer``  what a study says: the answer, its evidence, comparisons, questions, caveats

Studies and profiles hold numbers and names only.  A sentence that tells what to do next names the
option of the command where the study was started by the command, else the parameter in Python.
"""

from echelon._core.words._answer import MATTERS, UNSTABLE, decided_otherwise, spoken
from echelon._core.words._data import (
    EXPLAINED,
    IRRELEVANT,
    LABELS,
    MEANING,
    STRONG,
    WEAK,
    about_missing_codes,
    data_caveats,
    data_facts,
    data_warnings,
    strongest,
    why_method,
)
from echelon._core.words._text import (
    all_visible,
    counted,
    is_number,
    listed,
    number,
    percent,
    plain,
    visible,
    with_error,
)

__all__ = [
    "EXPLAINED",
    "IRRELEVANT",
    "LABELS",
    "MATTERS",
    "MEANING",
    "STRONG",
    "UNSTABLE",
    "WEAK",
    "about_missing_codes",
    "all_visible",
    "counted",
    "data_caveats",
    "data_facts",
    "data_warnings",
    "decided_otherwise",
    "is_number",
    "listed",
    "number",
    "percent",
    "plain",
    "spoken",
    "strongest",
    "visible",
    "why_method",
    "with_error",
]
