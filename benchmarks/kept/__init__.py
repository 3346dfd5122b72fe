"""Which rule selects the best set of features, and what it costs?

``python -m benchmarks.kept --data FOLDER --fresh FOLDER --targets FOLDER --write``; the sets of the
last two are written by ``python -m benchmarks.ordered.fresh --to FOLDER`` and ``python -m
benchmarks.targets.data --to FOLDER``.
"""
