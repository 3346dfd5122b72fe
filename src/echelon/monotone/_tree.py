"""A classification tree that splits by the order of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.samples import read_rows, row_counts, weighted_rows
from echelon.base import note_features
from echelon.data import ORDERED, Data, as_table, kind_of, read_columns
from echelon.monotone._grown import CRITERIA, Limits, Rows, Tree, as_text, best_price
from echelon.targets import answered, read_ordered_classes


class OrdinalTree(ClassifierMixin, BaseEstimator):
    """A classification tree for ordered classes.

    Parameters
    ----------
    criterion : {"ordinal_gini", "ranking", "rank_information", "gini"}, default="ordinal_gini"
        What a split gains.  With ``N`` the weight of a node, ``N_i`` that of a class and ``C_q``
        the share of the samples up to class ``q``:

        - "ordinal_gini": the decrease of ``N sum_q C_q (1 - C_q)``, the squared error of the
          questions "is y above class q?";
        - "ranking": the decrease of ``sum_{i < j} (j - i) N_i N_j`` [1]_ [2]_, which is
          ``N^2 sum_q C_q (1 - C_q)``: ordinal Gini, weighted by the square of the size, so that
          splits into halves are preferred;
        - "rank_information": the rank mutual information of the classes and the two sides
          [3]_, for features that rise with the class (see Notes);
        - "gini": the decrease of ``N sum_i (N_i / N) (1 - N_i / N)``, which ignores the order.
    max_depth : int, default=None
        Splits above a leaf, at most; None: until leaves are small or pure.
    min_samples_split : int, default=2
        Samples in a node that is split, at least.
    min_samples_leaf : int, default=1
        Minimum number of samples in a leaf.
    ccp_alpha : float or "cv", default=0.0
        The price of a leaf in minimal cost-complexity pruning [4]_: the cost of a leaf is its
        ordinal Gini impurity (with ``criterion="gini"`` its Gini impurity), weighted by its share
        of the samples.  "cv": the price with the smallest held-out MAE in classes, or the
        smallest error rate with ``answer="mode"``.
    cv : int, splitter, iterable or None, default=5
        Folds. A number: shuffled, stratified by class.  None: 5, not shuffled.  For
        ``ccp_alpha="cv"`` only.
    answer : {"median", "mode"}, default="median"
        What :meth:`predict` answers: the median class of a leaf, which is best
        for the MAE in classes, or the most frequent one, which is best for accuracy.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.  Only the folds of ``ccp_alpha="cv"`` are random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    tree_ : Tree
        The nodes, as arrays: ``feature``, ``threshold``, ``left``, ``right``, ``counts``, ...
    ccp_alpha_ : float
        The price of a leaf that was used.
    feature_importances_ : ndarray of shape (n_features,)
        Share of the decrease of the criterion that every feature is responsible for.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    OrdinalForest : Many randomised trees, by ordinal Gini.
    OrdinalDecomposition : Any classifier, one copy per threshold.

    Notes
    -----
    A numeric or ordered feature is cut between neighbouring values, in the middle.  Categories of
    a nominal feature are sorted by their mean class code and cut there.  With two classes no other
    division of the categories gains more, except by "ranking", which also weighs their sizes; with
    more classes it is a heuristic.  Missing values go to the side where they gain more, and may be
    split from all others; where a node saw none, to the side with more samples, as do categories
    that the node did not see.  Of splits that gain the same the first counts: features in their
    order, then missing values on the right, then cuts from below.

    Weights count rows: a row of weight 2 is a row that is there twice, also in
    ``min_samples_split`` and ``min_samples_leaf``.  The folds of ``ccp_alpha="cv"`` draw rows, and
    with it copies fall into other folds.

    "rank_information" makes no split that gains nothing, hence none whose right side is
    stochastically lower than the node: a feature that falls with the class gains nothing until it
    is negated, and a node in which no cut gains is a leaf, pure or not.  If no training sample is
    at least as good as another in all features and of a lower class, a tree without limits keeps
    the order of the training samples wherever its leaves are pure, by this criterion as by any
    other.  Between samples that it was not trained on no criterion promises this [5]_, unless
    there is one feature only.

    References
    ----------
    .. [1] F. Xia, W. Zhang, J. Wang, "An effective tree-based algorithm for ordinal regression",
       IEEE Intelligent Informatics Bulletin 7(1), 2006, 22-26.
    .. [2] F. Xia, W. Zhang, F. Li, Y. Yang, "Ranking with decision tree", Knowledge and
       Information Systems 17, 2008, 381-395.
    .. [3] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
       monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012,
       2052-2064.
    .. [4] L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and regression
       trees", Wadsworth, 1984.
    .. [5] R. Potharst, A. J. Feelders, "Classification trees for problems with monotonicity
       constraints", SIGKDD Explorations 4(1), 2002, 1-10.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon import OrdinalTree
    >>> X = pd.DataFrame({"income": [1, 2, 3, 4, 5, 6, 7, 8], "home": list("rrrorooo")})
    >>> grade = pd.Categorical(["low"] * 3 + ["mid"] * 3 + ["high"] * 2,
    ...                        ["low", "mid", "high"], ordered=True)
    >>> tree = OrdinalTree().fit(X, grade)
    >>> print(tree.export_text())
    |--- income <= 3.5: low (3, 0, 0)
    |--- income > 3.5
    |   |--- income <= 6.5: mid (0, 3, 0)
    |   |--- income > 6.5: high (0, 0, 2)
    >>> tree.predict(X[:4]).tolist()
    ['low', 'low', 'low', 'mid']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions(set(CRITERIA))],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "ccp_alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "cv": ["cv_object"],
        "answer": [StrOptions({"median", "mode"})],
        "class_order": [None, "array-like"],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        criterion: str = "ordinal_gini",
        *,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        ccp_alpha: float | str = 0.0,
        cv: Any = 5,
        answer: str = "median",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.answer = answer
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalTree:
        """Grow the tree, and prune it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples; values may be missing.
        y : array-like of shape (n_samples,)
            Ordered classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows every row stands for; a row of weight 0 is not there.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y, weights = weighted_rows(as_table(X), y, sample_weight)
        note_features(self, X, y)
        self._columns = Columns(X, self.categorical_features)
        values = self._columns.read(X, min_samples=2)
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        check_consistent_length(values, codes)
        self._gappy = np.isnan(values).any(axis=0)
        n_categories = [len(self._columns.levels.get(j, ())) for j in range(values.shape[1])]
        rows = Rows(
            values,
            self._columns.nominal,
            np.array(n_categories),
            codes,
            row_counts(weights, len(codes)),
            len(self.classes_),
        )
        self.tree_ = self._pruned(rows)
        gains = np.bincount(
            np.maximum(self.tree_.feature, 0), self.tree_.gains, self.n_features_in_
        )
        self.feature_importances_ = gains / (gains.sum() or 1.0)
        return self

    def _pruned(self, rows: Rows) -> Tree:
        """The tree that was grown, cut back to what leaves are worth."""
        limits = Limits(
            self.criterion, self.max_depth, self.min_samples_split, self.min_samples_leaf
        )
        tree = rows.grown(limits)
        self.ccp_alpha_ = 0.0 if isinstance(self.ccp_alpha, str) else float(self.ccp_alpha)
        if self.ccp_alpha == 0:
            return tree
        prices = tree.prices(self.criterion)
        if self.ccp_alpha == "cv":
            rng = check_random_state(self.random_state)
            self.ccp_alpha_ = best_price(rows, prices, limits, self.answer, self.cv, rng)
        return tree.pruned(prices <= self.ccp_alpha_)

    def predict(self, X: Any) -> np.ndarray:
        """The median or the most frequent class of the leaf (see ``answer``), the lowest if equal.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        classes : ndarray of shape (n_samples,)
            Predicted classes.
        """
        leaves = self.apply(X)
        return self.classes_[answered(self.tree_.shares, self.answer)[leaves]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes in the leaf.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Every row adds up to 1.
        """
        leaves = self.apply(X)
        return self.tree_.shares[leaves]

    def apply(self, X: Any) -> np.ndarray:
        """The leaf every sample ends up in.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
            Numbers of nodes in ``tree_``.
        """
        check_is_fitted(self)
        X = read_rows(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return self.tree_.leaves(self._columns.read(X))

    def get_depth(self) -> int:
        """The largest number of splits above a leaf.

        Returns
        -------
        depth : int
            0 if the tree is one leaf.
        """
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Returns
        -------
        n_leaves : int
            At least 1.
        """
        check_is_fitted(self)
        return int((self.tree_.feature < 0).sum())

    def export_text(self) -> str:
        """The tree as text: splits, and in every leaf the answer and the weights of the classes.

        Returns
        -------
        text : str
            One line per split and side.
        """
        check_is_fitted(self)
        answers = self.classes_[answered(self.tree_.shares, self.answer)]

        def leaf(node: int) -> str:
            counts = ", ".join(f"{count:.6g}" for count in self.tree_.counts[node])
            return f"{answers[node]} ({counts})"

        return as_text(self.tree_, self._name_of, self._columns.levels, self._gappy, leaf)

    def _name_of(self, feature: int) -> str:
        names = self._columns.names
        return f"feature_{feature}" if names is None else str(names[feature])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags


class Columns:
    """What the columns hold: nominal ones keep the codes of their categories.

    Parameters
    ----------
    X : DataFrame, ndarray or Data of shape (n_samples, n_features)
        The table of ``fit``.
    categorical_features : "from_dtype", None, mask, indices or names
        Which columns are nominal.

    Attributes
    ----------
    nominal : ndarray of shape (n_features,)
        Mask of the nominal columns.
    names : ndarray of shape (n_features,) or None
        Names of the columns, where the table has some.
    levels : dict of int to Index
        Categories of nominal columns, sorted, and of ordered ones, by column.
    """

    def __init__(self, X: Any, categorical_features: Any) -> None:
        data = read_columns(X, categorical_features)
        self.nominal, self.names = data.nominal, data.names
        self.levels: dict[int, pd.Index] = {}
        table = X.frame if isinstance(X, Data) else X
        if not isinstance(table, pd.DataFrame) and not self.nominal.any():
            return
        for j, column in enumerate(_columns_of(table)):
            if self.nominal[j]:
                self.levels[j] = _categories(column)
            elif kind_of(column) == ORDERED:
                self.levels[j] = column.cat.categories

    def read(self, X: Any, min_samples: int = 1) -> np.ndarray:
        """Numbers and codes; NaN where missing, or where a category is not known."""
        if self.levels:
            table = pd.DataFrame(X.frame if isinstance(X, Data) else X).copy(deep=False)
            for j, levels in self.levels.items():
                codes = levels.get_indexer(pd.Index(table.iloc[:, j].astype(object)))
                table.isetitem(j, np.where(codes < 0, np.nan, codes.astype(float)))
            X = table
        values = read_columns(X, None, min_samples=min_samples).values
        return np.ascontiguousarray(values, dtype=np.float64)


def _columns_of(table: Any) -> list[pd.Series]:
    frame = pd.DataFrame(table)
    return [frame.iloc[:, j] for j in range(frame.shape[1])]


def _categories(column: pd.Series) -> pd.Index:
    """The categories that there are, in their own order where they have one."""
    found = column.astype(object).dropna().unique().tolist()
    try:
        found.sort()
    except TypeError:  # labels of several kinds
        found.sort(key=str)
    return pd.Index(found, dtype=object)
