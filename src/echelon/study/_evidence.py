"""Which features are related to the target, beside which are selected to predict it."""

from __future__ import annotations

from typing import Any

from echelon.evidence import ConditionalEvidence
from echelon.study._study import Study


def with_evidence(rows: list[dict[str, Any]], study: Study) -> None:
    """Add conditional evidence to the rows of features: label, adjusted p-value, replacements.

    The features are tested on all rows, at a false discovery rate of 5 %.
    """
    design = study.design
    if design.data is None or not design.splits.independent or design.weights is not None:
        raise ValueError(
            "`evidence` needs numbers or categories in independent rows that count alike. Leave it "
            "out, or `groups`, `time`, `sample_weight`, folds of your own and intervals."
        )
    tested = ConditionalEvidence(random_state=design.seed, n_jobs=design.options["n_jobs"])
    found = tested.fit(design.data, design.target).frame().set_index("feature")
    for row in rows:
        facts = found.loc[row["name"]]
        row["evidence"], row["evidence_p"] = facts["label"], float(facts["p_fdr"])
        row["replaced_by"] = facts["replaced_by"]
