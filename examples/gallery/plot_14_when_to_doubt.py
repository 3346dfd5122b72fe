"""
When should a selection be doubted?
===================================

442 patients, ten measurements, and the progression of diabetes in five grades.  The selected
features predict the grade clearly better than the baseline.  Is it also clear which they are?
"""

from echelon import AutoSelector
from echelon.datasets import load_grades

X, grade = load_grades()
selector = AutoSelector(random_state=0).fit(X, grade)
print(f"{selector.scoring_}: {selector.score_:.2f}, baseline {selector.baselines_['guess']:.2f}")

# %%
# **Another seed.**  Other folds select from 6 to 10 features, with nearly the same error.
answers = [AutoSelector(random_state=seed).fit(X, grade) for seed in range(1, 5)]
for each in (selector, *answers):
    names = each.get_feature_names_out()
    print(f"{each.score_:.2f} with {len(names):2}: {', '.join(names)}")

# %%
# **Other patients.**  How often is each feature selected on subsamples of half of the patients?
summary = selector.report(n_resamples=20).summary()
frequency = {row["name"]: row["stability"] for row in summary["features"]}
print("Stability:", summary["words"]["lines"]["Stability"])

# %%
# Five features are selected in every subsample, two in about every second one: these data do not
# tell whether they are needed.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
colours = ["C0" if name in summary["answer"]["keep"] else "0.7" for name in frequency]
axes.barh(list(frequency), list(frequency.values()), color=colours)
axes.invert_yaxis()
axes.set_xlabel("selection frequency in subsamples (blue: selected on all patients)")
axes.set_title("Five features are certain; sex and s6 are not")

# %%
# **What to read.**  bmi, s5, bp, s4 and s3 can be reported.  For s6, which is selected, and sex,
# which is not, report the selection frequency; for the number of features, the range over seeds.
# The score does not depend on it.
#
# **Limits.**  A high frequency says that other samples of this population would lead to the same
# features, not that these cause anything.  The grades are a continuous outcome cut into fifths,
# which loses information: with the outcome itself, a regression would be the first choice.
