"""The command ``echelon``: from a file to a ranking; what is heavy is imported when needed.

``_main``     exit codes, and one line for every error       ``_app``      the commands
``_options``  the options all of them share                  ``_read``     files of every format
``_text``, ``_arff``, ``_clean``  text files, and numbers and dates hidden in text
``_prepare``  from a table to features and target            ``_work``     ranking and comparing
``_commands`` check, compute, write, show                   ``_show``     tables for the terminal
``_outputs``, ``_pictures``  files that are written          ``_demo``     data that come along
"""

from echelon.cli._main import main

__all__ = ["main"]
