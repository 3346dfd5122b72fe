"""The command ``echelon``: from a file to a ranking; what is heavy is imported when needed.

``_main``      exit codes, signals, and one line for every error
``_app``       the commands and their help;  ``_options``  the options they share
``_commands``  check, compute, write, show;  ``_terminal``  where results and errors go
``files``      files of every format;  ``_described``  their columns, before there is a target
``_bundled``   data to try things on;  ``_directions``  ``--rises``, ``--falls``, ``--together``
``_columns``  what every column is, and the target
``_prepare``   from a table to features and target, and methods that fit
``_work``      ranking, comparing, bounding
``_use``       the answer saved, as code (``_pandas``: how it reads), applied to later files
``_config``    options in a file;  ``_targets``  several targets of one file
``_show``      what is said about the result;  ``_outputs``  files that are written
``app``        the command in a page of the browser
"""

from echelon.cli._main import main

__all__ = ["main"]
