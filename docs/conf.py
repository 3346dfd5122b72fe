"""The site: ``make docs`` builds it from the Markdown of this folder into ``_build``."""

import sys
from importlib.metadata import metadata
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
    "_site.pictures",
    "_site.reference",
    "_site.tables",
]
exclude_patterns = ["_build", "_site", "_templates", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True
toc_object_entries_show_parents = "hide"

# ------------------------------------------------------------------------------ pages, reference
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]  # which GitHub draws, too

autosummary_generate = [f"api/{package}.rst" for package in reference.packages()]
autosummary_context = {"guides": reference.guides()}
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
    "thumbnail_size": (640, 440),
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
addresses = dict(each.split(", ", 1) for each in metadata("echelon").get_all("Project-URL") or [])
source = [{"name": name, "url": addresses[name], "icon": "fa-solid fa-code"}
          for name in ("Source",) if name in addresses]  # fmt: skip
"""The address of the source in the header, once ``[project.urls]`` has one."""

DOCS = Path(__file__).parent
WIDE = ["index", *(f"{folder}/{file.stem}" for folder in ("benchmarks", "papers")
                   for file in sorted((DOCS / folder).glob("*.md")))]  # fmt: skip
"""Pages without columns for navigation: what they show needs the width."""

html_theme = "pydata_sphinx_theme"
html_title = "echelon"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "text": "echelon",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
    },
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_start": ["navbar-logo", "version"],
    "navbar_end": ["theme-switcher", *(["navbar-icon-links"] if source else [])],
    "icon_links": source,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in [*WIDE, "methods"]}},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_favicon = "_site/static/logo.svg"
html_sidebars: dict[str, list[str]] = {page: [] for page in WIDE}
