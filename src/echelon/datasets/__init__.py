"""Bundled data, and generators of data whose answer is known.

``_graded``     ``load_wine_quality``: red wines, and the quality that experts gave them;
                ``load_german_credit``: applicants for a loan, bad and good risks;
                ``load_grades``: measurements of patients, and grades of a disease
``_tables``     ``make_relevance``: strongly relevant, interchangeable and irrelevant features;
                ``make_epistasis``: two genes that matter only in combination
``_rankorder``  ``make_rank_order``: orders of informative, extraneous and redundant features;
                ``make_concordant_ranks``: orders of features that agree within a class
"""

from echelon.datasets._graded import GRADES, load_german_credit, load_grades, load_wine_quality
from echelon.datasets._rankorder import make_concordant_ranks, make_rank_order
from echelon.datasets._tables import make_epistasis, make_relevance

__all__ = [
    "GRADES",
    "load_german_credit",
    "load_grades",
    "load_wine_quality",
    "make_concordant_ranks",
    "make_epistasis",
    "make_rank_order",
    "make_relevance",
]
