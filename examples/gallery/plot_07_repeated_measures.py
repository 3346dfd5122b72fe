"""
Several rows per patient
========================

60 patients were seen four times each.  Rows of one patient are alike, also in features that have
nothing to do with the disease.  Folds that tear patients apart then reward what recognises the
*patient*.  How do I keep patients together?
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
patient = np.repeat(np.arange(60), 4)
stage = rng.integers(0, 3, 60)[patient]  # a patient's stage does not change
columns = {"marker": stage + rng.normal(0, 1, 240)}
for i in range(8):  # a level per patient, and little else
    columns[f"habit {i}"] = rng.normal(size=60)[patient] + 0.1 * rng.normal(size=240)
X = pd.DataFrame(columns)

# %%
# The same question twice: folds of rows, and folds of whole patients.
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from echelon import ReliefF
from echelon.evaluation import feature_curve

model = ExtraTreesClassifier(30, random_state=0)
sizes = [1, 2, 3, 5, 7, 9]
rows = feature_curve(
    ReliefF(),
    model,
    X,
    stage,
    sizes=sizes,
    random_state=0,
    n_jobs=1,
    cv=StratifiedKFold(5, shuffle=True, random_state=0),
)
whole = feature_curve(
    ReliefF(),
    model,
    X,
    stage,
    sizes=sizes,
    groups=patient,
    random_state=0,
    n_jobs=1,
    cv=StratifiedGroupKFold(5, shuffle=True, random_state=0),
)

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
for label, curve in (("row-wise folds", rows), ("whole patients", whole)):
    table = curve.frame()
    ax.plot(table["n_features"], table["mean_score"], marker="o", label=label)
ax.axhline(np.bincount(stage).max() / len(stage), ls=":", color="grey", label="baseline")
ax.set(
    xlabel="features", ylabel="accuracy", title="Folds of rows recognise patients", ylim=(0, 1.05)
)
_ = ax.legend()

# %%
# :class:`echelon.AutoSelector` takes ``groups``, too, and so do ``selection_stability`` and
# reports; the command has ``--groups``.
from echelon import AutoSelector

selector = AutoSelector(random_state=0).fit(X, stage, groups=patient)
print("selected:", ", ".join(selector.get_feature_names_out()))
print(f"{selector.score_:.2f} classes off, baseline {selector.baselines_['guess']:.2f}")

# %%
# **What to read.**  With row-wise folds, eight features give near-perfect accuracy; on new
# patients they are worth nothing.  The lower curve is the one that counts.
#
# **Limits.**  Groups keep the *evaluation* honest.  The ranking itself still counts rows:
# neighbours of a row are mostly rows of the same patient, and p-values take rows for independent.
# With few rows per patient, average them first.
