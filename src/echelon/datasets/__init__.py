"""Data whose answer is known.

``make_relevance``  strongly relevant, interchangeable and irrelevant features of a linear model
"""

from echelon.datasets._relevance import make_relevance

__all__ = ["make_relevance"]
