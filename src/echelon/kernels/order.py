"""Order statistics by selection."""

from echelon.kernels._jit import kernel


@kernel
def kth_smallest(values, k):
    """The k-th smallest value (k from 1), by selection; reorders the values."""
    left, right = 0, values.shape[0] - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            right = j
        elif k - 1 >= i:
            left = i
        else:
            break
    return values[k - 1]
