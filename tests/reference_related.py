"""The largest rank correlation of any column with the target, in plain loops."""


def mid_ranks(values):
    """Rank of every value, ties shared."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def correlation(a, b):
    """Of two lists of numbers; 0 if one is constant."""
    n = len(a)
    a = [x - sum(a) / n for x in a]
    b = [x - sum(b) / n for x in b]
    scale = sum(x * x for x in a) * sum(x * x for x in b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / scale**0.5 if scale > 0 else 0.0


def largest(columns, outcomes):
    """The largest absolute correlation of ranks of any column with any outcome."""
    return max(
        abs(correlation(mid_ranks(column), mid_ranks(outcome)))
        for column in columns
        for outcome in outcomes
    )


def p_value(columns, outcomes, orders):
    """The share of orders of the rows with as large a correlation, the given one included."""
    observed = largest(columns, outcomes)
    as_large = sum(
        largest(columns, [[outcome[i] for i in order] for outcome in outcomes]) >= observed - 1e-9
        for order in orders
    )
    return (1 + as_large) / (1 + len(orders))


def residuals(values):
    """What a regression on the value before, a constant and the number of the row leaves.

    By Gram and Schmidt: the regressors made orthogonal one by one, and taken off.
    """
    y, regressors = (
        values[1:],
        [[1.0] * (len(values) - 1), list(range(len(values) - 1)), values[:-1]],
    )
    found = []
    for column in regressors:
        for other in found:
            column = without(column, other)
        if sum(x * x for x in column) > 1e-9:
            found.append(column)
    for column in found:
        y = without(y, column)
    return [0.0 if abs(x) < 1e-9 else x for x in y]


def without(a, b):
    """A list less its projection on another one."""
    share = sum(x * z for x, z in zip(a, b, strict=True)) / sum(z * z for z in b)
    return [x - share * z for x, z in zip(a, b, strict=True)]


def p_value_along(columns, outcomes, order):
    """The same for rows along time: residuals of ranks, and all shifts of the outcomes."""
    columns, outcomes = (
        [residuals([mid_ranks(values)[i] for i in order]) for values in part]
        for part in (columns, outcomes)
    )
    n = len(order) - 1
    shifts = [[(i - shift) % n for i in range(n)] for shift in range(1, n)]
    return p_value(columns, outcomes, shifts)
