"""The command ``echelon``: from a file to a ranking; what is heavy is imported when needed.

``_main``      exit codes, signals, and one line for every error
``_app``       the commands and their help
``_options``   the options they share, and options in a file
``_rank``      ``rank`` and ``compare``;  ``_targets``  ``rank`` with several targets of one file
``_profile``   ``profile``;  ``_bounds``  ``bounds``;  ``_commands``  the small commands
``files``      files of every format;  ``_bundled``  data to try things on
``_columns``   what every column holds and is: the target, a feature, or known of the rows
``_prepare``   from a table to features and target, and methods that fit
``_use``       the answer saved, as code (``_pandas``: how it reads), applied to later files
``_show``      what is said about the result;  ``_outputs``  files that are written
``_terminal``  where results and errors go
``app``        the command in a page of the browser
"""

from echelon.cli._main import main

__all__ = ["main"]
