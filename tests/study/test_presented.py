"""What a fitted ``AutoSelector`` shows: a table, a notebook's HTML, a plot."""

import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from echelon import AutoSelector
from echelon.report import fragment, summarize

HOSTILE = ["<script>alert(1)</script>", "</td></table><img src=x onerror=alert(1)>", "a\u202eb"]


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    z = rng.normal(size=90)
    X = pd.DataFrame({HOSTILE[0]: z, HOSTILE[1]: rng.normal(size=90), HOSTILE[2]: -z,
                      "home": np.where(rng.random(90) < 0.5, "x", "y")})  # fmt: skip
    y = pd.Series(np.where(z + 0.3 * rng.normal(size=90) > 0, "yes", "no"))
    return AutoSelector(cv=3, random_state=0).fit(X, y)


class Tags(HTMLParser):
    """The tags and attributes of a piece of HTML, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.depth = set(), set(), "", 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.depth += tag not in ("line", "circle", "polygon", "polyline")

    def handle_endtag(self, tag):
        self.depth -= tag not in ("line", "circle", "polygon", "polyline")

    def handle_data(self, data):
        self.text += data


def test_a_notebook_shows_the_answer(fitted):
    page = fitted._repr_mimebundle_()["text/html"]
    found = Tags(page)
    assert found.depth == 0, "every element is closed"
    assert fitted._described["words"]["answer"] in found.text
    assert "features" in found.text
    assert page == fitted._repr_html_()


def test_a_bar_shows_the_loss_of_every_selected_feature(fitted):
    """The longest one is of the largest loss."""
    losses = fitted.summary()["loss"].dropna()
    assert len(losses) == fitted.support_.sum() > 0
    widths = [int(width) for width in re.findall(r'class="bar" style="width: (\d+)px"',
                                                 fitted._repr_html_())]  # fmt: skip
    assert widths == [round(80 * max(0, loss) / losses.max()) for loss in losses]


def test_it_is_self_contained_and_escaped(fitted):
    page = fitted._repr_html_()
    found = Tags(page)
    assert not found.tags & {"script", "img", "link", "iframe"}
    assert not {name for name in found.attributes if name.startswith("on")}
    assert not found.attributes & {"src", "href"}
    assert not re.search(r"url\(|@import|https?:", page)
    assert "\u202e" not in page
    assert HOSTILE[0] in found.text


def test_before_the_fit_scikit_learn_shows_its_diagram(fitted):
    page = AutoSelector()._repr_mimebundle_()["text/html"]
    assert "sk-" in page
    assert 'echelon">' not in page
    with config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
        assert not hasattr(fitted, "_repr_html_")


def test_a_pickled_selector_shows_what_it_can(fitted):
    fresh = AutoSelector(cv=2, random_state=0).fit(np.eye(20)[:, :3] + np.arange(20)[:, None],
                                                   np.arange(20.0))  # fmt: skip
    copy = pickle.loads(pickle.dumps(fresh))
    assert "text/html" in copy._repr_mimebundle_()
    assert copy.summary()["feature"].tolist() == fresh.summary()["feature"].tolist()
    known = pickle.loads(pickle.dumps(fitted))
    assert known._repr_html_() == fitted._repr_html_()
    with pytest.raises(ValueError, match="does not hold its data"):
        copy.plot()


def test_summary_is_a_table(fitted):
    table = fitted.summary()
    assert table.columns.tolist() == ["rank", "feature", "loss", "trend", "selected", "reason"]
    assert table["selected"].sum() == fitted.support_.sum()
    names = fitted.feature_names_in_[fitted.order_].tolist()
    assert table["feature"].tolist() == names
    assert table.set_index("feature").loc[HOSTILE[0], "trend"] > 0.5, "towards the second class"
    assert table.set_index("feature").loc[HOSTILE[2], "trend"] < -0.5
    assert np.isnan(table.set_index("feature").loc["home", "trend"])
    fitted.report(n_resamples=2)
    assert "selection_frequency" in fitted.summary()


def test_plot(fitted):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    scores, curve = fitted.plot()
    assert scores.get_xlabel() in ("loss", "score")
    assert curve.get_xlabel() == "features selected"
    plt.close(curve.figure)


# ---------------------------------------------------------------------------------- reasons


def test_reasons_are_those_of_the_facts():
    rng = np.random.default_rng(0)
    z = rng.normal(size=120)
    X = pd.DataFrame({"signal": z, "copy": z, "noise": rng.normal(size=120), "same": 1.0})
    selector = AutoSelector(cv=3, random_state=0).fit(X, z + 0.5 * rng.normal(size=120))
    said = selector.summary().set_index("feature")["reason"]
    chosen, other = ("signal", "copy") if selector.support_[0] else ("copy", "signal")
    assert said[chosen].startswith("selected: ranked 1")
    assert said[other] == f"not selected: a copy of {chosen}"
    assert said["same"] == "not selected: constant"
    report = selector.report(n_resamples=2).summary()
    said = dict(zip([row["name"] for row in report["features"]], report["words"]["reasons"],
                    strict=True))  # fmt: skip
    assert re.match(r"selected: without it R² falls by \d", said[chosen])
    assert re.match(r"not selected: with it R² ", said["noise"])


def test_p_values_are_those_of_the_method_and_adjusted():
    from scipy.stats import false_discovery_control

    from echelon import RankCorrelation

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 5)), columns=list("abcde"))
    y = X["c"] + rng.normal(size=80)
    summary = summarize(X, y, RankCorrelation(), n_resamples=0, cv=2).summary()
    found = {row["name"]: (row["p_value"], row["p_adjusted"]) for row in summary["features"]}
    p_values = RankCorrelation().fit(X, y).p_values_
    expected = zip(p_values, false_discovery_control(p_values), strict=True)
    assert found == {name: pytest.approx(pair) for name, pair in zip(X, expected, strict=True)}
    assert "echelon" in fragment(summary)
