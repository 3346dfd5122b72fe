"""Words and numbers that people order: the likely order of labels, to ask about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

# From lowest to highest; words in one place mean the same.
_SCALES = (
    "very low|lowest, low|lower, medium|mid|middle|moderate|average|normal, high|higher, "
    "very high|highest",
    "none|no|absent, minimal|trace, mild|slight|minor, moderate, severe|serious|major, "
    "critical|extreme|very severe",
    "none, mild, low, medium|moderate, high, severe, critical|extreme",
    "very poor|very bad|terrible, poor|bad|weak, fair|average|ok|okay|acceptable|neutral|standard, "
    "good|strong, very good|great, excellent|outstanding|prime",
    "xs|tiny|extra small, s|small, m|medium, l|large|big, xl|huge|extra large, xxl",
    "never, rarely|seldom, sometimes|occasionally, often|usually|frequently, always",
    "strongly disagree, disagree, neutral|undecided|neither, agree, strongly agree",
    "very dissatisfied, dissatisfied|unsatisfied, neutral, satisfied, very satisfied",
    "beginner|novice, intermediate, advanced, expert",
    "bronze, silver, gold, platinum",
    "safe, watch|caution, warning, danger|alarm",
    "unacc, acc, good, vgood",
    "primary, secondary, tertiary",
    "green, yellow|amber, red",
)
_PLACES = [
    {word: place for place, words in enumerate(scale.split(", ")) for word in words.split("|")}
    for scale in _SCALES
]
_ROMAN = dict(zip("I II III IV V VI VII VIII IX X".split(), range(1, 11), strict=True))  # noqa: SIM905


def guess_order(labels: Sequence[object]) -> list[object] | None:
    """The order that labels seem to have, lowest first; None if they do not look ordered.

    Only good for a question: what looks like an order need not be one.

    Examples
    --------
    >>> from echelon.profile._scales import guess_order
    >>> guess_order(["high", "low", "medium"])
    ['low', 'medium', 'high']
    >>> guess_order(["grade 10", "grade 2", "grade 1"])
    ['grade 1', 'grade 2', 'grade 10']
    >>> guess_order(["setosa", "versicolor", "virginica"])
    """
    texts = [str(label).strip() for label in labels]
    for places in (*map(_by_words, [texts] * len(_PLACES), _PLACES), _by_letter(texts),
                   _by_roman(texts), _by_number(texts)):  # fmt: skip
        if places is not None and len(set(places)) == len(places) > 1:
            return [label for _, _, label in sorted(zip(places, texts, labels, strict=True))]
    return None


def _by_words(texts: list[str], scale: dict[str, int]) -> list[int] | None:
    words = [re.sub(r"[\s_-]+", " ", text).lower() for text in texts]
    # "low risk", "medium risk": what all have in common is not the order.
    endings = {word.split(" ", 1)[-1] for word in words if " " in word}
    if len(endings) == 1 and not any(word in scale for word in words):
        words = [word.removesuffix(f" {next(iter(endings))}") for word in words]
    return [scale[word] for word in words] if all(word in scale for word in words) else None


def _by_letter(texts: list[str]) -> list[int] | None:
    """Grades: A is the best."""
    if not all(re.fullmatch("[A-Ha-h]", text) for text in texts):
        return None
    return [-ord(text.upper()) for text in texts]


def _by_roman(texts: list[str]) -> list[int] | None:
    numerals = [text.split()[-1].upper() if text else "" for text in texts]
    heads = {
        text[: len(text) - len(numeral)] for text, numeral in zip(texts, numerals, strict=True)
    }
    fits = len(heads) == 1 and all(numeral in _ROMAN for numeral in numerals)
    return [_ROMAN[numeral] for numeral in numerals] if fits else None


def _by_number(texts: list[str]) -> list[float] | None:
    """Labels that are the same text around a number, or ranges such as 18-25, <5, 65+."""
    found = [re.match(r"([^\d]*?)(\d+(?:\.\d+)?)(.*)$", text) for text in texts]
    if not all(found):
        return None
    heads = {each[1].strip() for each in found if each}
    if not (len(heads) == 1 or heads <= {"", "<", "<=", ">", ">=", "≤", "≥", "under", "over"}):
        return None
    below = {"<", "<=", "≤", "under"}
    return [float(each[2]) - 0.5 * (each[1].strip() in below) for each in found if each]
