"""Margins of interval data to the prototypes of their classes: linear in the number of rows.

A prototype is the mean interval of a class.  One pass over the rows finds the prototypes
(``intervals.mean_intervals``), a second one adds up the margins.
"""

from __future__ import annotations

import numpy as np

from echelon._core.progress import track
from echelon.engines import TIE_TOLERANCE, Engine
from echelon.intervals._means import Scale, added
from echelon.intervals._read import blocks_of_rows
from echelon.kernels.prototypes import add_absolute_margins, add_margins

TURNED, PAIRED = "linf", "l2"
"""Distances that need midpoints and half widths, and the Euclidean norm of two differences."""


def turned(bounds: np.ndarray) -> np.ndarray:
    """Midpoints and half widths in place of lower and upper bounds, along the last axis.

    max(|a|, |b|) = |a + b| / 2 + |a - b| / 2, so the largest difference of two bounds is the
    difference of midpoints plus that of half widths.
    """
    lower, upper = bounds[..., 0], bounds[..., 1]
    return np.stack([(lower + upper) / 2, (upper - lower) / 2], axis=-1)


def prototype_weights(
    scale: Scale,
    codes: np.ndarray,
    prototypes: np.ndarray,
    engine: Engine,
    *,
    distance: str,
    componentwise: bool,
    missing: bool,
    verbose: int = 0,
) -> np.ndarray:
    """Mean over the samples of the difference to other prototypes less that to their own."""
    dtype = scale.values.dtype
    centers = turned(prototypes) if distance == TURNED else prototypes
    centers = np.ascontiguousarray(centers.transpose(0, 2, 1)).astype(dtype)
    turn, paired = distance == TURNED, distance == PAIRED
    tolerance = 1.0 + TIE_TOLERANCE[dtype]

    def task(rows: slice) -> tuple[np.ndarray]:
        scores = np.zeros(len(scale.low))
        data = scale.values[rows], codes[rows], scale.low, scale.inverse, centers, turn
        if componentwise or missing or paired:
            add_margins(*data, paired, componentwise, tolerance, scores)
        else:
            add_absolute_margins(*data, tolerance, scores)
        return (scores,)

    blocks = blocks_of_rows(len(codes))
    done = track(
        engine.map(task, blocks),
        total=len(blocks),
        description="Interval margins",
        verbose=verbose,
    )
    (scores,) = added(done)
    return scores / len(codes)
