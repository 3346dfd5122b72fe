"""Clusters of interval data.

``IntervalKMeans``  k-means with mean intervals as centres
"""

from echelon.clustering._kmeans import IntervalKMeans

__all__ = ["IntervalKMeans"]
