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
