"""Data that come along, and generators of data whose answer is known.

``_grades``     ``load_grades``: measurements of patients, and an ordered outcome
``_epistasis``  ``make_epistasis``: two genes that matter only together
``_relevance``  ``make_relevance``: strongly relevant, interchangeable and irrelevant features
``_rankorder``  ``make_rank_order``: orders of informative, extraneous and redundant features;
                ``make_concordant_ranks``: orders of features that agree within a class
"""

from echelon.datasets._epistasis import make_epistasis
from echelon.datasets._grades import GRADES, load_grades
from echelon.datasets._rankorder import make_concordant_ranks, make_rank_order
from echelon.datasets._relevance import make_relevance

__all__ = [
    "GRADES",
    "load_grades",
    "make_concordant_ranks",
    "make_epistasis",
    "make_rank_order",
    "make_relevance",
]
