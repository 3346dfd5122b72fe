"""Interval data as a family: made from tables, read, and selected or clustered.

``_convert``     ``as_intervals``: columns such as ``x_min`` and ``x_max`` as one interval column
                 ``x``;  ``intervals_from_groups``: raw rows, summed up group by group
``_read``        what an estimator is given, as bounds with their ranges
``_means``       one scale for all features; mean intervals of groups of rows
``_prototypes``  margins to class prototypes, by which ``_relief`` scores
``_relief``      ``IntervalRelief``: Relief with intervals in place of values
``_kmeans``      ``IntervalKMeans``: k-means with mean intervals as centres
"""

from echelon.intervals._convert import as_intervals, intervals_from_groups
from echelon.intervals._kmeans import IntervalKMeans
from echelon.intervals._read import holds_intervals, read_intervals
from echelon.intervals._relief import IntervalRelief

__all__ = [
    "IntervalKMeans",
    "IntervalRelief",
    "as_intervals",
    "holds_intervals",
    "intervals_from_groups",
    "read_intervals",
]
