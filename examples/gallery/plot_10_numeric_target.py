"""
The target is a number
======================

Strength of an alloy, price of a house, progression of a disease: which features are related to a
continuous target, including those that matter only in combination?

Simulated: strength increases linearly with carbon, is largest at medium heat, and depends on time
and tempering only through their interaction; neither has an effect on its own.
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
names = ["carbon", "heat", "time", "tempering"] + [f"trace {i}" for i in range(8)]
X = pd.DataFrame(rng.random((500, 12)), columns=names)
strength = (
    X["carbon"]
    - 4 * (X["heat"] - 0.5) ** 2
    + 5 * (X["time"] - 0.5) * (X["tempering"] - 0.5)
    + 0.1 * rng.normal(size=500)
)

# %%
# Four methods on the same data.
from echelon import ForwardAdditive, ForwardLinear, RankCorrelation, RReliefF

views = {
    "RankCorrelation": RankCorrelation(),
    "ForwardLinear": ForwardLinear(random_state=0),
    "ForwardAdditive": ForwardAdditive(random_state=0),
    "RReliefF": RReliefF(threshold="fdr"),
}
for name, selector in views.items():
    selector.fit(X, strength)
    print(f"{name:16} selects {', '.join(selector.get_feature_names_out())}")

# %%
import matplotlib.pyplot as plt

shares = pd.DataFrame(
    {name: selector.scores_ / selector.scores_.max() for name, selector in views.items()},
    index=names,
)
fig, ax = plt.subplots(layout="constrained")
ax.imshow(shares.T.clip(lower=0), cmap="Blues", vmin=0, vmax=1)
ax.set(
    xticks=range(12), yticks=range(4), yticklabels=shares.columns, title="Scores, best feature = 1"
)
_ = ax.set_xticklabels(names, rotation=60, ha="right")

# %%
# **What to read.**  Rank correlation and the linear model find the linear effect and miss the
# others.  The additive model also finds heat.  Only RReliefF, which compares neighbours, finds the
# interaction.
#
# **Limits.**  More flexible methods need more samples: with 100 rows RReliefF would not find the
# interaction.  None of these scores says how much a model gains from the features;
# :class:`echelon.CurveSelector` evaluates them with a model.
from sklearn.ensemble import ExtraTreesRegressor

from echelon import CurveSelector

trees = ExtraTreesRegressor(30, random_state=0)
refitted = CurveSelector(RReliefF(), trees, "one_se", sizes=[1, 2, 3, 4, 5, 6, 12], random_state=0)
refitted.fit(X, strength)
print(f"evaluated by trees: {', '.join(refitted.get_feature_names_out())}")
