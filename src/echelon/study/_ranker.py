"""What ranks in the folds, for any selector and any table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from echelon.study._arranged import Arranged
from echelon.study._curves import furthest
from echelon.study._many_labels import many_labels
from echelon.study._models import Study
from echelon.study._prepared import Prepared


def as_ranker(selector: Any, study: Study, constant: Sequence[str] = ()) -> Any:
    """The selector as it is asked: small enough samples, many labels as numbers, some always first.

    AutoSelector, which judges too, hands over its ranking.  Constant columns come last: a method
    that gives noise less than nothing (Relief) ranks them before it.
    """
    if hasattr(selector, "ranker"):
        selector = selector.ranker(
            study.target.kind, study.splits.fewest, study.weights is not None
        )
        constant = ()  # its rankings end with them
    elif (selector.get_params(deep=False).get("sample_size") or 0) > study.splits.fewest:
        selector = clone(selector).set_params(sample_size=study.splits.fewest)
    n_best = furthest(study.rule)
    if many_labels(study.X) and not isinstance(selector, Prepared):
        selector = Prepared(selector, split_labels=False, fill_gaps=False, n_best=n_best)
    if not study.rule.always and not constant:
        return selector
    return Arranged(selector, study.rule.always, constant, n_best=n_best)
