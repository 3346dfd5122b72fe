"""The one room that speaks: every sentence about data and results is made here, of facts.

``_text``    plain values, and numbers, lists and names as text
``_data``    what a profile says: the data, what to note about them, the method that fits
``_monotone``  directions of features, and samples that contradict each other
``_answer``  what a study says: the answer, its evidence, comparisons, questions, caveats
``_sample``  what is of all rows, and what of a sample of them
``_reasons`` why every feature was selected, or was not
``_models``  the models by which features are evaluated
``_paragraph``  the methods paragraph of a paper, with its references

Studies and profiles hold numbers and names only.  A sentence that tells what to do next names the
option of the command where the study was started by the command, else the parameter in Python.
"""

from echelon._core.words._answer import MATTERS, UNSTABLE, decided_otherwise, spoken
from echelon._core.words._data import (
    EXPLAINED,
    IRRELEVANT,
    LABELS,
    LOSS,
    MEANING,
    STRONG,
    WEAK,
    about_missing_codes,
    bin_label,
    data_caveats,
    data_facts,
    data_warnings,
    strongest,
    why_method,
)
from echelon._core.words._monotone import about_directions, about_relabelling
from echelon._core.words._reasons import excluded, reasons
from echelon._core.words._sample import about_sample, sample_line
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
    "IRRELEVANT",
    "LABELS",
    "LOSS",
    "MATTERS",
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
