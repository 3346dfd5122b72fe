"""The page of all promises."""

from __future__ import annotations

from benchmarks.common import PAGES, environment
from benchmarks.error_rates import curve, dependent, keep_none, margin, null
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import HEAD, Row
from papers.pages import table

INTRODUCTION = """# What error rates are worth: nominal and observed

Where the library promises an error rate, this page says what came out.  *Realised*: the share of
data sets in which the promise was broken, with a 95 % interval (Wilson's; for shares within a
data set that of their mean).  *Interval*: "inside" if it contains the nominal rate, "below" if the
rate is smaller (kept, at the price of some power), "**above**" if the promise is broken; the
sentence where it is made says so too.  *Power*: the share of relevant features found, or of
data sets in which something is selected, on the same kind of data with weak relevant features in
it: a low rate is no use without power."""

NULL = f"""## `null_threshold`

Promised in `echelon.evaluation.null_threshold` and [evaluation](../evaluation.md).
{null.PERMUTATIONS} permutations, 60 samples in two classes and 20 features; for the power 5 of
20 shifted by one deviation. Exact where nothing is relevant; beside relevant features a guide,
and with few features, or strong ones, not even that: neighbours are then near in the relevant
features, and noise is evaluated by what it would score if there were none."""

RAW = """### The same, if raw scores were compared

As before 0.2: a score against the largest of a permutation, whichever feature it belongs to.
Where features differ in spread, the widest sets the bar, and the power is lost."""

MARGIN = """## `threshold="family"` and `"fdr"` of the Relief family

Promised in `Relief`, `ReliefF` and `OReliefF` (`error_rate`), and [margin](../margin.md).  200
samples and 30 columns of noise unless the row says otherwise, for the power 5 more with a shift
of half a deviation.  z-scores, more designs and selectors: [margin_rates](margin_rates.md)."""

KEEP_NONE = """## Nothing selected

Promised in `AutoSelector` (`helps_`), in reports and by `echelon rank`: [report](../report.md).
Share of data sets of pure noise in which something is selected; 80 samples and 10 columns unless
the row says otherwise.  Power: two weak features among ten."""

DEPENDENT = """### Rows that depend on each other

The same, with `time` or `groups`: 150 rows, five features and a number as target, all of one kind
and unrelated.  Power: the target gets 0.5 of the first feature (walks: all of it)."""

CURVE = """## `CurveSelector(allow_none=True)`

Promised in its docstring and [evaluation](../evaluation.md).  Share
of data sets of pure noise in which something is selected, with the rules "best" and "one_se"; power
with two weak features among ten."""

ERRORS = """## The standard error of a score

Promised in `FeatureCurve.standard_errors`, reports and `AutoSelector.score_error_`: one standard
error over five folds, corrected for overlapping training sets.  The true one is the standard
deviation of the mean score over data sets.  Plain: without the correction.  1 is exact, below 1
too small."""

BOUNDS = """## Relevance bounds

Promised in `RelevanceBounds` (`false_positive_rate`) and [bounds](../bounds.md)"""


def make_page(cells: Cells) -> str:
    """All sections, measuring what is missing."""
    tables, relief = null.rows(cells), margin.rows(cells)
    return "\n\n".join(
        [
            INTRODUCTION,
            KEEP_NONE,
            _rates(keep_none.rows(cells)),
            DEPENDENT,
            _rates(dependent.rows(cells)),
            CURVE,
            _rates(curve.rows(cells)),
            ERRORS,
            table(curve.ERRORS_HEAD, curve.errors(cells)),
            NULL,
            '### `control="family"`',
            _rates(tables.family),
            '### `control="fdr"`',
            _rates(tables.fdr),
            RAW,
            _rates(tables.raw),
            MARGIN,
            *(part for control in relief
              for part in (f'### `threshold="{control}"`', _rates(relief[control]))),
            _bounds(),
            f"{environment('scikit-learn')}.  `python -m benchmarks.error_rates --write` measures "
            "again.\n",
        ]
    )  # fmt: skip


def _rates(rows: list[Row]) -> str:
    return table(HEAD, [row.cells() for row in rows])


def _bounds() -> str:
    """Where their rates are: a page of their own, once it is written."""
    page = "bounds_rates.md"
    return f"{BOUNDS}; rates: [bounds_rates]({page})." if (PAGES / page).exists() else f"{BOUNDS}."
