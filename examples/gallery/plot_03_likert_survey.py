"""
A survey: which answers move the overall verdict?
=================================================

500 guests graded staff, price, delivery and parking from 1 to 5, and how content they were.  A
ranking says which question matters.  The owner wants to know more: does a *better* price delight,
or does only a *bad* one annoy?
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
grades = np.clip(np.rint(rng.normal(3.2, 1.1, (500, 4))), 1, 5).astype(int)
X = pd.DataFrame(grades, columns=["staff", "price", "delivery", "parking"])
content = 0.9 * X["staff"] + 1.5 * (X["price"] == 5) - 1.5 * (X["price"] == 1)
content += 0.5 * X["delivery"].clip(upper=3) + 0.7 * rng.normal(size=500)
y = pd.cut(content, 5, labels=False)

# %%
# :class:`echelon.OrdEval` compares every guest with the most similar ones: when a grade steps up
# to 5, how often does the verdict step up, too?
from echelon import OrdEval
from echelon.display import OrdEvalDisplay

analysis = OrdEval(random_state=0).fit(X, y)
display = OrdEvalDisplay.from_estimator(analysis).plot()

# %%
# The same as a table, for price.  ``high`` is what the same pairs say of shuffled grades: the
# whisker.
table = analysis.frame()
print(table[table["feature"] == "price"].round(2).to_string(index=False))

# %%
# **What to read.**  Full bars are above chance.  Staff counts at nearly every grade.  Price counts
# at its ends:  a 5 delights, a 1 annoys, and in between nothing moves.  Delivery counts up to 3:
# faster is not noticed.  Parking is noise.
#
# **Limits.**  These are shares of steps among similar guests, not causes.  Grades that few people
# gave have long whiskers.  2 to 3 % of the bars of noise are full.  OrdEval selects nothing; for a
# ranking of the questions take :class:`echelon.OReliefF`.
from echelon import OReliefF

ranking = OReliefF().fit(X, y)
print(dict(zip(X.columns, ranking.scores_.round(1).tolist(), strict=True)))
