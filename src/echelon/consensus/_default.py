"""What takes part in the default ranking, by kind of target and size of the data."""

from __future__ import annotations

from typing import Any

from echelon.consensus._selector import ConsensusSelector
from echelon.filters import ForwardAdditive, ForwardLinear, RankCorrelation
from echelon.margin import ReliefF
from echelon.methods import CONTINUOUS
from echelon.neighborhood import OrderedSoftMargin

MOST_ROWS = 4000
"""Rows that the searches forward look at; more change their order hardly, and cost."""

CORRELATION = "rank correlation"
"""The one ranking that is complete and stable: it completes the others, and counts twice."""


def default_ranker(
    kind: str, n_samples: int, *, random_state: Any = None, n_jobs: int | None = None
) -> ConsensusSelector:
    """Complementary rankings, fused; chosen and measured in ``docs/benchmarks/ordered.md``.

    Four searches forward, each of which stops by itself (a linear model of the values, one of the
    ranks, an additive model of bins, leave-one-out neighbours), are completed by rank correlation,
    which takes part itself with twice their weight.  Features that no search takes share out their
    places by rank correlation and ReliefF.
    """
    told: dict[str, Any] = {"kind": kind}
    members = {
        "linear": ForwardLinear(**told),
        "linear in ranks": ForwardLinear(scale="rank", **told),
        "additive": ForwardAdditive(**told),
        "neighbours": OrderedSoftMargin(max_features=8, **told),
        CORRELATION: RankCorrelation(**told),
    }
    relief = ReliefF(n_features_to_select=1, sample_size=_queries(n_samples))
    return ConsensusSelector(
        members,
        weights=[1, 1, 1, 1, 2],
        completed_by=CORRELATION,
        evidence=[CORRELATION] if kind == CONTINUOUS else [CORRELATION, relief],
        max_samples=MOST_ROWS,
        random_state=random_state,
        n_jobs=n_jobs,
    )


def _queries(n_samples: int) -> int | None:
    """Rows whose neighbours ReliefF looks up; it is fitted to at most ``MOST_ROWS``."""
    return None if n_samples <= 1000 else 1000
