"""Which measurements go with the progression of diabetes, in five ordered grades?

The same data and the same answer as ``echelon demo`` and ``make demo``, from Python.
"""

from echelon import AutoSelector
from echelon.datasets import load_grades
from echelon.report import summarize

X, grade = load_grades()
selector = AutoSelector(random_state=0).fit(X, grade)
kept = selector.get_feature_names_out()

print(f"{len(X)} patients, {X.shape[1]} measurements, 5 ordered grades")
print(f"Best first: {', '.join(X.columns[selector.order_])}")
print(f"Keep {len(kept)}: {', '.join(kept)}")
print(f"{selector.scoring_}, on patients that had no say: {selector.score_:.3f}")
for name, score in selector.baselines_.items():
    print(f"  {name}: {score:.3f}")

# The same as a page, with curves, stability and every feature in every grade.
report = summarize(X, grade, AutoSelector(), random_state=0)
assert report.summary()["answer"]["keep"] == [X.columns[f] for f in selector.order_[: len(kept)]]
