"""
Days as intervals: which measurements tell the weather?
=======================================================

A station reports every hour, the outcome is per day: calm or storm.  The daily mean hides the
gusts, minimum and maximum as two columns lose that they belong together.  Which measurements tell
the days apart, as intervals?
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
hours = pd.date_range("2024-01-01", periods=24 * 120, freq="h")
storm = rng.random(120) < 0.35
stormy = np.repeat(storm, 24)
weather = pd.DataFrame(
    {
        "temperature": 10 + 6 * np.sin(2 * np.pi * hours.hour / 24) + rng.normal(0, 3, len(hours)),
        "pressure": 1013 - 8 * stormy + rng.normal(0, 4, len(hours)),
        "wind": np.abs((3 + 6 * stormy) * rng.normal(size=len(hours))),
        "humidity": np.clip(70 + rng.normal(0, 12, len(hours)), 20, 100),
    }
)
y = np.where(storm, "storm", "calm")

# %%
# From hours to days: one interval per day and measurement, from the 5 % to the 95 % quantile, so
# that one bad reading moves nothing.
from echelon import IntervalRelief, intervals_from_groups

X = intervals_from_groups(weather, by=hours.date, how=(0.05, 0.95))
print(X.iloc[0].map(lambda day: f"{day.left:.1f} to {day.right:.1f}").to_dict())

# %%
selector = IntervalRelief(threshold="shuffle", random_state=0).fit(X, y)
print(dict(zip(X.columns, selector.scores_.round(2).tolist(), strict=True)))
print("selected:", ", ".join(selector.get_feature_names_out()))

# %%
# The mean interval of either kind of day, over the spread of the data.
from echelon.display import IntervalDisplay

display = IntervalDisplay.from_estimator(selector, X, y).plot()

# %%
# The daily means alone would lose most of the wind: its mean differs, but its reach differs more.
# And without any labels, days fall into the two kinds by the selected intervals:
from echelon import IntervalKMeans
from echelon.evaluation import clustering_accuracy

clusters = IntervalKMeans(n_clusters=2, random_state=0).fit_predict(selector.transform(X))
print(f"days in the right cluster: {clustering_accuracy(y, clusters):.2f}")

# %%
# **What to read.**  Wind differs in its upper end, pressure is lower as a whole; temperature and
# humidity have the same interval on either kind of day.
#
# **Limits.**  Classes without an order.  A mean interval stands for its class: classes of several
# kinds of days want ``margin="nearest"``.  The days here are independent of each other; real ones
# are not.
