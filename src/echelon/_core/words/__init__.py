"""The one room that speaks: every sentence about data and results is made here, of facts.

``_text``    plain values, and numbers, lists and names as text
``_data``    what a profile says: the data and samples of them, what to note, the method that fits
``_answer``  what a study says: the answer, comparisons, questions, why each feature is in it
``_methods`` how the answer was found: the methods paragraph of a paper, and how far to trust it
``_asked``   what is said only where it was asked for: directions, evidence given all others

Studies and profiles hold numbers and names only.  A sentence that tells what to do next names the
option of the command where the study was started by the command, else the parameter in Python.
"""

from echelon._core.words._answer import HARDEST, excluded, reasons, spoken
from echelon._core.words._asked import about_directions, about_relabelling
from echelon._core.words._data import (
    EXPLAINED,
    IRRELEVANT,
    LABELS,
    LOSS,
    MEANING,
    STRONG,
    WEAK,
    about_missing_codes,
    about_sample,
    bin_label,
    data_caveats,
    data_facts,
    data_warnings,
    sample_line,
    strongest,
    why_method,
)
from echelon._core.words._methods import UNSTABLE, decided_otherwise
from echelon._core.words._text import (
    all_visible,
    counted,
    ended,
    is_number,
    listed,
    number,
    percent,
    plain,
    unsigned,
    visible,
    with_error,
)

__all__ = [
    "EXPLAINED",
    "HARDEST",
    "IRRELEVANT",
    "LABELS",
    "LOSS",
    "MEANING",
    "STRONG",
    "UNSTABLE",
    "WEAK",
    "about_directions",
    "about_missing_codes",
    "about_relabelling",
    "about_sample",
    "all_visible",
    "bin_label",
    "counted",
    "data_caveats",
    "data_facts",
    "data_warnings",
    "decided_otherwise",
    "ended",
    "excluded",
    "is_number",
    "listed",
    "number",
    "percent",
    "plain",
    "reasons",
    "sample_line",
    "spoken",
    "strongest",
    "unsigned",
    "visible",
    "why_method",
    "with_error",
]
