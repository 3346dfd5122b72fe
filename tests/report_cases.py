"""Data for reports, quick to compute."""

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

from echelon import ReliefF
from echelon.report import summarize

HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = [
    "plain",
    HOSTILE,
    "</script><script>alert(2)</script>",
    "a|b `c` *d* _e_",
    "$x$ & \u2028 y",
]


def classes_and_noise(n_samples=90, n_noise=3, random_state=0):
    """Two features that tell three ordered classes apart, one nearly the same, and noise."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % 3
    X = pd.DataFrame(rng.normal(size=(n_samples, n_noise)))
    X.columns = [f"noise {j}" for j in range(n_noise)]
    X.insert(0, "first", y + rng.normal(scale=0.5, size=n_samples))
    X.insert(1, "twin", X["first"] + rng.normal(scale=0.05, size=n_samples))
    X.insert(2, "second", (y == 1) + rng.normal(scale=0.4, size=n_samples))
    return X, y


def hostile_report():
    """A report in which every text a user can give tries to be markup."""
    X, codes = classes_and_noise(n_noise=4)
    X = X.set_axis([*NAMES, "other", "seventh"], axis=1)
    X["colour"] = np.array(["<b>red</b>", "blue\"'", "gr|een"])[
        np.random.default_rng(1).permutation(codes)
    ]
    order = ["<i>low</i>", "mid & co", 'high"onload="alert(3)']
    y = pd.Series(pd.Categorical.from_codes(codes, order, ordered=True), name="<u>grade</u>")
    selectors = {"<s>ReliefF</s>": ReliefF(), "other & method": ReliefF(n_neighbors=3)}
    return summarize(
        X, y, selectors, n_resamples=3, cv=3,
        source="<data>.csv", command="echelon rank '<x>' --target `y`",
    )  # fmt: skip


def wide_report(n_features=20_000):
    """A report of many features with long names."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, n_features)))
    X.iloc[:, 3] += 3 * y
    X.columns = [f"gene {j:05d} with an annotation & more <text>" for j in range(n_features)]
    selectors = {"ten": ReliefF(), "three": ReliefF(n_neighbors=3)}
    return summarize(X, y, selectors, estimator=GaussianNB(), n_resamples=2, cv=2)


def unstable_report():
    """A report of more features than the data can tell apart, with long names and two values."""
    rng = np.random.default_rng(3)
    value = rng.normal(size=120)
    X = pd.DataFrame(
        {
            "household income after taxes and transfers": value + rng.normal(size=120),
            "employment_status_of_the_household_head_at_last_interview": np.where(
                value + rng.normal(size=120) > 0, "employed", "not employed"
            ),
            "member": (value + rng.normal(size=120) > 0.5).astype(int),
        }
    )
    for k in range(9):
        X[f"noise {k}"] = rng.normal(size=120)
    y = pd.Series(np.where(value > 0, "stays", "leaves"), name="customer")
    return summarize(X, y, ReliefF(), n_features=7, n_resamples=10, cv=3)
