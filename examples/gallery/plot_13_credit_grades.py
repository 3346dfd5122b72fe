"""
Credit grades under monotone constraints
========================================

A regulator asks that a better application never gets a worse grade.  Do past grades keep to this,
which applications contradict each other, and what does a model lose that respects it?

The data are 1,000 loans of a German bank, 300 of them bad risks.  A longer or larger loan is never
safer, all else equal; more savings, or a longer time in the job, never riskier.  The codes of both
have an order; an unknown amount of savings is a missing value.  The balance of the current account
is left without an order, since one of its codes, no account, has no place in it.
"""

import numpy as np
import pandas as pd

from echelon.datasets import load_german_credit

loans, risk = load_german_credit()
signs = {"duration": -1, "credit_amount": -1, "savings": 1, "employment": 1}
X = loans[["status", *signs]].copy()
X["savings"] = X["savings"].replace("A65", None)
for name in ("savings", "employment"):
    X[name] = pd.Categorical(X[name], sorted(X[name].dropna().unique()), ordered=True)

# %%
# First the contradictions.  One application dominates another if no feature is worse; if it turned
# out to be the worse risk all the same, neither grade is certain.
from echelon import DominanceRoughSet

selector = DominanceRoughSet(monotonic_cst=signs).fit(X, risk)
print(f"{selector.quality_:.0%} of the applications are contradicted by no other")
print(selector.frame().round(2).to_string(index=False))

# %%
# Most are contradicted: what the bank knew does not tell bad risks from good ones with certainty.
# ``explain`` names the applications behind a doubt.
uncertain = np.flatnonzero(selector.lowest_class_ != selector.highest_class_)
first = int(uncertain[0])
print(X.assign(risk=risk).loc[[first, *selector.explain(first)["sample"][:3]]].to_string())

# %%
# Every further feature resolves contradictions, and leaves fewer pairs that can be compared at all.
# Noise does so, too: quality alone says nothing about held-out applications.
import matplotlib.pyplot as plt

lottery = np.random.default_rng(0).permutation(len(X))
noise = DominanceRoughSet(monotonic_cst={**signs, "lottery": 1}).fit(
    X.assign(lottery=lottery), risk
)
names = noise.feature_names_in_[noise.order_]
figure, axes = plt.subplots()
axes.plot(noise.path_.value, "o-", color="#257")
axes.set_xticks(range(len(names)), [f"+ {name}" for name in names], rotation=20)
axes.set(ylabel="quality", title="A lottery number resolves contradictions, by chance")
figure.tight_layout()

# %%
# Which loans should be looked at again?  The least relabelling names as few as possible; it needs
# features without missing values.
from echelon.monotone import relabel_monotone

others = {name: sign for name, sign in signs.items() if name != "savings"}
mended = relabel_monotone(X.drop(columns="savings"), risk, monotonic_cst=others)
print(mended.sentence())
print(mended.frame().head(5).to_string())

# %%
# Now the model.  ``AutoSelector`` evaluates features by models that respect the directions, and
# says what that costs.
from echelon import AutoSelector

chosen = AutoSelector(monotonic_cst=signs, random_state=0).fit(X, risk)
print("selected:", ", ".join(chosen.get_feature_names_out()))
print(f"held-out MAE {chosen.score_:.3f} classes; baseline {chosen.baselines_['guess']:.3f}")
print(chosen.directions_.drop(columns="p_value").round(3).to_string(index=False))

# %%
# **What to read.**  The data agree with all four directions.  ``broken`` is the share of pairs that
# speak against a direction, one feature at a time; with so much left to chance it is far from 0.
# ``cost`` is what respecting the direction costs, in classes per application: here nothing, since
# the free model, a linear one, has the stated signs anyway.
#
# The four questions are different ones.  Contradictions and the least relabelling describe the
# table, and name cases to look at again; a reduct or a small relabelling is no evidence that a
# feature predicts.  That takes held-out applications, as in the last step.
