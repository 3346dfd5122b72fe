"""The examples of the gallery run, and find what their pages say."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
EXAMPLES = sorted(path.stem.removeprefix("plot_") for path in GALLERY.glob("plot_*.py"))


def grades(seen):
    selector = seen["selector"]
    names = set(selector.get_feature_names_out())
    assert set(seen["X"].columns[selector.order_[:3]]) == {
        "alcohol", "sulphates", "volatile_acidity"
    }  # fmt: skip
    assert (len(names), seen["X"].shape[1]) == (7, 11)
    curve = selector.curves_["consensus"]
    assert (curve.best_size, curve.one_se_size) == (8, 5)
    assert abs(selector.score_ - selector.baselines_["all features"]) < selector.score_error_
    assert selector.score_ + 5 * selector.score_error_ < selector.baselines_["guess"]
    assert seen["quality"].between(5, 7).mean() > 0.9


def doubt(seen):
    often = {name for name, share in seen["frequency"].items() if share > 0.9}
    assert often == {"bmi", "s5", "bp", "s4", "s3"}
    seldom = set(seen["frequency"]) - often - {"sex", "s6"}
    assert all(0.2 < seen["frequency"][name] < 0.8 for name in ("sex", "s6"))
    assert all(seen["frequency"][name] < 0.2 for name in seldom)
    answers = [seen["selector"], *seen["answers"]]
    sizes = [len(each.get_feature_names_out()) for each in answers]
    assert (min(sizes), max(sizes)) == (6, 10)
    scores = [each.score_ for each in answers]
    assert max(scores) - min(scores) < seen["selector"].score_error_


def credit(seen):
    assert seen["found"].frame()["violations"].max() < 0.5
    assert set(seen["margins"].get_feature_names_out()) == set(seen["signs"])
    explained = seen["explained"]
    change = explained["directions given"] / explained["free"]
    assert change["age"] < 0.8
    assert change[list(seen["signs"])].min() > 1


def survey(seen):
    table = seen["table"].query("feature == 'price' and kind == 'upward'").set_index("value")
    above = table["factor"] > table["high"]
    assert above[[2, 3, 4, 5]].tolist() == [True, False, False, True]
    assert np.argmin(seen["ranking"].scores_) == 3


def interchangeable(seen):
    expected = ["strong"] * 2 + ["weak"] * 4 + ["irrelevant"] * 3
    assert seen["selector"].relevance_.tolist() == expected
    assert seen["selector"].feature_groups() == [["heat 1", "heat 2"], ["speed 1", "speed 2"]]
    assert seen["without"].relevance_[3] == "strong"


def how_many(seen):
    curve = seen["selector"].curve_
    assert curve.one_se_size <= curve.best_size <= 8
    assert not any("noise" in name for name in seen["selector"].get_feature_names_out())
    error = -curve.frame().set_index("n_features")["mean_score"]
    assert error[1] > error[2] + 0.05
    assert error[40] > error[5] + 0.05


def chance(seen):
    assert seen["result"].support.tolist() == [True] * 5 + [False] * 55
    assert not seen["nothing"].support.any()
    assert seen["RReliefF"]().fit(seen["X"], seen["y"]).support_[5:].sum() > 15


def repeated(seen):
    assert seen["rows"].mean_scores[-1] > 0.9
    assert max(seen["whole"].mean_scores) < 0.7
    assert seen["selector"].get_feature_names_out().tolist() == ["marker"]


def weather(seen):
    assert seen["selector"].get_feature_names_out().tolist() == ["pressure", "wind"]


def genes(seen):
    assert seen["informative"](seen["genes"]) == 40
    assert len(seen["genes"]) <= 46
    assert seen["accuracy"] > 0.9
    assert seen["stability"].stability > 0.5


def numbers(seen):
    kept = {name: set(each.get_feature_names_out()) for name, each in seen["views"].items()}
    assert kept["RankCorrelation"] == kept["ForwardLinear"] == {"carbon"}
    assert kept["ForwardAdditive"] == {"carbon", "heat"}
    assert kept["RReliefF"] == {"carbon", "heat", "time", "tempering"}
    assert set(seen["refitted"].get_feature_names_out()) == kept["RReliefF"]


def pipeline(seen):
    scores = seen["scores"].mean(axis=1)
    assert scores[6] > scores[53] > scores[1]
    assert "region" in seen["ReliefF"](4).fit(seen["mixed"], seen["y"]).get_feature_names_out()


def million(seen):
    spread = seen["spread"]
    assert (spread[1:] < 0.8 * spread[:-1]).all()
    assert sorted(np.argsort(-seen["last"])[:5].tolist()) == [0, 1, 2, 3, 4]


def credit_grades(seen):
    assert seen["noise"].quality_ > seen["selector"].quality_
    assert seen["noise"].comparable_ < seen["selector"].comparable_
    assert 0 < seen["mended"].n_changed < seen["mended"].contradicted.sum()
    assert seen["selector"].quality_ < 0.2
    explained = seen["selector"].explain(seen["first"])
    assert set(explained["relation"]) == {"is dominated"}
    found = seen["chosen"].directions_
    assert found["agrees"].all()
    assert seen["chosen"].model_ == "linear"
    assert (found["cost"].dropna() == 0).all()
    assert seen["chosen"].score_ < seen["chosen"].baselines_["guess"]


CLAIMS = dict(zip(EXAMPLES, [grades, credit, survey, interchangeable, how_many, chance, repeated,
                             weather, genes, numbers, pipeline, million, credit_grades, doubt],
                  strict=True))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_shows_what_its_page_says(example):
    with mpl.rc_context():
        mpl.use("Agg")
        seen = runpy.run_path(str(GALLERY / f"plot_{example}.py"))
        assert plt.get_fignums(), "every example has a picture"
        plt.close("all")
    CLAIMS[example](seen)
