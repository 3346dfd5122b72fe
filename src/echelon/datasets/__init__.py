"""Data that come along, and generators of data whose answer is known.

``_tables``     ``load_grades``: measurements of patients, and an ordered outcome;
                ``make_relevance``: strongly relevant, interchangeable and irrelevant features;
                ``make_epistasis``: two genes that matter only together
``_rankorder``  ``make_rank_order``: orders of informative, extraneous and redundant features;
                ``make_concordant_ranks``: orders of features that agree within a class
"""

from echelon.datasets._rankorder import make_concordant_ranks, make_rank_order
from echelon.datasets._tables import GRADES, load_grades, make_epistasis, make_relevance

__all__ = [
    "GRADES",
    "load_grades",
    "make_concordant_ranks",
    "make_epistasis",
    "make_rank_order",
    "make_relevance",
]
