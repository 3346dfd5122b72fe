"""``echelon app``: the command in a page of this machine's own browser.

``_serve``   opens the page, and ends it: nothing is left, no process and no file
``_guard``   who may ask for anything: host, origin, token, session; and what pages may do
``_routes``  what can be asked for
``_files``   files that were dropped, in a private folder
``_jobs``    commands that run for the page, each in a process that can be ended
``_child``   that process;  ``_asked``  what was chosen in the page as options of a command

Nothing is computed here: a job is a command of ``echelon`` with its options, and the page shows
what the command says and writes.
"""

from echelon.cli.app._serve import serve

__all__ = ["serve"]
