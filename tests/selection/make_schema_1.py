"""Writes ``schema-1.json``, the example of schema 1 that every later version must read.

Run once, when the schema was made; a change of the schema gets an example of its own.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from echelon import AutoSelector

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    income = rng.normal(size=80)
    X = pd.DataFrame(
        {
            "income": income.round(3),
            "home": np.where(rng.random(80) < 0.5, "own", "rent"),
            "noise": rng.normal(size=80).round(3),
        }
    )
    grade = pd.Series(np.array(["low", "medium", "high"])[np.digitize(income, [-0.5, 0.5])])
    selector = AutoSelector(class_order=["low", "medium", "high"], cv=3, random_state=0)
    text = selector.fit(X, grade.rename("grade")).to_json()
    Path(__file__).with_name("schema-1.json").write_text(text, encoding="utf-8")
