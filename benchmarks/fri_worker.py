"""The package fri on one data set, in an environment of its own; prints JSON.

``python benchmarks/fri_worker.py DATA.npz N_PROBES N_COSTS TOLERANCE GROUPS``, where GROUPS is 1 to
time the grouping as well.
"""

import json
import logging
import sys
import warnings
from time import perf_counter

import numpy as np


def main() -> None:
    """Fit and report."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    from fri import FRI, ProblemName

    data, n_probes, n_costs, tolerance, groups = sys.argv[1:]
    with np.load(data) as arrays:
        X, y = arrays["X"], arrays["y"]
    model = FRI(
        ProblemName.ORDINALREGRESSION,
        random_state=0,
        n_jobs=1,
        n_param_search=int(n_costs),
        n_probe_features=int(n_probes),
        w_l1_slack=float(tolerance),
        loss_slack=float(tolerance),
        normalize=False,
    )
    start = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - start
    start = perf_counter()
    if groups == "1":
        model.get_grouping()
    result = {
        "seconds": seconds,
        "grouping": perf_counter() - start if groups == "1" else None,
        "intervals": np.asarray(model.interval_).tolist(),
        "C": float(model.optim_model_.get_params()["C"]),
        "relevance": np.asarray(model.relevance_classes_).tolist(),
    }
    print("RESULT" + json.dumps(result))


if __name__ == "__main__":
    main()
