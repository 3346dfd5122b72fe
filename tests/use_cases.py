"""Running the code that is written behind an answer."""

import contextlib
import io
import json


def run(code):
    """What the code prints; a notebook cell by cell."""
    if code.lstrip().startswith("{"):
        cells = json.loads(code)["cells"]
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "script", "exec"), {"__name__": "__main__"})
    return said.getvalue()


def printed_score(code):
    """The number at the end of what it prints."""
    return float(run(code).split()[-1])
