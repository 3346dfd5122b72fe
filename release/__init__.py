"""What a release takes; no part of the package.

``check``    ``make release-check``: sdist and wheel, built and used as a stranger would
``smoke``    run by it where only the wheel is installed: every estimator, the command, a report
``client``   a typed program that uses the package, for mypy
"""
