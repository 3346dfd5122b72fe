"""Twelve tables as an analyst has them: what the command answers, and whether it holds.

``data``     the twelve tables, and the command for each
``measure``  the command on a whole table; its choice beside others, in folds that had no say
``page``     the page in docs

    python -m benchmarks.analyst [--data FOLDER] [--cells FOLDER] [--sets NAME ...] [--write]
"""
