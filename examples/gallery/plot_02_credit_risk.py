"""
Credit risk: features that may only push one way
================================================

An auditor asks that more debt never improves a rating, and more income never harms it.  Which
features of an application matter under this condition, and do the data agree with it?

The applications are simulated: ratings C < B < A fall with debt and with late payments and rise
with income and years in the job; age has a best middle; branch and shoe size have nothing to do
with it.
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(7)
n = 600
X = pd.DataFrame(
    {
        "income": rng.lognormal(10, 0.5, n),
        "debt": rng.gamma(2, 5_000, n),
        "late_payments": rng.poisson(1.0, n),
        "years_in_job": rng.exponential(6, n),
        "age": rng.uniform(20, 75, n),
        "branch": rng.choice(["north", "south", "west"], n),
        "shoe_size": rng.normal(42, 2, n),
    }
)
worth = (
    np.log(X["income"])
    - X["debt"] / 12_000
    - 0.5 * X["late_payments"]
    + 0.05 * X["years_in_job"]
    - ((X["age"] - 48) / 20) ** 2 / 2
    + rng.normal(0, 0.5, n)
)
rating = pd.cut(
    worth, np.quantile(worth, [0, 0.3, 0.7, 1]), labels=["C", "B", "A"], include_lowest=True
)

# %%
# First the condition itself.  For every feature, the share of pairs of applicants in which the
# better value has the worse rating: 0 is perfect order, 0.5 is none.
from echelon.evaluation import monotonicity_violations

signs = {"income": 1, "debt": -1, "late_payments": -1, "years_in_job": 1}
found = monotonicity_violations(X[[*signs]], rating, monotonic_cst=list(signs.values()))
print(found.frame().round(2).to_string(index=False))

# %%
# All four are below 0.5, so the directions are those of the data.  Now the ranking, with these
# directions given and the other features free.
from echelon import ForwardAdditive, OReliefF

margins = OReliefF(monotonic_cst=signs).fit(X, rating)
print("selected:", ", ".join(margins.get_feature_names_out()))

# %%
# O-ReliefF selects the features that are significant, at a false discovery rate of 5 %.  Age is not
# selected; its effect is not monotone.
from echelon.display import ScoresDisplay

scores = ScoresDisplay.from_estimator(margins).plot()
scores.ax_.set_xlabel("z-score, directions given")

# %%
# What does a wrong condition cost?  ``ForwardAdditive`` says how much of the variance of the
# ratings a curve of each feature explains on applicants left out.  Free curves find the best
# middle of age; a curve that must rise finds less of it.
free = ForwardAdditive(random_state=0).fit(X, rating)
bound = ForwardAdditive(monotonic_cst={**signs, "age": 1}, random_state=0).fit(X, rating)
explained = pd.DataFrame(
    {"free": free.scores_, "directions given": bound.scores_}, index=X.columns
).sort_values("free")
ax = explained.plot.barh(xlabel="share of variance explained", color=["#8aa", "#257"])
ax.set_title("Age has a best middle, and loses if it must rise")

# %%
# **What to read.**  Given directions cost nothing where they are right, and help a little.  Where
# one is wrong, here age, the feature loses a part of what it had, and the bars show it.
#
# **Limits.**  Directions constrain one feature at a time, given the others; a real scorecard also
# needs reasons that people accept.  For two classes and features in bins, as scorecards are made,
# there is :class:`echelon.InformationValue`.
