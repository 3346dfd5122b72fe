"""How good a result is.

``clustering_accuracy``  agreement of clusters with known classes
"""

from echelon.evaluation._clustering import clustering_accuracy

__all__ = ["clustering_accuracy"]
