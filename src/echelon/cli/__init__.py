"""The command ``echelon``: from a file to a ranking; what is heavy is imported when needed.

``_main``      exit codes, and one line for every error      ``_app``      the commands
``_options``   the options all of them share                 ``files``     files of every format
``_prepare``   from a table to features and target           ``_target``   y, asked about if unclear
``_columns``   what every column is                          ``_progress``  a bar on a terminal
``_work``      ranking and comparing                         ``_show``     tables for the terminal
``_commands``  check, compute, write, show                   ``_console``  where results go
``_outputs``, ``_pictures``  files that are written          ``_demo``     data that come along
``_estimators``  models by name                             ``_errors``   wrong input, said in words
``_warm_up``   loops compiled ahead                         ``_signals``  an end, wherever it lands
"""

from echelon.cli._main import main

__all__ = ["main"]
