"""
72 samples, 7,000 genes
=======================

Two kinds of tumour, 72 samples, 7,000 expression values, of which forty differ.  The level differs
from array to array, as it does before normalisation.  Which genes, and how far can the list be
trusted?
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(2)
n_genes = 7_000
kind = np.arange(72) % 2
level = rng.normal(0, 1, (72, 1))  # of the array, not of the tumour
values = rng.normal(0, 1, n_genes) + level + rng.normal(0, 1, (72, n_genes))
values[:, :40] += np.outer(kind, np.resize([1.6, -1.6], 40))
X = pd.DataFrame(values, columns=[f"gene {i}" for i in range(n_genes)])
y = np.where(kind, "type II", "type I")


def informative(genes):
    """How many of these genes differ between the tumours."""
    return sum(int(gene.split()[1]) < 40 for gene in genes)


# %%
# One gene at a time, with a p-value each: less than a second.
from echelon import RankCorrelation

single = RankCorrelation(threshold="fdr").fit(X, y)
genes = single.get_feature_names_out()
print(f"rank correlation selects {len(genes)}, {informative(genes)} of them informative")

# %%
# Every array has a level of its own, which blurs each gene.  Taking off the median of each array
# helps.
centred = X.sub(X.median(axis=1), axis=0)
single = RankCorrelation(threshold="fdr").fit(centred, y)
genes = single.get_feature_names_out()
print(f"rank correlation, centred, selects {len(genes)}, {informative(genes)} of them informative")

# %%
from echelon.display import ScoresDisplay

display = ScoresDisplay.from_estimator(single).plot(n_features=15)

# %%
# How far can the list be trusted?  Selected again on random subsamples of half of the samples:
from echelon.evaluation import selection_stability

stability = selection_stability(RankCorrelation(40), centred, y, n_resamples=20, random_state=0)
low, high = stability.confidence_interval
print(
    f"stability {stability.stability:.2f} ({low:.2f} to {high:.2f}; 0 is chance, 1 the same list)"
)

# %%
# What does not change with the level, either, is the *order* of genes within a sample.
# :class:`echelon.RankOrderClassifier` goes by it alone and needs no centring.  The genes are
# chosen inside the folds, on the raw values.
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from echelon import RankOrderClassifier

for name, model in (
    ("values", LogisticRegression(max_iter=1000)),
    ("order", RankOrderClassifier("kernel")),
):
    accuracy = cross_val_score(make_pipeline(RankCorrelation(20), model), X, y, cv=6).mean()
    print(f"20 genes, by their {name}: {accuracy:.2f} recognised")

# %%
# **What to read.**  What is done about the level matters more than the method.  With 7,000 columns
# something always looks good: trust a list only with an error rate, and a single gene only if
# other halves name it, too.
#
# **Limits.**  Simulated genes are independent, real ones come in pathways.  Selection by order,
# :class:`echelon.RankOrderSelector`, suits genes that trade places; asked for 40 of these 7,000 it
# found one, because genes of different levels are in the same order in all samples, informative or
# not.
