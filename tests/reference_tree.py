"""Trees for ordered classes as plain loops from their definitions, importing nothing of ours.

Rows are lists of numbers, None where a value is missing; features in ``nominal`` hold categories.
A weight is a number of copies.
"""

import math

TIE = 1e-10


def counts_of(y, weights, k):
    counts = [0.0] * k
    for label, weight in zip(y, weights, strict=True):
        counts[label] += weight
    return counts


# ------------------------------------------------------------------------------------- criteria


def gini(counts):
    """Weight times the chance that two draws are of different classes."""
    n = sum(counts)
    return n * sum(c / n * (1 - c / n) for c in counts)


def ordinal_gini(counts):
    """Weight times the sum of C (1 - C) over the cumulative shares C."""
    n = sum(counts)
    return n * sum(sum(counts[:q]) / n * (1 - sum(counts[:q]) / n) for q in range(1, len(counts)))


def ranking(counts):
    """Pairs of samples by how many classes they are apart."""
    pairs = [(i, j) for i in range(len(counts)) for j in range(i)]
    return sum((i - j) * counts[i] * counts[j] for i, j in pairs)


def rank_information(right, y, weights):
    """Rank mutual information, times the weight: sums over pairs of samples.

    ``right`` says on which side every sample is; a sample on the right is above one on the left.
    """
    samples = list(zip(right, y, weights, strict=True))
    n = sum(weights)
    total = 0.0
    for side, label, weight in samples:
        above = sum(w for s, _, w in samples if s >= side)
        at_least = sum(w for _, c, w in samples if c >= label)
        both = sum(w for s, c, w in samples if s >= side and c >= label)
        total -= weight * math.log(above * at_least / (n * both))
    return total


IMPURITIES = {"ranking": ranking, "ordinal_gini": ordinal_gini, "gini": gini}


def gain_of(criterion, right, y, weights, k):
    if criterion == "rank_information":
        return rank_information(right, y, weights)
    impurity = IMPURITIES[criterion]
    sides = []
    for side in (False, True):
        rows = [i for i in range(len(y)) if right[i] == side]
        sides.append(impurity(counts_of([y[i] for i in rows], [weights[i] for i in rows], k)))
    return impurity(counts_of(y, weights, k)) - sum(sides)


# ---------------------------------------------------------------------------------------- splits


def splits(X, y, weights, nominal):
    """Every split of a node in the order in which they are tried: what is asked, and who is right.

    A question is (feature, threshold or categories on the left, where missing values go).
    """
    n, p = len(X), len(X[0])
    for f in range(p):
        known = [i for i in range(n) if X[i][f] is not None]
        gaps = len(known) < n
        values = sorted({X[i][f] for i in known})
        if f in nominal:
            values.sort(key=lambda v: round(2**30 * mean_class(X, y, weights, f, v)))
        for missing_left in [False, True] if gaps and known else [False]:
            for cut in range(0 if missing_left else 1, len(values) + (gaps and not missing_left)):
                left = set(values[:cut])
                right = [
                    not missing_left if X[i][f] is None else X[i][f] not in left for i in range(n)
                ]
                question = left if f in nominal else threshold(values, cut)
                yield (f, question, missing_left), right


def mean_class(X, y, weights, f, value):
    rows = [i for i in range(len(X)) if X[i][f] == value]
    return sum(y[i] * weights[i] for i in rows) / sum(weights[i] for i in rows)


def threshold(values, cut):
    if cut == 0:
        return -math.inf
    if cut == len(values):
        return math.inf
    return values[cut - 1] / 2 + values[cut] / 2


def best_split(X, y, weights, k, nominal, criterion, min_leaf):
    """The first split whose gain no later one exceeds, None if there is none."""
    scale = sum(weights)
    best_gain, best = 0.0, None
    if criterion != "rank_information":
        best_gain, scale = -1.0, IMPURITIES[criterion](counts_of(y, weights, k))
    for question, right in splits(X, y, weights, nominal):
        sides = [sum(w for w, r in zip(weights, right, strict=True) if r == s) for s in (0, 1)]
        if min(sides) < min_leaf:
            continue
        gain = gain_of(criterion, right, y, weights, k)
        if gain > best_gain + TIE * scale:
            best_gain, best = gain, (question, right)
    return best


# ---------------------------------------------------------------------------------------- trees


def grow(X, y, weights, k, nominal=(), criterion="ranking", max_depth=99, min_split=2, min_leaf=1):
    """A tree: {"counts": ..., and in inner nodes "question", "missing_left", "left", "right"}."""
    node = {"counts": counts_of(y, weights, k)}
    if max_depth == 0 or sum(weights) < min_split or len(set(y)) == 1:
        return node
    found = best_split(X, y, weights, k, nominal, criterion, min_leaf)
    if found is None:
        return node
    (feature, question, missing_left), right = found
    if all(row[feature] is not None for row in X):
        went_left = sum(w for w, r in zip(weights, right, strict=True) if not r)
        missing_left = went_left > sum(weights) - went_left
    node.update(feature=feature, question=question, missing_left=missing_left)
    node["seen"] = {row[feature] for row in X}
    for name, side in (("left", False), ("right", True)):
        rows = [i for i in range(len(X)) if right[i] == side]
        node[name] = grow(
            [X[i] for i in rows], [y[i] for i in rows], [weights[i] for i in rows], k, nominal,
            criterion, max_depth - 1, min_split, min_leaf,
        )  # fmt: skip
    return node


def leaf_of(node, row, nominal=()):
    """The leaf of a row; a category that the node did not see goes with the missing values."""
    while "left" in node:
        value = row[node["feature"]]
        if value is None or (node["feature"] in nominal and value not in node["seen"]):
            left = node["missing_left"]
        elif node["feature"] in nominal:
            left = value in node["question"]
        else:
            left = value <= node["question"]
        node = node["left"] if left else node["right"]
    return node


def shares(node):
    return [c / sum(node["counts"]) for c in node["counts"]]


def leaves(node):
    return 1 if "left" not in node else leaves(node["left"]) + leaves(node["right"])


def depth(node):
    return 0 if "left" not in node else 1 + max(depth(node["left"]), depth(node["right"]))


# -------------------------------------------------------------------------------------- pruning


def cost(node, total, criterion):
    """Impurity of a node as a leaf, weighted by its share of all samples."""
    return (gini if criterion == "gini" else ordinal_gini)(node["counts"]) / total


def branch_cost(node, total, criterion):
    if "left" not in node:
        return cost(node, total, criterion)
    return sum(branch_cost(node[side], total, criterion) for side in ("left", "right"))


def inner(node):
    if "left" not in node:
        return []
    return [node, *inner(node["left"]), *inner(node["right"])]


def pruned(tree, price, criterion):
    """Cut the weakest link while it is not worth its leaves; changes the tree."""
    total = sum(tree["counts"])
    while inner(tree):
        worth = [
            (cost(t, total, criterion) - branch_cost(t, total, criterion)) / (leaves(t) - 1)
            for t in inner(tree)
        ]
        weakest = min(range(len(worth)), key=worth.__getitem__)
        if worth[weakest] > price:
            break
        node = inner(tree)[weakest]
        del node["left"], node["right"]
    return tree


# ------------------------------------------------------------------------------------- monotone


def boxes(node, p, nominal=()):
    """Every leaf's counts and its box: above ``low``, up to ``high``, per feature."""
    found = []

    def walk(node, low, high):
        if "left" not in node:
            found.append((node["counts"], low, high))
            return
        f, cut = node["feature"], node["question"]
        walk(node["left"], low, [*high[:f], min(high[f], cut), *high[f + 1 :]])
        walk(node["right"], [*low[:f], max(low[f], cut), *low[f + 1 :]], high)

    walk(node, [-math.inf] * p, [math.inf] * p)
    return found


def is_monotone(node, p):
    """Whether no leaf of a lower class holds a point above one in a leaf of a higher class."""
    every = boxes(node, p)
    for counts, low, _ in every:
        for others, _, high in every:
            reach = all(a < b for a, b in zip(low, high, strict=True))
            if reach and counts.index(max(counts)) > others.index(max(others)):
                return False
    return True
