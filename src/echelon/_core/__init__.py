"""Internal helpers that all packages share: not public, may change any time.

``words``        every sentence about data and results, made of facts
``samples``      samples of whatever kind: some of the rows, weights, seeds; laid out for an engine
``directions``   which features should rise or fall with the classes
``named``        columns said by mask, index or name
``foreign``      tables of other libraries as pandas has them
``choices``      features that must be selected, or stand or fall together; searches over sets of
them
``folds``        how rows are split, held-out scores, and the constant baseline models must beat
``significance`` standard errors over folds, their test, and error rates of many p-values
``by_class``     one feature in every class: quantiles or shares of labels
``jobs``         parallel work, and how far it has come
``compat``       private names of scikit-learn, imported nowhere else
``extras``       packages that an extra installs
``files``        files written whole or not at all
"""
