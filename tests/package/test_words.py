"""Text that people read uses the field's words; the old ones are gone, and what replaced them."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MEASURED = ("benchmarks", "papers")
"""Folders of pages that programs write; papers are cited in their own words."""

OLD = {
    r"\b(no|a) say\b": "held-out",
    r"\bguessing\b|\b(constant|best|the|a|over) guess\b|\bgain over\b":
        "(improvement over the) baseline",
    r"(?<!absolute )\berror in classes\b|\brank loss\b": "MAE in classes",
    r"\bhalf-samples?\b|\b(random|the|of|over|these|most|both) halves\b": "subsamples",
    r"\bforest on all\b": "random forest, all features",
    r"(?<!optimality )\bgaps\b": "missing values",
    r"\b(columns?|table) of labels\b|\bnumbers (and|or) labels\b|\blabels, gaps\b"
    r"|\blabels (and|or|in) (columns|numbers)\b|\bnominal labels\b": "categories, categorical",
    r"\bclasses (and|or) (for )?numbers\b|\bnumbers (and|or) (ordered |two )classes\b"
    r"|\bnumbers as (the )?(outcome|target)s?\b|\btargets? of numbers\b": "continuous target",
    r"\b(real|any|all|other|such|simulated|of all|one of \w+) tables?\b(?! of)": "data set",
    r"\b(say|says|said|saying) (the same|already)\b|\bstands? in for\b|\bstand-ins?\b"
    r"|\b(can|could) stand in\b": "redundant, highly correlated, could replace",
    r"\b(only|act|acts|acting|matter|matters) together\b|\btogether only\b": "interaction",
    r"\balong (a |any |the )?(straight |smooth )?(curves?|lines?)\b": "linear, nonlinear",
    r"\bfuse[sd]?\b(?! kernel)|\bfusing\b": "aggregated",
    r"\bjudge[sd]?\b|\bjudging\b": "evaluated",
    r"\banew\b": "again, refitted",
    r"\bfeatures? (\w+ ){0,3}kept\b|\bkept (features?|columns?|ones)\b|\bnot kept\b"
    r"|\b(features?|ones|none|how many) to keep\b|\bfeatures? (\w+ )?keeps?\b|\bis kept if\b"
    r"|\bkeeps? (no feature|none|nothing|noise|the (best|features?|fewest|expected))\b": "selected",
    r"\bno chance\b": "significant",
    r"\bhangs? on\b": "depends on; assumptions and sensitivity",
    r"\bset aside\b": "excluded",
    r"\bbeware\b": "warning",
    r"\bmistakes? of (ours|echelon)\b": "internal error",
    r"\bdata that (come|comes|came) along\b|\bbrings? along\b": "bundled data",
    r"\b(two|three) wishes\b": "constraints",
    r"\bp-values know better\b": "use p-values instead",
    r"\bits own affair\b": "private to",
    r"\blooks around\b": "polling interval",
    r"\bevery promise\b": "nominal and observed error rates",
    r"\btaken for more\b": "false positives",
    r"\bdoes not listen\b": "ignores",
    r"\bof anybody\b": "untrusted",
    r"\bnever parts\b|\btorn apart\b": "splits",
    r"\bunits of (its own |their own )?chance\b": "standardised by the permutation distribution",
    r"\ball rooms\b": "packages",
}  # fmt: skip
"""Old words as a pattern, and the standard ones."""

PATTERNS = {re.compile(old, re.IGNORECASE): new for old, new in OLD.items()}


class Text(NamedTuple):
    """A text, and where it is."""

    place: str
    text: str


def prose(markdown):
    """Markdown without code and without addresses of links."""
    markdown = re.sub(r"^(`{3,}|:{3,}).*?^\1", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"``.*?``|`[^`]*`|\]\([^)]*\)", " ` ", markdown, flags=re.DOTALL)


def of_source(file):
    """Docstrings, and other strings of several words."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and len(text.split()) > 2:
            text = re.sub(r"^ *>>> (.+\n)*", "", f"{text}\n", flags=re.MULTILINE)  # examples
            text = re.sub(r"^ *\w+ : .*", "", text, flags=re.MULTILINE)  # names of parameters
            yield Text(f"{file.relative_to(ROOT)}:{node.lineno}", prose(text))


def of_pages():
    """Pages of the site, the README, and how to contribute."""
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        parts = file.relative_to(ROOT).parts
        if parts[0] != "CHANGELOG.md" and not {*MEASURED, "_build", "gallery"} & set(parts):
            yield Text("/".join(parts), prose(file.read_text(encoding="utf-8")))


def of_templates():
    """Text between the tags of reports."""
    for file in (ROOT / "src").rglob("*.html"):
        text = re.sub(r"<[^>]*>|{[%#].*?[%#]}|{{.*?}}", " ", file.read_text(encoding="utf-8"))
        yield Text(file.name, text)


def of_gallery():
    """What the pages of the gallery say: docstrings, comments and strings."""
    for file in (ROOT / "examples" / "gallery").glob("*.py"):
        yield from of_source(file)
        comments = re.findall(r"^# (.*)", file.read_text(encoding="utf-8"), re.MULTILINE)
        yield Text(file.name, prose("\n".join(comments)))


TEXTS = {
    "package": [text for file in sorted((ROOT / "src").rglob("*.py")) for text in of_source(file)],
    "pages": list(of_pages()),
    "report": list(of_templates()),
    "gallery": list(of_gallery()),
}


def found(old, text):
    """Old words of a text, with what is around them."""
    return [text[max(hit.start() - 40, 0) : hit.end() + 40] for hit in old.finditer(text)]


@pytest.mark.parametrize("where", TEXTS)
def test_old_words_are_gone(where):
    assert TEXTS[where]
    hits = [
        f"{text.place}: ...{' '.join(words.split())}... (instead: {new})"
        for text in TEXTS[where]
        for old, new in PATTERNS.items()
        for words in found(old, " ".join(text.text.split()))
    ]
    assert not hits, "\n".join(["", *hits])


def test_the_patterns_find_old_words():
    said = "Without gaps, 8 features were kept: samples had no say, judged by the error in classes."
    hits = [old.search(said)[0] for old in PATTERNS if old.search(said)]
    assert hits == ["no say", "error in classes", "gaps", "judged", "features were kept"]
    assert not any(
        old.search(prose("Of `gaps`, [x](judged) and ``kept features``")) for old in PATTERNS
    )


def test_docstrings_say_what_a_thing_is():
    """Not that it is the same as the one above, which a page of the reference does not show."""
    for file in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                text = str(node.value.value).strip()
                assert not text.startswith("The same"), f"{file.name}:{node.lineno}: {text}"
