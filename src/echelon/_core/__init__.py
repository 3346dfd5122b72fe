"""What all rooms of the library share and nobody else needs: not public, may change any time.

``words``        every sentence about data and results, made of facts
``rows``         rows and columns of what the user passed: taking some, weights, seeds
``samples``      columns on one scale, and samples laid out for an engine
``directions``   which features should rise or fall with the classes
``choices``      features that must be kept, or stand or fall together
``search``       greedy searches over sets of features, and the ranks they lead to
``folds``        folds, held-out scores, and the constant baseline that models must beat
``significance`` standard errors over folds, their test, and error rates of many p-values
``by_class``     one feature in every class: quantiles or shares of labels
``jobs``         parallel work;  ``progress``  bars
``compat``       private names of scikit-learn, imported nowhere else
``extras``       packages that an extra installs
``files``        files written whole or not at all
"""
