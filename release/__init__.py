"""What a release takes; no part of the package.

``check``    ``make release-check``: sdist and wheel, built and used as a stranger would
``smoke``    run by it where only the wheel is installed: every estimator, the command, a report
``lowest``   the oldest versions pyproject allows, for ``make test-lowest``
``cut``      ``make release-cut``: version, citation and changelog of a release
``changelog`` its sections, and the fragments in ``changes/``
``client``   a typed program that uses the package, for mypy
"""
