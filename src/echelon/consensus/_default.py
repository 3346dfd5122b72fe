"""What takes part in the default ranking, by kind of target and size of the data."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import has_fit_parameter

from echelon.consensus._selector import ConsensusSelector
from echelon.filters import ForestImportance, ForwardAdditive, ForwardLinear, RankCorrelation
from echelon.margin import ReliefF
from echelon.methods import CONTINUOUS
from echelon.neighborhood import OrderedSoftMargin

MOST_ROWS = 4000
"""Rows that all but rank correlation look at; more change their order hardly, and cost."""
MOST_QUERIES = 1000
"""Rows whose neighbours ReliefF looks up."""
LONG_PATH, SHORT_PATH = 45, 8
"""Steps of the search in a linear model that does not stop by itself; most steps by neighbours."""
CORRELATION = "rank correlation"


def default_ranker(kind: str, n_samples: int, weighted: bool = False) -> ConsensusSelector:
    """Complementary rankings, fused; chosen and measured in ``docs/benchmarks/ordered_default.md``.

    Four searches forward, each of which stops by itself (in a linear model of the values, in one
    of their ranks, in an additive model of bins, and by leave-one-out neighbours); the first once
    more, on all samples and to a fixed length; a forest; and rank correlation.  What a search does
    not take follows by the mean place of rank correlation and ReliefF.

    Parameters
    ----------
    kind : {"ordinal", "classification", "regression"}
        What y is.
    n_samples : int
        How many samples it is fitted to at least.
    weighted : bool, default=False
        Only rankings that take weights of samples.

    Returns
    -------
    ranker : ConsensusSelector
        Not fitted.

    Examples
    --------
    >>> from echelon.consensus import default_ranker
    >>> ranker = default_ranker("ordinal", n_samples=400)
    >>> len(ranker.selectors), ranker.fusion
    (7, 'reciprocal')
    """
    members: dict[str, Any] = {
        "linear": ForwardLinear(kind=kind),
        "linear in ranks": ForwardLinear(scale="rank", kind=kind),
        "additive": ForwardAdditive(kind=kind),
        "neighbours": OrderedSoftMargin(max_features=SHORT_PATH, kind=kind),
        "linear, long path": ForwardLinear(n_bags=0, criterion=0.0, max_steps=LONG_PATH, kind=kind),
        "forest": ForestImportance(1.0, kind=kind),
        CORRELATION: RankCorrelation(kind=kind),
    }
    if weighted:
        members = {
            name: each for name, each in members.items() if has_fit_parameter(each, "sample_weight")
        }
    completed_by: list[Any] = [CORRELATION]
    if kind != CONTINUOUS:
        queries = MOST_QUERIES if min(n_samples, MOST_ROWS) > MOST_QUERIES else None
        completed_by.append(ReliefF(1, sample_size=queries))
    return ConsensusSelector(members, completed_by=completed_by, max_samples=MOST_ROWS)
