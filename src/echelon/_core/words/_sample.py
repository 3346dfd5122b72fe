"""What a study of a table larger than memory says: what is of all rows, and what of a sample."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import Any

from echelon._core.words._text import counted, listed, number


def sample_line(sample: Any) -> str:
    """The sample in a few words.

    Examples
    --------
    >>> from echelon._core.words import sample_line
    >>> sample_line({"rows": 50_000_000, "sampled": 20_000, "classes": False})
    '20,000 of 50,000,000 rows, drawn at random; rank correlations are of all rows'
    """
    how = "stratified by class" if sample["classes"] else "drawn at random"
    drawn = f"{sample['sampled']:,} of {sample['rows']:,} rows, {how}"
    return f"{drawn}; rank correlations are of all rows"


def about_sample(sample: Any) -> list[str]:
    """What is of all rows and what of the sample, one sentence each."""
    if sample is None:
        return []
    rows, sampled = f"{sample['rows']:,}", f"{sample['sampled']:,}"
    said = [
        f"All {rows} rows were read for the missing values of the columns, the numbers of their "
        "values, the classes and the rank correlations with the target. Searches, models and "
        f"scores are those of a sample of {sampled} rows."
    ]
    if sample["binned"]:
        said.append(
            f"Rank correlations of {counted(sample['binned'], 'column')} with many different "
            f"values are computed in bins, which changes them by at most {_up(sample['error'])}."
        )
    if sample["from_sample"]:
        said.append(
            f"The rank correlation of {listed(sample['from_sample'])} is that of the sample: in "
            "all rows it holds too many categories, or was converted on reading."
        )
    if sample["ranked_by_sample"]:
        said.append(
            "The ranking uses rank correlations of the sample, since columns of many categories "
            "are encoded by the mean outcome of each category."
        )
    for label, (n_drawn, n_rows) in sample["raised"].items():
        said.append(
            f"Class {label!r} has {counted(n_rows, 'row')}, of which the sample holds "
            f"{n_drawn:,}, more than its share: scores count it more often than it occurs."
        )
    if sample["constant"]:
        said.append(
            f"{listed(sample['constant'])} {_is(sample['constant'])} constant in the sample, but "
            "not in all rows, so the models could not use "
            f"{'it' if len(sample['constant']) == 1 else 'them'}."
        )
    if sample["samples"] > 1:
        said.append(
            f"Selection frequency and stability are over {sample['samples']} disjoint samples of "
            f"about {sampled} rows each, every one ranked by itself."
        )
    return said


def _up(value: float) -> str:
    """A bound with two digits, which is none if it is rounded down."""
    if value <= 0:
        return "0"
    unit = 10.0 ** (floor(log10(value)) - 1)
    return number(ceil(value / unit - 1e-9) * unit, 2)


def _is(names: Any) -> str:
    return "is" if len(names) == 1 else "are"
