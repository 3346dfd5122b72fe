"""``Selection``: the decision as data, checked when read, applied to other tables."""

import json
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from echelon import AutoSelector, Selection

EXAMPLE = Path(__file__).with_name("schema-1.json")


@pytest.fixture(scope="module")
def saved():
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


@pytest.fixture
def table():
    return pd.DataFrame(
        {"noise": [0.1, 0.2, 0.3], "income": [0.5, -0.5, 1.0], "home": ["own", "rent", "own"]}
    )


def as_read(saved, **changes):
    """The example with some of its parts replaced."""
    return Selection.from_json(json.dumps({**deepcopy(saved), **changes}))


def with_column(saved, which, /, **facts):
    columns = deepcopy(saved["columns"])
    next(column for column in columns if column["name"] == which).update(facts)
    return as_read(saved, columns=columns)


# --------------------------------------------------------------------------------- the schema


def test_the_stored_example_of_schema_1_is_read(table):
    selection = Selection.read(EXAMPLE)
    assert selection.features_ == ["income"]
    assert selection.target_ == "grade"
    assert selection.transform(table).columns.tolist() == ["income"]
    assert selection.to_dict()["schema"] == 1


def test_what_is_written_is_read_again(tmp_path):
    selection = Selection.read(EXAMPLE)
    path = selection.write(tmp_path / "selection.json")
    assert Selection.read(path).to_dict() == selection.to_dict()
    with pytest.raises(FileExistsError, match="exists already"):
        selection.write(path)
    with pytest.raises(ValueError, match=r"must end in \.json"):
        selection.write(tmp_path / "selection.pkl")


def test_keys_that_a_later_version_adds_are_left_alone(saved):
    later = deepcopy(saved)
    later["columns"][0]["new"] = {"anything": [1]}
    selection = Selection.from_json(json.dumps({**later, "added": 3}))
    assert selection.to_dict()["added"] == 3
    assert selection.to_dict()["columns"][0]["new"] == {"anything": [1]}


def test_a_later_schema_is_refused(saved):
    with pytest.raises(ValueError, match=r"reads up to 1\. Install a later version"):
        as_read(saved, schema=2)


def paths(value, path=()):
    """Every place of a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(entry, (*path, key))


def changed(value, path, new):
    copy = deepcopy(value)
    if not path:
        return new
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return copy


def applied(text, table):
    """What is wrong with a selection, or with the table; "" where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            selection = Selection.from_json(text)
            selection.transform(table)
        except ValueError as error:
            return str(error)
    return repr(selection)


@pytest.mark.parametrize("new", [None, [], {}, "text", -1, 1e308, True, [[]], {"a": {}}])
def test_any_value_of_another_type_is_refused_in_one_sentence_or_harmless(saved, new, table):
    """Every part in turn is replaced by something else."""
    for path in paths(saved):
        said = applied(json.dumps(changed(saved, path, new)), table)
        assert "\n" not in said, path


def test_any_part_that_lacks_is_refused_or_optional(saved):
    optional = {"minimum", "maximum", "categories", "origin", "bounds"}
    for path in paths(saved):
        if not path or not isinstance(path[-1], str) or path[0] in ("versions", "settings"):
            continue
        lacking = deepcopy(saved)
        place = lacking
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
        if path[-1] in optional:
            Selection.from_json(json.dumps(lacking))
        else:
            with pytest.raises(ValueError, match=r"lacks|is a JSON object|no schema number"):
                Selection.from_json(json.dumps(lacking))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("[1, 2]", "another file"),
        ("{" * 5, "no JSON"),
        ("[" * 100_000, "nested too deeply|no JSON"),
        ('{"format": NaN}', "NaN"),
        ('{"format": "a", "format": "b"}', "twice"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"\x80\x04\x95", "no JSON"),  # the first bytes of a pickle
    ],
)
def test_what_is_no_selection_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        Selection.from_json(text)


def test_numbers_beyond_floats_are_refused(saved):
    with pytest.raises(ValueError, match="a huge number"):
        with_column(saved, "income", maximum=10**400)
    text = EXAMPLE.read_text(encoding="utf-8").replace('"missing": 0', '"missing": 1e999', 1)
    with pytest.raises(ValueError, match="must be a whole number"):
        Selection.from_json(text)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"rank": None}, "selected and has no rank"),
        ({"kind": "date"}, "has no origin"),
        ({"origin": "__import__"}, "no day such as"),
        ({"kind": "ordered"}, "has no categories"),
        ({"bounds": ["a"]}, "not two columns"),
        ({"name": "home"}, "two columns are named 'home'"),
        ({"kind": "pickle"}, "one of 'number', 'date'"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(saved, facts, said):
    with pytest.raises(ValueError, match=said):
        with_column(saved, "income", **facts)


def test_a_selection_is_data_only(saved, table, tmp_path):
    """Texts that would be code, paths or formats elsewhere are names here."""
    evil = f"__import__('os').system('touch {tmp_path / 'here'}')"
    selection = with_column(saved, "income", name=evil, reason="{0.__class__}", origin="2024-01-01")
    assert evil in selection.transform(table.rename(columns={"income": evil})).columns
    assert evil in selection.to_json().encode().decode("unicode_escape")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- other tables


def test_values_come_back_as_they_are_and_nothing_is_said_of_those_seen(saved, table):
    selection = with_column(saved, "home", selected=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reduced = selection.transform(table)
    pd.testing.assert_frame_equal(reduced, table[["income", "home"]])


def test_lacking_columns_are_named(saved, table):
    with pytest.raises(ValueError, match=r"lacks 'income', 1 of 1 selected column\. Is 'income' "
                       r"now 'Income'\?"):  # fmt: skip
        as_read(saved).transform(table.rename(columns={"income": "Income"}))


def test_columns_that_hold_something_else_are_refused(saved, table):
    with pytest.raises(ValueError, match=r"'income' held numbers .* now holds others, as 'n/a'"):
        as_read(saved).transform(table.assign(income=["1", "n/a", "2"]))
    both = with_column(saved, "home", selected=True)
    with pytest.raises(ValueError, match=r"'home' held 'own' and 'rent' .* none of them but 1\.5"):
        both.transform(table.assign(home=[1.5, 2.5, 3.5]))


def test_what_was_not_seen_is_a_warning(saved, table):
    both = with_column(saved, "home", selected=True)
    new = table.assign(income=[0.5, 50.0, None], home=["own", "boat", "own"])
    with pytest.warns(UserWarning, match=r"^Values differ from those seen: income .*'boat'\.$"):
        both.transform(new)
    drift = both.drift(new)
    assert drift["column"].tolist() == ["income", "income", "home"]
    assert drift["rows"].tolist() == [1, 1, 1]
    assert "now 0.5 to 50" in drift["change"][1]


def test_categories_are_the_same_whatever_their_type(saved):
    """A column of codes 1 and 2 is read as 1.0 and 2.0 where a value is missing."""
    codes = with_column(saved, "home", selected=True, categories=["1", "2"])
    frame = pd.DataFrame({"income": [0.1, 0.2], "home": [1.0, 2.0]})
    assert codes.drift(frame).empty
    assert codes.drift(frame.assign(home=[1, 3]))["rows"].tolist() == [1]


def test_dates_are_compared_as_days(saved):
    facts = {"kind": "date", "origin": "2024-01-01", "minimum": 0.0, "maximum": 30.0}
    selection = with_column(saved, "income", **facts)
    frame = pd.DataFrame({"income": pd.to_datetime(["2024-01-05", "2024-03-01"])})
    with pytest.warns(UserWarning, match="outside 2024-01-01 to 2024-01-31; now 2024-01-05 to "
                      "2024-03-01"):  # fmt: skip
        selection.transform(frame)
    with pytest.raises(ValueError, match="held dates"):
        selection.transform(pd.DataFrame({"income": ["05/01/2024"]}))


def test_arrays_are_taken_by_position():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    selector = AutoSelector(cv=3, random_state=0).fit(X, X[:, 1] + 0.1 * rng.normal(size=90))
    selection = Selection.from_json(selector.to_json())
    np.testing.assert_array_equal(selection.transform(X), selector.transform(X))
    with pytest.raises(ValueError, match="must have the 3 columns"):
        selection.transform(X[:, :2])


def test_it_keeps_what_the_selector_kept():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    selector = AutoSelector(n_features_to_select=3, cv=3, random_state=0).fit(X, y)
    selection = Selection.from_json(selector.to_json())
    np.testing.assert_array_equal(selection.transform(X), selector.transform(X))
    held = selection.to_dict()
    assert held["scores"]["held_out"]["mean"] == selector.score_
    assert held["model"]["name"] == selector.model_
    assert selection.features_ == X.columns[selector.order_[:3]].tolist()
    assert [column["name"] for column in held["columns"]] == X.columns.tolist()


def test_every_kind_of_column_is_saved_and_compared():
    rng = np.random.default_rng(0)
    n = 80
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "flag": rng.random(n) < 0.5,
            "level": pd.Categorical(rng.choice(["a", "b"], n), ["a", "b"], ordered=True),
            "code": pd.Categorical(rng.choice([1, 2], n)),
            "text": rng.choice(["x", "y"], n),
        }
    )
    selector = AutoSelector(n_features_to_select=5, cv=3, random_state=0)
    selection = Selection.from_json(selector.fit(X, X["number"] + rng.normal(size=n)).to_json())
    kinds = {column["name"]: column["kind"] for column in selection.to_dict()["columns"]}
    assert kinds == {"number": "number", "flag": "number", "level": "ordered", "code": "nominal",
                     "text": "nominal"}  # fmt: skip
    assert selection.drift(X).empty
    assert selection.drift(X.astype({"level": object, "code": object})).empty


def test_a_pickled_selector_has_no_data():
    import pickle

    X = np.random.default_rng(0).normal(size=(60, 3))
    selector = AutoSelector(cv=3, random_state=0).fit(X, X[:, 0])
    copy = pickle.loads(pickle.dumps(selector))
    for method in (copy.to_json, copy.to_code):
        with pytest.raises(ValueError, match="pickled AutoSelector does not hold its data"):
            method()
    assert copy.summary()["feature"].tolist() == selector.summary()["feature"].tolist()
