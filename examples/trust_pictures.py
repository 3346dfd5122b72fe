"""The pictures of docs/evaluation.md: ``python examples/trust_pictures.py`` draws them again."""

from pathlib import Path

import matplotlib as mpl
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from echelon import OrdinalDecomposition, OReliefF
from echelon.evaluation import feature_curve, rank_loss_scorer, selection_stability

IMAGES = Path(__file__).parent.parent / "docs" / "images"

if __name__ == "__main__":
    mpl.use("Agg")
    X, progression = load_diabetes(return_X_y=True, as_frame=True)
    grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    ranking = OReliefF(dominance="ignore", monotonic_cst="auto")
    model = OrdinalDecomposition(make_pipeline(StandardScaler(), LogisticRegression()))
    curve = feature_curve(ranking, model, X, grade, cv=10, scoring=rank_loss_scorer, random_state=0)
    curve.plot().figure_.savefig(IMAGES / "feature_curve.png", dpi=120)
    three = ranking.set_params(n_features_to_select=3)
    result = selection_stability(three, X, grade, random_state=0)
    result.plot().figure_.savefig(IMAGES / "stability.png", dpi=120)
