"""
Would chance do as well?
========================

Something always comes first.  200 samples, 60 features, of which five matter: which scores could
not have come about by chance?
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(3)
X = pd.DataFrame(rng.normal(size=(200, 60)), columns=[f"x{i}" for i in range(60)])
latent = X.iloc[:, :5].sum(axis=1) + 1.5 * rng.normal(size=200)
y = pd.qcut(latent, 4, labels=False)
relevant = X.columns[:5]


def kept(support):
    """Selected features, the relevant ones and the others counted."""
    right = X.columns[support].isin(relevant)
    return f"{right.sum()} of 5 relevant, {(~right).sum()} of 55 noise"


# %%
# Relief's own rule is a score above 0.  Noise is above 0 half of the time.
from echelon import RReliefF

print("score > 0:          ", kept(RReliefF().fit(X, y).support_))

# %%
# Relief methods know the mean and variance of a score under permutation, exactly and without
# permuting, hence p-values; ``threshold`` asks for an error rate.
print("false discoveries 5%:", kept(RReliefF(threshold="fdr").fit(X, y).support_))
print("any noise at all 5%: ", kept(RReliefF(threshold="family").fit(X, y).support_))

# %%
# For any selector, ours or not, ``null_threshold`` permutes: what do the scores reach if the
# classes have nothing to do with the features?
from echelon import RankCorrelation
from echelon.evaluation import null_threshold

result = null_threshold(RankCorrelation(), X, y, n_permutations=199, random_state=0)
print("permuted, any 5%:    ", kept(result.support))
print("permuted, fdr 5%:    ", kept(result.judged(control="fdr").support))

# %%
display = result.plot(n_features=15)

# %%
# And the control: the classes shuffled.  Nothing passes.
shuffled = rng.permutation(y)
nothing = null_threshold(RankCorrelation(), X, shuffled, n_permutations=199, random_state=0)
print("shuffled classes:    ", kept(nothing.support))

# %%
# **What to read.**  Grey bars are what chance reaches, the dashed line is what it exceeds in 5 %
# of tables.  ``"family"`` is for when one wrong feature is one too many, ``"fdr"`` for a list that
# will be looked at again.
#
# **Limits.**  That a feature does not pass does not make it useless: 200 samples are few.  Once
# some features are relevant, the others are evaluated by what they would score if none were.
# p-values of Relief are approximate in the far tail, above all with classes of unequal size; the
# page on error rates says where.
