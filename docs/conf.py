"""Sphinx: Markdown pages, no network, every warning an error (see ``make docs``)."""

from __future__ import annotations

import logging

import railwise

project = "Railwise"
author = "the Railwise authors"
copyright = f"{author}, Apache-2.0"
version = release = railwise.__version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "decisions/template.md"]
nitpicky = True

html_theme = "furo"
html_title = f"Railwise {version}"
html_copy_source = False

# Headings get anchors, so that pages can point at a section of another page and a wrong pointer is found.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

# A part of the book may be empty. Sphinx gives this one warning a name but no type, so it cannot be suppressed by name.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(lambda record: "didn't match any" not in str(record.msg))
