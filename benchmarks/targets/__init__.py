"""The default ranking for numbers and for classes without an order, beside what else one would do.

``python -m benchmarks.targets --sets FOLDER --write``; the sets are written by
``python -m benchmarks.targets.data --to FOLDER``.
"""
