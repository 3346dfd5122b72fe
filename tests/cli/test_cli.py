"""The command as a user meets it: its answers, and that the pages show them."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call
from echelon import OReliefF
from echelon.cli import _rank
from echelon.cli._options import Common
from echelon.cli._prepare import prepare
from echelon.study import filled, with_labels_split


def test_rank_prints_the_answer_and_what_it_did(credit, capsys):
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER)
    assert (done.code, done.err) == (0, "")
    assert "credit.csv: 90 rows, 4 features; grade: low < medium < high" in done.out
    assert re.search(r"^ +1 +income .* rises 0.\d\d +yes", done.out, re.MULTILINE)
    assert re.search(r"^ +\d +debt .* falls 0.\d\d", done.out, re.MULTILINE)
    assert "AutoSelector aggregates rankings that use their order." in done.out
    assert re.search(r"^Linear model +0\.\d+ with all features", done.out, re.MULTILINE)
    assert re.search(r"^Model +random forest", done.out, re.MULTILINE)
    assert "Selected 1 of 4 features; adding more gains little." in done.out
    assert "Excluded (constant): country." in done.out
    assert "Excluded (looks like an ID): customer." in done.out
    assert "\x1b" not in done.out


def test_auto_is_the_same_estimator_for_every_kind_of_target(credit, houses, capsys):
    for file, target, order in (
        (credit, "grade", ORDER),
        (credit, "home", ()),
        (houses, "price", ()),
    ):
        found = json.loads(call(capsys, "profile", file, "-t", target, *order, "--json").out)
        assert found["method"] == "autoselector"
    found = json.loads(call(capsys, "rank", houses, "-t", "price", "--json").out)
    assert found["how"]["method"] == "AutoSelector"
    assert found["answer"]["keep"][0] == "size"


def test_a_method_has_the_defaults_of_its_class(credit, capsys):
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "orelieff", "--json")
    params = json.loads(done.out)["how"]["parameters"]["OReliefF"]
    default = OReliefF(random_state=0).get_params()
    assert params == {name: default[name] for name in params}


def test_the_answer_does_not_depend_on_a_report(credit, tmp_path, capsys):
    page = tmp_path / "report.html"
    rank = ("rank", credit, "-t", "grade", *ORDER, "--cv", 2, "--json")
    plain, done = call(capsys, *rank), call(capsys, *rank, "--report", page)
    one, other = (json.loads(each.out) for each in (plain, done))
    assert one["answer"] == other["answer"]
    assert other["methods"][0]["stability"]["index"] > 0
    assert "income" in page.read_text()
    assert other["how"]["command"].startswith("echelon rank ")


@pytest.mark.parametrize("name", ["linear", "forest"])
def test_the_estimator_is_the_one_that_was_named(credit, capsys, name):
    rank = ("rank", credit, "-t", "grade", *ORDER, "--cv", 2, "-n", 3, "--json")
    done = call(capsys, *rank, "-m", "rankcorrelation", "--estimator", name)
    found = json.loads(done.out)
    assert found["answer"]["score"]["models"] == []
    assert ("OrdinalForest" in found["how"]["estimator"]) == (name == "forest")


def test_compare_shows_curves_ranks_and_agreement(credit, tmp_path, capsys):
    table = tmp_path / "ranks.tsv"
    done = call(capsys, "compare", credit, "-t", "grade", *ORDER, "-m", "orelieff,cfs,relieff",
                "--estimator", "knn", "--cv", 3, "-o", table)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "Evaluated by MAE in classes, 3 folds" in done.out
    assert "Rank correlation of the rankings: OReliefF and CFS" in done.out
    ranks = pd.read_csv(table, sep="\t")
    assert {"rank_orelieff", "rank_cfs", "rank_relieff"} <= set(ranks.columns)
    assert ranks["feature"][0] == "income"


def test_compare_takes_a_sensible_set_and_shows_the_baselines(houses, capsys):
    done = call(capsys, "compare", houses, "-t", "price", "--cv", 3)
    assert (done.code, done.err) == (0, "")
    for name in ("AutoSelector", "RReliefF", "RankCorrelation", "MutualInformation"):
        assert re.search(rf"^ +{name} +\d", done.out, re.MULTILINE)
    assert re.search(r"^ +baseline: the (mean|median) +0 +-?0\.\d+ ±", done.out, re.MULTILINE)
    assert re.search(r"^ +all features +4 +0\.\d+ ±", done.out, re.MULTILINE)
    assert re.search(r"^ +random forest, all features +4 +0\.\d+ ±", done.out, re.MULTILINE)
    assert "the most and the least similar" in done.out
    assert "MutualInformation needs numbers: kind split into 0/1 columns." in done.out


def test_the_needs_of_one_method_change_nothing_for_others(houses, capsys):
    def part(*methods):
        options = ("-m", ",".join(methods), "--cv", 3, "--json")
        found = json.loads(call(capsys, "compare", houses, "-t", "price", *options).out)
        return next(m for m in found["methods"] if m["name"] == "RankCorrelation")

    assert part("kendall", "forest") == part("kendall", "ftest", "rfe")


def test_bounds_of_numbers_with_gaps_and_labels(houses, tmp_path, capsys):
    picture = tmp_path / "bounds.svg"
    done = call(capsys, "bounds", houses, "-t", "price", "--plot", picture)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^ +size +0\.\d+ +0\.\d+ +0\.\d+ +strong", done.out, re.MULTILINE)
    assert "kind split into 0/1 columns" in done.out
    assert "those of size were imputed by the median" in done.out
    assert f"Wrote {picture}" in done.out
    assert "<svg" in picture.read_text()
    rows = json.loads(call(capsys, "bounds", houses, "-t", "price", "--json").out)["features"]
    assert {row["feature"] for row in rows} == {"size", "rooms", "noise", "kind"}


def test_bounds_take_a_column_of_labels_as_one_feature(tmp_path, capsys):
    rng = np.random.default_rng(0)
    sex, crew = rng.integers(0, 2, 250), rng.integers(0, 2, 250)
    table = pd.DataFrame({"sex": np.array(["F", "M"])[sex], "age": rng.normal(40, 9, 250)})
    table["port"] = np.array(["Cork", "Kiel", "Riga"])[rng.integers(0, 3, 250)]
    table["crew"], table["deck"] = crew, np.where(rng.random(250) < 0.03, 1 - crew, crew)
    table["price"] = 3 * sex + 2 * crew + rng.normal(size=250)
    table.loc[:12, "sex"] = None
    path = tmp_path / "passengers.csv"
    table.to_csv(path, index=False)
    found = json.loads(call(capsys, "bounds", path, "-t", "price", "--json").out)
    relevance = {row["feature"]: row["relevance"] for row in found["features"]}
    assert sorted(relevance) == ["age", "crew", "deck", "port", "sex"]
    assert relevance["sex"] == "strong"
    assert all("sex" not in group for group in found["groups"])
    numbers, owners = with_labels_split(filled(table[["sex", "port"]]), reference=True)
    assert len(numbers.columns) == 4
    assert owners.tolist() == [0, 0, 1, 1]
    said = call(capsys, "bounds", path, "-t", "price").out
    assert "5 features: " in said
    assert "sex=" not in said


def test_bounds_say_what_other_features_explain(tmp_path, capsys):
    rng = np.random.default_rng(0)
    area, age = rng.normal(size=(2, 200))
    table = pd.DataFrame(area[:, None] + 0.4 * rng.normal(size=(200, 2)), columns=["rooms", "beds"])
    table = table.assign(area=area, age=age, price=area - age + rng.normal(size=200))
    path = tmp_path / "flats.csv"
    table.to_csv(path, index=False)
    done = call(capsys, "bounds", path, "-t", "price")
    assert "4 features: 2 strong, 0 weak, 2 explained, 0 irrelevant." in done.out
    assert "explained: no more relevant than noise that is as" in " ".join(done.out.split())
    rows = json.loads(call(capsys, "bounds", path, "-t", "price", "--json").out)["features"]
    assert [row["feature"] for row in rows[:2]] == ["age", "area"]  # those kept come first
    assert [row["relevance"] for row in rows] == ["strong"] * 2 + ["explained"] * 2


def test_pairs_of_columns_are_intervals(tmp_path, capsys):
    rng = np.random.default_rng(0)
    season = np.repeat(["summer", "winter"], 30)
    low = np.where(season == "summer", 15, -5) + rng.integers(-4, 5, 60)
    frame = pd.DataFrame({"temp_lo": low, "temp_hi": low + 8, "season": season})
    frame["wind_lo"] = rng.integers(0, 5, 60)
    frame["wind_hi"] = frame["wind_lo"] + rng.integers(1, 9, 60)
    path = tmp_path / "days.csv"
    frame.to_csv(path, index=False)
    done = call(capsys, "rank", path, "-t", "season", "--json")
    found = json.loads(done.out)
    assert found["answer"]["keep"] == ["temp"]
    assert found["how"]["method"] == "IntervalRelief"
    pattern = ("--intervals", "{}_lo,{}_hi")
    same = json.loads(call(capsys, "rank", path, "-t", "season", *pattern, "--json").out)
    assert same["answer"] == found["answer"]
    call(capsys, "rank", path, "-t", "season", *pattern, "-m", "relieff").check_refused(
        "relieff takes no intervals"
    )
    call(capsys, "rank", path, "-t", "season", "--intervals", "{}_lo").check_refused("two patterns")
    points = json.loads(call(capsys, "rank", path, "-t", "season", "-m", "relieff", "--json").out)
    assert points["data"]["n_features"] == 4


@pytest.mark.parametrize(("top", "printed"), [(2, 2), (0, 4), (9, 4)])
def test_as_many_rows_as_asked_for(top, printed, credit, capsys):
    options = ("-m", "rankcorrelation", "-n", 3, "--cv", 3, "--top", top)
    out = call(capsys, "rank", credit, "-t", "grade", *ORDER, *options).out
    assert len(re.findall(r"^ +\d+ +[a-z]+ ", out, re.MULTILINE)) == printed
    assert ("more; --top 0 prints" in out) == (printed < 4)


def test_options_for_columns(credit, capsys):
    X = pd.read_csv(credit)
    X["region"] = np.arange(len(X)) % 9
    X.to_csv(credit, index=False)
    options = ("--drop", "debt,noise,income", "--keep", "customer", "--categorical", "region",
               "--json")  # fmt: skip
    quick = ("-m", "rankcorrelation", "--cv", 2)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, *quick, *options)
    found = json.loads(done.out)
    assert {feature["name"] for feature in found["features"]} == {"customer", "region", "home"}
    assert sorted(found["profile"]["nominal"]) == ["home", "region"]


def test_of_many_rows_some_are_looked_up(credit, capsys, monkeypatch):
    monkeypatch.setattr(_rank, "MANY_ROWS", 80)
    monkeypatch.setattr(_rank, "SAMPLED_ROWS", 50)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "orelieff", "--json")
    found = json.loads(done.out)
    assert found["how"]["parameters"]["OReliefF"]["sample_size"] == 50
    assert "neighbours of 50 rows, drawn at random, among all 90" in " ".join(
        found["words"]["caveats"]
    )
    assert found["features"][0]["name"] == "income"


def test_the_same_seed_gives_the_same_answer(credit, capsys):
    outputs = [
        call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "simba", "-n", 2, "--seed", seed)
        for seed in (1, 1)
    ]
    assert outputs[0] == outputs[1]


def test_profile_in_words(credit, capsys):
    done = call(capsys, "profile", credit, "-t", "grade", *ORDER)
    assert (done.code, done.err) == (0, "")
    for text in (
        "grade: 3 classes with an order",
        "low (27) < medium (32) < high (31)",
        "comparable pairs of rows violate monotonicity",
        "predict it alone  income",
        "AutoSelector aggregates rankings that use their order.",
    ):
        assert text in done.out
    call(capsys, "profile", credit, "-t", "grade", "--plot", "x.png").check_refused("no plot")


def test_what_needs_numbers_gets_numbers(houses):
    task = prepare(Common(str(houses), "price"), ["relevancebounds"])
    assert len(task.notes) == 2
    numbers, owners = with_labels_split(filled(task.X))
    assert numbers["kind=house"].tolist() == (task.X["rooms"] > 3).astype(float).tolist()
    assert not numbers.isna().any(axis=None)
    assert task.X.columns[owners].tolist()[-1] == numbers.columns[-1].partition("=")[0]
