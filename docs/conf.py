"""The site: ``make docs`` builds it from the Markdown of this folder into ``_build``."""

import sys
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parent))  # for _site

from _site import reference

import echelon

project = "echelon"
author = "The echelon developers"
project_copyright = f"{author}, BSD-3-Clause"
version = release = echelon.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "_site.links",
    "_site.mathml",
    "_site.reference",
]
exclude_patterns = ["_build", "_site", "_templates", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True

# ------------------------------------------------------------------------------ pages, reference
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]  # which GitHub draws, too

autosummary_generate = [f"api/{package}.rst" for package in reference.packages()]
autosummary_context = {"guides": reference.guides(), "selectors": reference.selectors()}
autodoc_mock_imports = reference.ABSENT
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_use_plots = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# ---------------------------------------------------------------------------------------- gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/of",
    "doc_module": ("echelon",),
    "reference_url": {"echelon": None},
    "abort_on_example_error": True,
    "capture_repr": (),
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
}

# ------------------------------------------------------------------- other projects, if in reach
OTHERS = {
    "numpy": "https://numpy.org/doc/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "python": "https://docs.python.org/3/",
    "sklearn": "https://scikit-learn.org/stable/",
}


def in_reach(address: str) -> bool:
    """Whether a project's inventory can be had: without a network the site is built, too."""
    try:
        with urlopen(f"{address}objects.inv", timeout=3):
            return True
    except OSError:
        return False


intersphinx_mapping = {name: (at, None) for name, at in OTHERS.items() if in_reach(at)}
nitpick_ignore_regex = [(r"py:.*", rf"({'|'.join(OTHERS)}|np|pd)\..*")]

# ------------------------------------------------------------------------------------------- look
html_theme = "pydata_sphinx_theme"
html_title = "echelon"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "echelon"},
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "cli": [], "scale": [], "changelog": []}
