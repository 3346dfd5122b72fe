"""A shelf of ugly files: exports as people have them, each with the truth beside it.

A case is a function of a random generator that makes one file.  Truth is what a careful reader
takes a column for: numbers, dates or texts, None where nothing is there.
"""

import csv
import io
from collections.abc import Callable, Mapping
from datetime import datetime, time
from typing import Any, NamedTuple

import numpy as np
import openpyxl

N = 40
NBSP, THIN = "\u00a0", "\u202f"

MONATE = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
          "Oktober", "November", "Dezember")  # fmt: skip
MOIS = ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.",
        "déc.")  # fmt: skip


class Shelved(NamedTuple):
    """A file, and what it holds."""

    name: str
    content: bytes
    truth: dict[str, list[Any]]
    named: tuple[str, ...] = ()
    """Columns that no reader can be sure of: they must be named."""
    how: Mapping[str, Any] = {}


SHELF: dict[str, Callable[[np.random.Generator], Shelved]] = {}


def shelved(make):
    """Put a case on the shelf."""
    SHELF[make.__name__] = make
    return make


# ------------------------------------------------------------------------ how things are written


def number(value, digits=2, thousands="", decimal=".", before="", after="", *, accounting=""):
    """A number as it is written in some country; None is an empty cell."""
    if value is None:
        return ""
    text = f"{abs(value):,.{digits}f}".replace(",", "T").replace(".", decimal)
    text = before + text.replace("T", thousands) + after
    if value >= 0:
        return text
    return {"": f"-{text}", "()": f"({text})", "after": f"{text}-"}[accounting]


def amounts(rng, size=2000.0, digits=2, gaps=0):
    """Amounts below and above 1000 and below 0."""
    drawn = np.round(rng.normal(size / 2, size, N), digits).tolist()
    drawn[:3] = [round(-1234.5, digits), round(987654.25, digits), round(0.75 * size, digits)]
    for k in rng.choice(np.arange(3, N), gaps, replace=False):
        drawn[k] = None
    return drawn


def days(rng, gaps=0):
    """Dates, the day after 12 in some."""
    drawn = [datetime(2020 + int(y), 1 + int(m), 1 + int(d))
             for y, m, d in zip(rng.integers(0, 5, N), rng.integers(0, 12, N),
                                rng.integers(0, 28, N), strict=True)]  # fmt: skip
    drawn[0] = datetime(2021, 3, 25)
    for k in rng.choice(np.arange(1, N), gaps, replace=False):
        drawn[k] = None
    return drawn


def dated(values, pattern):
    return ["" if each is None else each.strftime(pattern) for each in values]


def words(rng, *texts):
    drawn = rng.choice(list(texts), N).tolist()
    drawn[: len(texts)] = texts
    return drawn


def cells(values, **how):
    return [number(each, **how) for each in values]


def delimited(columns, delimiter=",", quoting=csv.QUOTE_MINIMAL, ends="\n"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=ends)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def workbook(*sheets, merged=()):
    """An Excel file of sheets, each a name and rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
        for area in merged if title == sheets[-1][0] else ():
            sheet.merge_cells(area)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def rows_of(columns):
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


# ---------------------------------------------------------------------------------------- German

GERMAN = {"thousands": ".", "decimal": ","}


@shelved
def german_bank(rng):
    """Title lines above, Windows-1252, money, a line of totals."""
    when, paid, kind = days(rng), amounts(rng), words(rng, "Überweisung", "Lastschrift")
    columns = {"Buchungstag": dated(when, "%d.%m.%Y"), "Betrag": cells(paid, after=" €", **GERMAN),
               "Art": kind, "Währung": ["EUR"] * N}  # fmt: skip
    total = f"Summe;{number(sum(paid), after=' €', **GERMAN)};;\r\n"
    head = 'Kontoauszug 2024\r\nKonto:;"DE12 3456"\r\n\r\n'
    text = head + delimited(columns, ";", ends="\r\n") + total
    truth = {"Buchungstag": when, "Betrag": paid, "Art": kind, "Währung": ["EUR"] * N}
    return Shelved("umsatz.csv", text.encode("cp1252"), truth)


@shelved
def german_survey(rng):
    """k. A. and #NV, percent, decimal commas, leading zeros, yes and no."""
    share, age = amounts(rng, 40, 1), [int(a) for a in rng.integers(18, 90, N)]
    place = [f"{int(k):05d}" for k in rng.integers(1000, 9999, N)]
    given, yes = amounts(rng, 3, 1, gaps=3), words(rng, "ja", "nein")
    columns = {"Anteil": cells(share, digits=1, after=" %", **GERMAN), "Alter": age, "PLZ": place,
               "Note": [text or "k. A." for text in cells(given, digits=1, **GERMAN)],
               "Zufrieden": yes}  # fmt: skip
    truth = {"Anteil": share, "Alter": age, "PLZ": place, "Note": given, "Zufrieden": yes}
    return Shelved("umfrage.csv", delimited(columns, ";").encode("utf-8-sig"), truth)


@shelved
def german_sap(rng):
    """A minus behind the number, units, no decimals."""
    weight, cost = amounts(rng, 50, 3), amounts(rng)
    columns = {"Menge": cells(weight, digits=3, after=" KG", **GERMAN),
               "Kosten": cells(cost, accounting="after", **GERMAN),
               "Werk": words(rng, "1000", "2000", "Süd")}  # fmt: skip
    truth = {"Menge": weight, "Kosten": cost, "Werk": columns["Werk"]}
    return Shelved("mb51.txt", delimited(columns, "\t").encode("cp1252"), truth)


@shelved
def german_months(rng):
    """Months in words."""
    when = days(rng)
    shown = [f"{each.day}. {MONATE[each.month - 1]} {each.year}" for each in when]
    x = amounts(rng, 5)
    text = delimited({"Datum": shown, "Wert": cells(x, **GERMAN)}, ";")
    return Shelved("monate.csv", text.encode(), {"Datum": when, "Wert": x})


@shelved
def german_excel_as_text(rng):
    """A sheet of notes first, and numbers that are texts."""
    price, when = amounts(rng, gaps=2), days(rng)
    columns = {"Preis (€)": cells(price, **GERMAN), "Tag": dated(when, "%d.%m.%Y"),
               "Zustand": words(rng, "neu", "gebraucht")}  # fmt: skip
    columns["Preis (€)"] = [text or "-" for text in columns["Preis (€)"]]
    content = workbook(("Hinweise", [["Bitte lesen"]]), ("Daten", rows_of(columns)))
    truth = {"Preis (€)": price, "Tag": when, "Zustand": columns["Zustand"]}
    return Shelved("preise.xlsx", content, truth, how={"sheet": "Daten"})


# ------------------------------------------------------------------------- Swiss, French, British


@shelved
def swiss(rng):
    price, size = amounts(rng), amounts(rng, 9000, 0)
    columns = {"Preis": cells(price, thousands="'", before="CHF "),
               "Fläche": cells(size, digits=0, thousands="\u2019", after=" m²"),
               "Kanton": words(rng, "ZH", "BE", "GR")}  # fmt: skip
    truth = {"Preis": price, "Fläche": size, "Kanton": columns["Kanton"]}
    return Shelved("immo.csv", delimited(columns, ";").encode("utf-8-sig"), truth)


@shelved
def french(rng):
    price, share, when = amounts(rng), amounts(rng, 50, 1), days(rng)
    style = {"thousands": NBSP, "decimal": ","}
    columns = {"Prix": cells(price, after=f"{NBSP}€", **style),
               "Taux": cells(share, digits=1, after=" %", **style),
               "Jour": dated(when, "%d/%m/%Y"), "Accord": words(rng, "Oui", "Non")}  # fmt: skip
    truth = {"Prix": price, "Taux": share, "Jour": when, "Accord": columns["Accord"]}
    return Shelved("ventes.csv", delimited(columns, ";").encode("cp1252"), truth)


@shelved
def french_thin_spaces_in_utf16(rng):
    price, when = amounts(rng, 30000, gaps=3), days(rng)
    shown = cells(price, thousands=THIN, decimal=",")
    columns = {"Montant": [text or "n.d." for text in shown],
               "Date": [f"{d.day} {MOIS[d.month - 1]} {d.year}" for d in when],
               "Région": words(rng, "Île-de-France", "Bretagne")}  # fmt: skip
    truth = {"Montant": price, "Date": when, "Région": columns["Région"]}
    return Shelved("export.txt", delimited(columns, "\t").encode("utf-16"), truth)


@shelved
def british(rng):
    price, when = amounts(rng, gaps=2), days(rng)
    columns = {"Price": [text or "n/a" for text in cells(price, thousands=",", before="£")],
               "Sold on": dated(when, "%d/%m/%y"), "Tenure": words(rng, "F", "L")}  # fmt: skip
    truth = {"Price": price, "Sold on": when, "Tenure": columns["Tenure"]}
    return Shelved("ppd.csv", delimited(columns, quoting=csv.QUOTE_ALL).encode("utf-8-sig"), truth)


# -------------------------------------------------------------------------------------- American


@shelved
def american_accounting(rng):
    """Losses in brackets, quoted thousands, month first."""
    gain, when = amounts(rng), days(rng)
    columns = {"Net income": cells(gain, thousands=",", before="$", accounting="()"),
               "Filed": [f"{d.month}/{d.day}/{d.year}" for d in when],
               "State": words(rng, "NY", "CA", "TX")}  # fmt: skip
    truth = {"Net income": gain, "Filed": when, "State": columns["State"]}
    return Shelved("ledger.csv", delimited(columns).encode(), truth)


@shelved
def american_clinic(rng):
    """Units, values below a limit of detection, times of day."""
    height, crp = amounts(rng, 170, 0), [f"{x:.1f}" for x in rng.uniform(0.5, 9, N)]
    crp[4:8] = ["<0.5"] * 4
    minutes = rng.integers(0, 24 * 60, N).tolist()
    minutes[0] = 15 * 60 + 5
    columns = {"Height": cells(height, digits=0, after=" cm"), "CRP": crp,
               "Admitted at": [f"{m // 60:02d}:{m % 60:02d}" for m in minutes]}  # fmt: skip
    truth = {"Height": height, "Admitted at": [m / 60 for m in minutes]}
    return Shelved("labs.csv", delimited(columns).encode(), truth, named=("CRP", "Admitted at"))


@shelved
def american_survey_codes(rng):
    """99 and -9 among answers from 1 to 5: they are real numbers until the user says otherwise."""
    answers = {f"q{j}": rng.integers(1, 6, N).tolist() for j in range(3)}
    truth = {name: list(values) for name, values in answers.items()}
    for name, code in (("q0", 99), ("q1", -9)):
        for k in (5, 9, 11):
            answers[name][k], truth[name][k] = code, None
    text = delimited(answers)
    how = {"missing_in": {"q0": ["99"], "q1": ["-9"]}}
    return Shelved("survey.csv", text.encode(), truth, how=how)


@shelved
def compact_dates(rng):
    """20240131 and 2024-01."""
    when, month = days(rng), [each.replace(day=1) for each in days(rng)]
    columns = {"visit": dated(when, "%Y%m%d"), "billed": dated(month, "%Y-%m"),
               "cost": cells(amounts(rng))}  # fmt: skip
    truth = {"visit": when, "billed": month, "cost": [float(text) for text in columns["cost"]]}
    return Shelved("claims.csv", delimited(columns).encode(), truth)


@shelved
def dates_of_several_styles(rng):
    """One column with days first and ISO dates: read, or named."""
    when, clean = days(rng), days(rng, gaps=2)
    mixed = [d.strftime("%d.%m.%Y" if k % 2 else "%Y-%m-%d") for k, d in enumerate(when)]
    columns = {"mixed": mixed, "iso": dated(clean, "%Y-%m-%dT%H:%M:%SZ"),
               "words": dated(when, "%d-%b-%Y"), "x": cells(amounts(rng))}  # fmt: skip
    truth = {"mixed": when, "iso": clean, "words": when, "x": [float(t) for t in columns["x"]]}
    return Shelved("visits.csv", delimited(columns).encode(), truth, named=("mixed",))


@shelved
def dates_that_may_be_two(rng):
    when = [each.replace(day=1 + each.day % 12) for each in days(rng)]
    columns = {"when": dated(when, "%d/%m/%Y"), "x": cells(amounts(rng))}
    truth = {"when": when, "x": [float(text) for text in columns["x"]]}
    return Shelved("when.csv", delimited(columns).encode(), truth, named=("when",))


@shelved
def dates_with_texts_among_them(rng):
    when = days(rng, gaps=3)
    columns = {"discharged": [text or "still here" for text in dated(when, "%Y-%m-%d")],
               "x": cells(amounts(rng))}  # fmt: skip
    truth = {"discharged": when, "x": [float(text) for text in columns["x"]]}
    return Shelved("ward.csv", delimited(columns).encode(), truth)


# ----------------------------------------------------------------------------------- delimiters


@shelved
def delimiters_and_line_breaks_in_quotes(rng):
    note = words(rng, "fine, thanks", 'said "no"', "two\nlines; here")
    columns = {"note": note, "x": cells(amounts(rng), thousands=","), "y\nin cm": range(N)}
    truth = {"note": note, "x": [float(text.replace(",", "")) for text in columns["x"]],
             "y\nin cm": list(range(N))}  # fmt: skip
    return Shelved("notes.csv", delimited(columns).encode(), truth)


@shelved
def semicolons_with_commas_in_texts(rng):
    place = words(rng, "Bonn, West", "Köln, Ost", "Ulm, Mitte, Nord")
    columns = {"Ort": place, "Wert": cells(amounts(rng, 5), decimal=",")}
    truth = {"Ort": place, "Wert": [float(text.replace(",", ".")) for text in columns["Wert"]]}
    return Shelved("orte.csv", delimited(columns, ";").encode(), truth)


@shelved
def pipes_with_spaces_around(rng):
    x, label = amounts(rng, gaps=2), words(rng, "a", "b")
    lines = ["x | label", *(f"{number(v)} | {t}" for v, t in zip(x, label, strict=True))]
    return Shelved("pipes.txt", "\n".join(lines).encode(), {"x": x, "label": label})


@shelved
def a_trailing_delimiter(rng):
    x, y = amounts(rng), words(rng, "u", "v")
    lines = ["x;y;", *(f"{number(v, decimal=',')};{t};" for v, t in zip(x, y, strict=True))]
    return Shelved("trail.csv", "\n".join(lines).encode(), {"x": x, "y": y})


@shelved
def notes_below_the_table(rng):
    x, y, z = amounts(rng), words(rng, "u", "v"), list(range(N))
    text = delimited({"x": cells(x), "y": y, "z": z}) + "\nSource: registry of 2024\n"
    return Shelved("foot.csv", text.encode(), {"x": x, "y": y, "z": z})


@shelved
def an_unnamed_index(rng):
    x = amounts(rng)
    text = delimited({"": range(N), "x": cells(x)})
    return Shelved("pandas.csv", text.encode(), {"column 1": list(range(N)), "x": x})


@shelved
def indian_thousands(rng):
    """12,34,567.00: no style that is known; named."""
    x = rng.integers(1_000_000, 9_999_999, N).tolist()
    shown = [f"{v // 100000},{v // 1000 % 100:02d},{v % 1000:03d}.50" for v in x]
    columns = {"turnover": shown, "y": range(N)}
    truth = {"turnover": [v + 0.5 for v in x], "y": list(range(N))}
    return Shelved("gst.csv", delimited(columns).encode(), truth, named=("turnover",))


# ----------------------------------------------------------------------------------------- Excel


@shelved
def excel_title_rows(rng):
    """A title, an empty row, then the table; a total and a source below."""
    x, y, z = amounts(rng), words(rng, "north", "south"), list(range(N))
    rows = [["Sales by region, 2024"], [], *rows_of({"region": y, "sales": x, "month": z}),
            ["Total", sum(x), sum(z)], [], ["Source: own figures"]]  # fmt: skip
    return Shelved("sales.xlsx", workbook(("Report", rows)), {"region": y, "sales": x, "month": z})


@shelved
def excel_two_header_rows(rng):
    """Names in merged cells above names: joined or named."""
    columns = {name: amounts(rng) for name in ("before", "after", "before ", "after ")}
    rows = [["Pain", None, "Sleep", None], *rows_of(columns)]
    rows[1] = ["before", "after", "before", "after"]
    truth = dict(zip(("Pain before", "Pain after", "Sleep before", "Sleep after"),
                     columns.values(), strict=True))  # fmt: skip
    return Shelved("two.xlsx", workbook(("S", rows), merged=("A1:B1", "C1:D1")), truth)


@shelved
def excel_merged_groups(rng):
    """A subject over several merged rows: its name belongs to all of them."""
    subject = [f"P{k // 4}" for k in range(N)]
    shown = [name if k % 4 == 0 else None for k, name in enumerate(subject)]
    x = amounts(rng)
    areas = [f"A{k + 2}:A{k + 5}" for k in range(0, N, 4)]
    content = workbook(("S", rows_of({"subject": shown, "x": x})), merged=areas)
    return Shelved("merged.xlsx", content, {"subject": subject, "x": x})


@shelved
def excel_errors_and_types(rng):
    """#DIV/0! among numbers, dates as dates, times, true and false."""
    x, when = amounts(rng, gaps=6), days(rng, gaps=2)
    hours = rng.integers(0, 24, N).tolist()
    columns = {"rate": ["#DIV/0!" if v is None else v for v in x], "when": when,
               "at": [time(h, 30) for h in hours], "ok": [bool(h % 2) for h in hours],
               "grade": words(rng, "low", "high")}  # fmt: skip
    truth = {"rate": x, "when": when, "at": [h + 0.5 for h in hours], "ok": columns["ok"],
             "grade": columns["grade"]}  # fmt: skip
    return Shelved("types.xlsx", workbook(("S", rows_of(columns))), truth)


@shelved
def excel_units_below_the_names(rng):
    """A second line of units: read as missing, and named."""
    x, y = amounts(rng, 5), amounts(rng, 70)
    rows = rows_of({"dose": x, "weight": y})
    rows.insert(1, ["(mg)", "(kg)"])
    truth = {"dose": [None, *x], "weight": [None, *y]}
    return Shelved("units.xlsx", workbook(("S", rows)), truth, named=("dose", "weight"))


@shelved
def excel_unicode_text(rng):
    """What Excel calls Unicode text: UTF-16, tabs."""
    x, y = amounts(rng), words(rng, "Größe", "naïve", "日本")
    columns = {"x": cells(x, **GERMAN), "y": y}
    text = delimited(columns, "\t", ends="\r\n")
    return Shelved("unicode.txt", text.encode("utf-16"), {"x": x, "y": y})


@shelved
def excel_answers_in_words(rng):
    """Nothing but words, and two of the first answers are the same: they are no names."""
    scale = ("agree", "neutral", "disagree")
    answers = {f"q{j}": words(rng, *scale) for j in range(4)}
    money = cells(amounts(rng), thousands=",", before="$")
    columns = {**answers, "paid": money, "lost": money}
    truth = {**answers, "paid": [float(text.replace("$", "").replace(",", "")) for text in money]}
    truth["lost"] = truth["paid"]
    return Shelved("answers.xlsx", workbook(("S", rows_of(columns))), truth)


@shelved
def excel_answers_beside_a_column_without_a_name(rng):
    answers = {f"q{j}": words(rng, "yes", "no") for j in range(3)}
    rows = rows_of({"q0": answers["q0"], "": answers["q1"], "q2": answers["q2"]})
    rows[0][1] = None
    truth = {"q0": answers["q0"], "column 2": answers["q1"], "q2": answers["q2"]}
    return Shelved("unnamed.xlsx", workbook(("S", rows)), truth)


# ----------------------------------------------------------- two kinds that are made up by a seed


def made_up_columns(rng):
    """Columns of any style, one decimal sign for all; how they are written, and the truth."""
    decimal = str(rng.choice([",", "."]))
    thousands = str(rng.choice(["", "'", " ", NBSP, THIN, "." if decimal == "," else ","]))
    truth, shown = {}, {}
    gap = str(rng.choice(["", "NA", "-", "k. A.", "#NV", "n/a", "#DIV/0!", "."]))
    for j in range(int(rng.integers(2, 6))):
        before, after = [("", ""), ("", " €"), ("$", ""), ("EUR ", ""), ("", " %"), ("", "%"),
                         ("", " kg"), ("", f"{NBSP}€"), ("CHF ", "")][rng.integers(9)]  # fmt: skip
        digits = int(rng.integers(0, 4))
        values = amounts(rng, 10.0 ** rng.integers(0, 7), digits, gaps=int(rng.integers(0, 4)))
        style = {"digits": digits, "thousands": thousands, "decimal": decimal,
                 "before": before, "after": after,
                 "accounting": str(rng.choice(["", "", "after", "()"]))}  # fmt: skip
        truth[f"x{j}"], shown[f"x{j}"] = values, [text or gap for text in cells(values, **style)]
    when = days(rng, gaps=int(rng.integers(0, 3)))
    pattern = str(rng.choice(["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d", "%d-%b-%Y", "%d.%m.%y %H:%M",
                              "%Y-%m-%d %H:%M:%S", "%Y/%m/%d", "%B %d, %Y"]))  # fmt: skip
    truth["when"], shown["when"] = when, dated(when, pattern)
    truth["label"] = shown["label"] = words(rng, "a; b", "ö, ü", 'the "third"')
    order = rng.permutation(list(truth)).tolist()
    return {name: truth[name] for name in order}, {name: shown[name] for name in order}, decimal


@shelved
def made_up_text(rng):
    """Any delimiter and encoding, with title lines or without."""
    truth, shown, decimal = made_up_columns(rng)
    delimiter = str(rng.choice([";", "\t", "|"] if decimal == "," else [";", "\t", "|", ","]))
    text = delimited(shown, delimiter, int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
                     str(rng.choice(["\n", "\r\n"])))  # fmt: skip
    head = str(rng.choice(["", "", "Report 7\n", "Report 7\n\n", "\n", f"sep={delimiter}\n"]))
    encodings = ["utf-8", "utf-8-sig", "utf-16"] + ([] if THIN in text else ["cp1252"])
    return Shelved("made_up.csv", (head + text).encode(str(rng.choice(encodings))), truth)


@shelved
def made_up_excel(rng):
    """Texts as they are written, below title rows, beside other sheets."""
    truth, shown, _ = made_up_columns(rng)
    rows = [*[[], ["Report", "7"], ["of all regions"]][: rng.integers(0, 4)], *rows_of(shown)]
    rows += [[], ["Source: registry"]][: 2 * int(rng.integers(0, 2))]
    rows = [[cell or None for cell in row] for row in rows]
    sheets = [("Data", rows), ("Notes", [["read me"]])][: rng.integers(1, 3)]
    return Shelved("made_up.xlsx", workbook(*sheets), truth)
