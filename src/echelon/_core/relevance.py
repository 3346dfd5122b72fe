"""The labels of relevance, from the least to the most, and what they mean: the one list of them."""

from __future__ import annotations

MEANING = {
    "irrelevant": "no more than noise reaches",
    "explained": "no more than noise reaches that is as correlated with those kept",
    "weak": "others can stand in for it",
    "strong": "no good linear model does without it",
}

LABELS = tuple(MEANING)

IRRELEVANT, EXPLAINED, WEAK, STRONG = range(len(LABELS))
"""Places in the list: the larger, the more relevant.  Weak and strong features are kept."""


def strongest(labels: list[str]) -> str:
    """The most relevant of several labels.

    Examples
    --------
    >>> from echelon._core.relevance import strongest
    >>> strongest(["irrelevant", "weak", "explained"])
    'weak'
    """
    return max(labels, key=LABELS.index)
