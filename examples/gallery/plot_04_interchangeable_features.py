"""
Which features can replace each other?
===========================================

Two sensors measure the same thing.  A model uses one and ignores the other, and which one is an
accident.  Which features are indispensable, which have a substitute, and which are noise?

Simulated: two features that nothing replaces, two pairs of substitutes, three columns of noise.
"""

import pandas as pd

from echelon.datasets import make_relevance

values, y = make_relevance(
    n_samples=200,
    n_strong=2,
    n_weak=4,
    n_irrelevant=3,
    weak_groups=[2, 2],
    noise=0.3,
    random_state=0,
)
names = ["pressure", "flow", "heat 1", "heat 2", "speed 1", "speed 2", "dust", "hum", "light"]
X = pd.DataFrame(values, columns=names)

# %%
# A ranking by importance hides it: the two halves of a pair share their merit, and each looks
# dispensable.
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

model = LogisticRegression(max_iter=1000).fit(X, y)
importance = permutation_importance(model, X, y, random_state=0).importances_mean
print(pd.Series(importance, names).round(2).to_dict())

# %%
# :class:`echelon.RelevanceBounds` asks how small and how large the weight of a feature can be
# among *all* linear models that are about as good as the best.
from echelon import RelevanceBounds

selector = RelevanceBounds(random_state=0).fit(X, y)
for name, relevance in zip(names, selector.relevance_, strict=True):
    print(f"{name:10} {relevance}")
print("could replace each other:", selector.feature_groups())

# %%
from echelon.display import BoundsDisplay

display = BoundsDisplay.from_estimator(selector).plot()

# %%
# What if a sensor is not bought?  ``fixed`` sets its weight to 0, and its twin becomes
# indispensable.
without = RelevanceBounds(
    fixed={"heat 1": 0.0}, C=selector.C_, tolerance=selector.tolerance_, random_state=0
).fit(X, y)
print("heat 2, without heat 1:", without.relevance_[names.index("heat 2")])

# %%
# **What to read.**  A bar that begins at 0 has a substitute; one that begins above 0 has none; one
# that ends below the mark of noise does nothing.  Select pressure and flow, and one of each pair:
# the cheaper one.
#
# **Limits.**  Linear models of ordered classes, two classes or a continuous target, and complete
# numbers only.  A feature with a nonlinear effect may look like noise.  Beside a strong feature,
# noise that is correlated 0.9 with it was called relevant in 4 to 20 % of cases at a nominal 5 %.
