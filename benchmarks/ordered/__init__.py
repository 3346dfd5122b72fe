"""Which ranking of features serves ordered classes best?  24 data sets, ranked inside every fold.

``python -m benchmarks.ordered --data FOLDER`` runs it; the parts:

``data``      the sets as numbers, and which of them methods may be tuned on
``rankers``   name -> ranking; ``trees``, ``linear``, ``relief`` and ``library`` hold the functions
``study``     one table, its folds, the errors of three models; finished cells are kept
``results``   cells -> one frame -> figures with intervals over data sets
``kept``      the sets that methods keep on their own; ``growth`` time against size
``page``      all of it as docs/benchmarks/ordered.md
"""
