"""Displays leave Matplotlib's backend as it is, and import Matplotlib only to draw."""

import os
import subprocess
import sys

import pytest

# As that of notebooks: it is loaded with the first figure, and makes pyplot interactive.
BACKEND = """
import matplotlib
from matplotlib.backends.backend_agg import *
from matplotlib.backends.backend_agg import _Backend
matplotlib.interactive(True)
"""

AFTER_A_PLOT = """
from echelon.display import ScoresDisplay
ScoresDisplay(["a", "b"], [1, 2]).plot()
import matplotlib as mpl
from matplotlib import pyplot as plt
assert mpl.is_interactive(), "later figures are not shown by themselves"
assert mpl.get_backend() == "module://like_a_notebook", mpl.get_backend()
assert mpl.rcParams["font.size"] == mpl.rcParamsDefault["font.size"]
assert len(plt.get_fignums()) == 1
"""

AFTER_A_PAGE = """
import sys
from echelon.display import ScoresDisplay
assert "<img" in ScoresDisplay(["a", "b"], [1, 2])._repr_html_()
assert "matplotlib.pyplot" not in sys.modules
assert "like_a_notebook" not in sys.modules
"""

WITHOUT_A_PLOT = """
import sys
import echelon.display
from echelon.display.style import class_colours
echelon.display.ScoresDisplay(["a", "b"], [1, 2]).frame()
assert class_colours(3, ordered=True)[0] == "#440154"
assert "matplotlib" not in sys.modules
"""


@pytest.mark.parametrize("program", [AFTER_A_PLOT, AFTER_A_PAGE, WITHOUT_A_PLOT])
def test_the_backend_stays(program, tmp_path):
    (tmp_path / "like_a_notebook.py").write_text(BACKEND)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = os.environ | {"PYTHONPATH": path, "MPLBACKEND": "module://like_a_notebook"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
