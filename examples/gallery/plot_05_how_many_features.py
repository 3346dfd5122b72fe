"""
How many features should I select?
==================================

A ranking has no end.  Where to cut it?  The data are 442 patients in five grades of a disease,
with thirty columns of noise beside their ten measurements.
"""

import numpy as np
import pandas as pd

from echelon.datasets import load_grades

X, grade = load_grades()
rng = np.random.default_rng(0)
noise = pd.DataFrame(rng.normal(size=(len(X), 30)), columns=[f"noise {i}" for i in range(30)])
X = pd.concat([X, noise], axis=1)

# %%
# :class:`echelon.CurveSelector` scores a model with the best 1, 2, 3, ... features.  In every fold
# the features are ranked again, on the training rows only: ranking once on all rows is the classic
# mistake, and promises too much.
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from echelon import CurveSelector, OrdinalDecomposition, RankCorrelation
from echelon.evaluation import rank_loss_scorer

selector = CurveSelector(
    RankCorrelation(),
    OrdinalDecomposition(make_pipeline(StandardScaler(), LogisticRegression())),
    rule="one_se",
    sizes=[1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40],
    scoring=rank_loss_scorer,
    random_state=0,
).fit(X, grade)
print("best size:", selector.curve_.best_size)
print("within one standard error of it:", selector.curve_.one_se_size)
print("selected:", ", ".join(selector.get_feature_names_out()))

# %%
# The best size is the maximum of a bumpy curve, partly luck.  The rule of one standard error takes
# the smallest size whose loss against it is within one standard error of that loss, fold by fold.
display = selector.curve_.plot()

# %%
# **What to read.**  The error (here negative: higher is better) falls steeply to two features, a
# little more to five, and rises again with the noise.  Where the curve is flat, fewer features
# cost nothing that can be measured.
#
# **Limits.**  With few samples the standard error is wide, and its rule gives away more than you
# may like; ``selector.curve_.smallest_within(0.01)`` selects what loses at most so much.  The score
# at the chosen size is a maximum and a little too good: for an honest figure cross-validate the
# Pipeline with the selector in it.
