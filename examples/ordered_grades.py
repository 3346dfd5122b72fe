"""Which measurements predict the quality that experts gave to red wines?

The same data and the same answer as ``echelon demo`` and ``make demo``, from Python.
"""

from echelon import AutoSelector
from echelon.datasets import load_wine_quality

X, quality = load_wine_quality()
selector = AutoSelector(random_state=0).fit(X, quality)
selected = selector.get_feature_names_out()

print(f"{len(X):,} wines, {X.shape[1]} measurements, grades {quality.min()} to {quality.max()}")
print(f"Best first: {', '.join(X.columns[selector.order_])}")
print(f"Selected {len(selected)}: {', '.join(selected)}")
print(f"{selector.scoring_}, cross-validated: {selector.score_:.3f}")
for name, score in selector.baselines_.items():
    print(f"  {name}: {score:.3f}")

# selector.report("report.html") writes the page of the demo, with curves and stability.
