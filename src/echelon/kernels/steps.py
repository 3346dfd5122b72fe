"""Pairs of neighbours counted by how the value of a feature and the class step between them."""

from echelon.kernels._jit import kernel


@kernel
def count_steps(counts, indices, shares, codes, classes, pairs, agreeing):
    """Weights of pairs by value of the query and kind of step, and of those the class agrees with.

    Query i has ``counts[i]`` neighbours, one query after the other; ``codes`` are the values of a
    feature as 0, 1, ..., negative where missing.  ``pairs[v, s]`` adds up shares where the query
    has value v and the feature steps up to it from the neighbour (s = 0), down to it (1), or
    stays (2); ``agreeing`` those in which the class does the same.
    """
    pairs[:] = 0
    agreeing[:] = 0
    start = 0
    for i in range(counts.shape[0]):
        end, value = start + counts[i], codes[i]
        if value >= 0:
            for pair in range(start, end):
                other = codes[indices[pair]]
                if other >= 0:
                    step = _step(value, other)
                    pairs[value, step] += shares[pair]
                    if _step(classes[i], classes[indices[pair]]) == step:
                        agreeing[value, step] += shares[pair]
        start = end


@kernel
def _step(to, origin):
    """0 up, 1 down, 2 none."""
    if to > origin:
        return 0
    return 1 if to < origin else 2
