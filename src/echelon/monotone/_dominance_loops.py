"""Compiled loops over pairs of samples: who dominates whom, in bits and by class.

Rows are sorted by class.  Row i dominates row j if it is at least as large in every numeric feature
and equal in every nominal one; a feature that misses a value of either says nothing about them.

A relation is kept as bits: bit i of ``above[j]`` says that i dominates j, and bit i of
``below[j]`` that j dominates i.  One more feature clears bits.  Walking along its sorted values,
the rows that are at least as large as the present one become fewer, bit by bit, so a row costs
n / 64 words.
"""

import numpy as np

from echelon.kernels import kernel

ONE = np.uint64(1)
NONE = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def separates(a, b, is_nominal):
    """Whether a, of a lower class than b, is no contradiction to it in a feature."""
    return a < b or (is_nominal and a > b)


@kernel
def lone_separators(values, nominal, starts, boundary, first, last, found):
    """Mark features that alone separate a pair of which one row lies in no boundary."""
    for j in range(first, last):
        for i in range(starts[j]):
            if boundary[i] and boundary[j]:
                continue
            which, n = -1, 0
            for f in range(values.shape[1]):
                if separates(values[i, f], values[j, f], nominal[f]):
                    which = f
                    n += 1
                    if n > 1:
                        break
            if n == 1:
                found[which] = True


@kernel
def separating_sets(values, nominal, starts, boundary, n_core, first, last, seen):
    """Mark the sets of features that separate pairs of which one row lies in no boundary.

    Pairs that one of the first ``n_core`` features separates are left out; bit f of a set stands
    for feature ``n_core + f``.
    """
    for j in range(first, last):
        for i in range(starts[j]):
            if boundary[i] and boundary[j]:
                continue
            found = False
            for f in range(n_core):
                if separates(values[i, f], values[j, f], nominal[f]):
                    found = True
                    break
            if found:
                continue
            mask = 0
            for f in range(n_core, values.shape[1]):
                if separates(values[i, f], values[j, f], nominal[f]):
                    mask |= 1 << (f - n_core)
            seen[mask] = 1


# --------------------------------------------------------------------------- families of sets


@kernel
def with_subset(family, n_bits):
    """Mark every set that contains a set of the family; a set is the bits of its index."""
    for bit in range(n_bits):
        for each in range(family.shape[0]):
            if each >> bit & 1:
                family[each] |= family[each ^ (1 << bit)]


@kernel
def minimal_only(family, containing, n_bits):
    """Leave the sets of a family no proper subset of which is in it.

    ``containing`` marks the sets that contain one of the family.
    """
    for each in range(family.shape[0]):
        for bit in range(n_bits):
            if each >> bit & 1 and containing[each ^ (1 << bit)]:
                family[each] = 0


# ---------------------------------------------------------------------------- relations as bits


@kernel
def set_bit(words, i):
    words[i >> 6] |= ONE << np.uint64(i & 63)


@kernel
def clear_bit(words, i):
    words[i >> 6] &= ~(ONE << np.uint64(i & 63))


@kernel
def begin(order, n_present, is_nominal, up, down):
    """Rows at least as large, and at most as large, as none yet: those that miss the value."""
    up[:] = NONE if is_nominal else ALL
    down[:] = NONE
    for k in range(n_present, order.shape[0]):
        set_bit(up, order[k])
        set_bit(down, order[k])


@kernel
def step(order, before, start, end, is_nominal, up, down):
    """From one value, at places ``before`` to ``start`` of the order, to the next larger one."""
    for k in range(before, start):
        clear_bit(up, order[k])
        if is_nominal:
            clear_bit(down, order[k])
    for k in range(start, end):
        set_bit(down, order[k])
        if is_nominal:
            set_bit(up, order[k])


@kernel
def narrow(above, below, order, edges, is_nominal):
    """Clear the pairs that a feature separates; ``edges`` are the places where its values begin."""
    up, down = np.empty_like(above[0]), np.empty_like(above[0])
    begin(order, edges[-1], is_nominal, up, down)
    for g in range(edges.shape[0] - 1):
        step(order, edges[max(g - 1, 0)], edges[g], edges[g + 1], is_nominal, up, down)
        for k in range(edges[g], edges[g + 1]):
            above[order[k]] &= up
            below[order[k]] &= down


@kernel
def count_after(above, below, order, edges, is_nominal, rows, weights, sums, level, out):
    """Mass of boundary rows, and of contradicting pairs, if a feature were added.

    ``rows`` holds where the class of every row starts and ends, and whether it is looked at.
    """
    up, down = np.empty_like(above[0]), np.empty_like(above[0])
    begin(order, edges[-1], is_nominal, up, down)
    for g in range(edges.shape[0] - 1):
        step(order, edges[max(g - 1, 0)], edges[g], edges[g + 1], is_nominal, up, down)
        for k in range(edges[g], edges[g + 1]):
            add_row(above, below, up, down, order[k], rows, weights, sums, level, out)
    up[:], down[:] = ALL, ALL
    for k in range(edges[-1], order.shape[0]):
        add_row(above, below, up, down, order[k], rows, weights, sums, level, out)


@kernel
def add_row(above, below, up, down, j, rows, weights, sums, level, out):
    """Add what one row contributes."""
    if not rows[j, 2]:
        return
    n = above.shape[0]
    lower = mass_between(above[j], up, 0, rows[j, 0], sums)
    higher = mass_between(below[j], down, rows[j, 1], n, sums)
    good = lower == 0 and higher == 0
    if not good and level < 1:
        over = mass_between(above[j], up, 0, n, sums)
        under = mass_between(below[j], down, 0, n, sums)
        good = over - lower >= level * over and under - higher >= level * under
    if not good:
        out[0] += weights[j]
    out[1] += weights[j] * lower


@kernel
def class_masses(above, below, classes, ends, sums, out_above, out_below, both):
    """Mass by class of the rows that dominate every row, and of those it dominates.

    ``ends`` are the places where the classes end; ``both`` is the mass of the rows of other classes
    for which both hold.
    """
    n = above.shape[0]
    every = np.full(above.shape[1], ALL)
    for j in range(n):
        first = 0
        for c in range(ends.shape[0]):
            out_above[j, c] = mass_between(above[j], every, first, ends[c], sums)
            out_below[j, c] = mass_between(below[j], every, first, ends[c], sums)
            if c != classes[j]:
                both[j] += mass_between(above[j], below[j], first, ends[c], sums)
            first = ends[c]


@kernel
def still_contradicted(above, below, rows, sums):
    """Look no more at rows that nothing contradicts."""
    every = np.full(above.shape[1], ALL)
    for j in range(above.shape[0]):
        if rows[j, 2]:
            lower = mass_between(above[j], every, 0, rows[j, 0], sums)
            higher = mass_between(below[j], every, rows[j, 1], above.shape[0], sums)
            rows[j, 2] = lower > 0 or higher > 0


@kernel
def mass_between(row, mask, first, last, sums):
    """Mass of the bits of a row, within a mask, from ``first`` to before ``last``.

    ``sums`` holds the mass of every byte at every place; empty: bits count 1.
    """
    total = 0.0
    for w in range(first >> 6, (last + 63) >> 6):
        word = row[w] & mask[w]
        if w == first >> 6:
            word &= ALL << np.uint64(first & 63)
        if w == last >> 6:
            word &= ~(ALL << np.uint64(last & 63))
        if word == NONE:
            continue
        if sums.shape[0] == 0:
            total += popcount(word)
        else:
            for byte in range(8):
                total += sums[8 * w + byte, word >> np.uint64(8 * byte) & np.uint64(255)]
    return total


@kernel
def popcount(word):
    """Bits set in 64 bits, as compilers know it."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
