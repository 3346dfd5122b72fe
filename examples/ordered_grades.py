"""Which measurements go with the progression of diabetes, in five ordered grades?

The data come with scikit-learn.  Run it with ``make demo``.
"""

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_diabetes

from echelon import OReliefF
from echelon._core.files import write_whole
from echelon.report import summarize

X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
grade = grade.rename("progression of diabetes")

selector = OReliefF(dominance="ignore", monotonic_cst="auto", random_state=0)
selector.fit(X, grade)

arrows = {1: "rises with the grade", -1: "falls with the grade", 0: "no direction"}
table = Table(title=f"{len(X)} patients, {X.shape[1]} measurements, 5 ordered grades")
for heading, justify in (("rank", "right"), ("feature", "left"), ("score", "right")):
    table.add_column(heading, justify=justify)
table.add_column("direction")
table.add_column("kept", justify="center")
for f in selector.order_:
    kept = selector.support_[f]
    table.add_row(
        str(selector.ranking_[f]),
        X.columns[f],
        f"{selector.scores_[f]:.4f}",
        arrows[int(selector.monotonic_cst_[f])],
        "yes" if kept else "",
        style="bold" if kept else "dim",
    )

console = Console()
console.print(table)
console.print(
    f"Kept: the {selector.support_.sum()} features that score more than {selector.threshold_:.4f}, "
    "the best score after the grades were shuffled."
)

report = summarize(X, grade, selector, source="scikit-learn's diabetes data, in five grades")
console.print("\nHow many features a model gains from is another question:")
console.print(report.summary()["answer"]["sentence"], style="bold")
console.print(report.summary()["answer"]["evidence"])
# A demo may replace what it wrote before; nothing else is called this.
path = write_whole("demo-report.html", report.to_html(), overwrite=True)
console.print(f"\nThe report: {path}", soft_wrap=True)
