"""What all rooms of the library share and nobody else needs: not public, may change any time.

``compat``       private names of scikit-learn, imported nowhere else
``search``       greedy searches over sets of features, and the ranks they lead to
``samples``      columns and classes laid out for an engine;  ``differences``  one scale for all
``any_target``   selectors that take ordered classes, classes without an order, and numbers
``directions``   which features should rise or fall with the classes
``folds``        shuffled folds;  ``errors``  the standard error over folds, and its test
``guesses``      the best constant guess, which models must beat
``error_rates``  which p-values pass when many are looked at
``choices``      features that must be kept, or stand or fall together
``sample_weights``  weights of samples as counts of rows
``rows``         rows, columns and copies of what the user passed
``by_class``     one feature in every class: quantiles or shares of labels
``jobs``         parallel work;  ``progress``  bars
``relevance``    the labels of relevance bounds and what they mean
``words``        numbers and lists as text, plain values for JSON
``unseen``       characters that act without being seen, shown as symbols
``files``        files written whole or not at all
"""
