"""Plain values as YAML or JSON text that reads back as the same values, in the order given.

YAML is written for people: no anchors, short mappings on one line, 120 columns.
"""

from __future__ import annotations

import json

import yaml

WIDTH = 120

FORMS = ("json", "yaml")


class _Dumper(yaml.CSafeDumper):
    """Writes equal parts out each time: an anchor is read by programs, not by people."""

    def ignore_aliases(self, data: object) -> bool:
        """Return True."""
        del data
        return True


def document_text(document: object, form: str) -> str:
    """Return a document as text in one of ``FORMS``, ending in a line feed."""
    if form == "json":
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    if form != "yaml":
        raise ValueError(f"expected {' or '.join(FORMS)}, not {form!r}")
    text: str = yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=None
    )
    return text
