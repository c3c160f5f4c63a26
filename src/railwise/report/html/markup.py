"""Small pieces of HTML: every text that comes from outside is escaped here, and nowhere else is markup put together."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from railwise.report.table import Cell, Table

_UNSEEN = (*range(9), 11, 12, *range(14, 32), 127, *range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROL = dict.fromkeys((*_UNSEEN, *_TURNING), "\ufffd")
"""What no page may hold, and marks that turn the direction of text around."""


def esc(text: str) -> str:
    """Return text that can stand in an element or an attribute in double quotes."""
    return escape(text.translate(_CONTROL), quote=True)


def element(name: str, inner: str, **attributes: str) -> str:
    """Return an element around markup; attributes are plain text, an underscore at the end of a name falls away."""
    attrs = "".join(f' {key.rstrip("_").replace("_", "-")}="{esc(value)}"' for key, value in attributes.items())
    return f"<{name}{attrs}>{inner}</{name}>"


def section(anchor: str, title: str, inner: str, lead: str = "") -> str:
    """Return a section under a heading, with a sentence that says what is to be seen."""
    intro = f'<p class="lead">{esc(lead)}</p>' if lead else ""
    head = f'<h2 id="{esc(anchor)}-title">{esc(title)}</h2>'
    return f'<section id="{esc(anchor)}" aria-labelledby="{esc(anchor)}-title">{head}{intro}{inner}</section>\n'


def data_element(anchor: str, data: object) -> str:
    """Return plain data that a script reads; nothing in it can end the element or begin a comment."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return f'<script type="application/json" id="{esc(anchor)}">{text}</script>\n'


def table_html(table: Table, caption: str) -> str:
    """Return a table; the first cell of a row is its heading, a tone is a class and a sign beside the colour."""
    heads = "".join(f'<th scope="col"{_right(right=column.right)}>{esc(column.name)}</th>' for column in table.columns)
    rows = "".join(f"<tr>{''.join(_cells(table, row))}</tr>" for row in table.rows)
    label = esc(caption)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table><caption>{label}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cells(table: Table, row: tuple[Cell, ...]) -> Iterable[str]:
    for index, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        tone = f"n {cell.tone}" if column.right else f"{cell.tone} in" if cell.text.startswith("  ") else cell.tone
        css = f' class="{esc(tone.strip())}"' if tone.strip() else ""
        inner = esc(cell.text)
        if cell.tone in _SIGNS:
            inner += f' <span class="sign">{_SIGNS[cell.tone]}</span>'
        yield f'<th scope="row"{css}>{inner}</th>' if not index else f"<td{css}>{inner}</td>"


_SIGNS = {"good": "better", "bad": "worse"}


def _right(*, right: bool) -> str:
    return ' class="n"' if right else ""
