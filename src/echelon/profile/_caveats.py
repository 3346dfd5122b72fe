"""What calls for care, in the data and in the result, one sentence each."""

from __future__ import annotations

from typing import Any

from echelon._core.words import counted, listed, number


def caveats_of(data: dict[str, Any]) -> list[str]:
    """Sentences about what was found in the data."""
    found = []
    n, p = data["n_samples"], data["n_features"]
    if data["missing"]:
        share = 100 * data["missing"] / (n * p)
        found.append(
            f"{counted(data['missing'], 'value')} ({number(share, 2)} %) in "
            f"{counted(data['columns_with_missing'], 'column')} are missing."
        )
    if data["constant"]:
        found.append(f"The same value everywhere, hence of no use: {listed(data['constant'])}.")
    found += [
        f"Equal columns: {listed(names)}; a method may take one for the other."
        for names in data["duplicated"][:3]
    ]
    if p > n:
        found.append(
            f"There are more features ({p:,}) than samples ({n:,}): many features look good by "
            "chance, and other samples may lead to others."
        )
    return found


def class_caveats(data: dict[str, Any], n_folds: int) -> list[str]:
    """What small classes and few samples do to the scores."""
    found = []
    rare = {c: k for c, k in data["classes"].items() if k < n_folds}
    if data["kind"] != "regression" and rare:
        named = listed(f"{c!r} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if data["n_samples"] / n_folds < 10:
        found.append(
            f"A test fold holds about {counted(data['n_samples'] // n_folds, 'sample')}: scores "
            "are rough."
        )
    return found
