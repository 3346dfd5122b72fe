"""Interval data: made from tables, read from whatever holds them, put on one scale.

``as_intervals``           columns such as ``x_min`` and ``x_max`` as one interval column ``x``
``intervals_from_groups``  raw rows, summed up group by group

``_read`` turns what an estimator is given into bounds with their ranges, ``_means`` scales them
and finds the mean intervals of groups of rows (prototypes of classes, centres of clusters).
"""

from echelon.intervals._convert import as_intervals, intervals_from_groups

__all__ = ["as_intervals", "intervals_from_groups"]
