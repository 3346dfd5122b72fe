"""Interval data as a family: made from tables, read, and selected or clustered.

``_intervals``  ``as_intervals``: columns such as ``x_min`` and ``x_max`` as one interval column
                ``x``;  ``intervals_from_groups``: raw rows, summed up group by group;
                ``read_intervals``: what an estimator is given, as bounds with their ranges
``_relief``     ``IntervalRelief``: Relief with intervals in place of values
``_kmeans``     ``IntervalKMeans``: k-means with mean intervals as centres
``_loops``      compiled loops over the rows
"""

from echelon.data import holds_intervals
from echelon.intervals._intervals import (
    as_intervals,
    intervals_from_groups,
    read_intervals,
)
from echelon.intervals._kmeans import IntervalKMeans
from echelon.intervals._relief import IntervalRelief

__all__ = [
    "IntervalKMeans",
    "IntervalRelief",
    "as_intervals",
    "holds_intervals",
    "intervals_from_groups",
    "read_intervals",
]
