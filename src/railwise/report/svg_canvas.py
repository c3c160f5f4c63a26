"""SVG text, written element by element: everything escaped, whole coordinates, the same bytes for the same picture.

No drawing library: a picture here is rectangles, lines and words, and it has to be diffable, theme-aware and readable
by a screen reader, which is a matter of the text we write and not of a canvas.
"""

from __future__ import annotations

from html import escape


def clean(text: str) -> str:
    """Return text that may stand in XML: markup escaped, characters that XML forbids replaced."""
    allowed = "".join(
        char if char in "\t\n\r" or " " <= char < "\ud800" or "\ue000" <= char <= "\ufffd" else "\ufffd"
        for char in text
    )
    return escape(allowed, quote=True)


def text_width(text: str, size: int) -> int:
    """Return about how wide a text is in pixels at a font size, on the safe side for digits and small letters."""
    return -(-len(text) * size * 60 // 100)


def shortened(text: str, width: int, size: int) -> str:
    """Return the text, or its beginning and end around an ellipsis where it would be wider than ``width`` pixels."""
    fits = width * 100 // (size * 60)
    if len(text) <= fits:
        return text
    if fits <= 1:
        return text[:1]
    head = (fits - 1) // 2
    return f"{text[:head]}…{text[len(text) - (fits - 1 - head) :]}"


class Canvas:
    """A growing list of SVG elements."""

    def __init__(self) -> None:
        """Start empty."""
        self.parts: list[str] = []

    def raw(self, markup: str) -> None:
        """Add markup that is already escaped."""
        self.parts.append(markup)

    def rect(self, x: int, y: int, width: int, height: int, css: str, radius: int = 0, style: str = "") -> None:
        """Add a rectangle of a style class; ``style`` holds further attributes, already escaped."""
        round_ = f' rx="{radius}"' if radius else ""
        extra = f" {style}" if style else ""
        look = f' class="{css}"' if css else ""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}"{round_}{look}{extra}/>')

    def text(self, x: int, y: int, text: str, css: str, anchor: str = "", title: str = "") -> None:
        """Add a line of text with its baseline at ``y``; ``anchor`` is ``middle`` or ``end``, ``title`` a tooltip."""
        where = f' text-anchor="{anchor}"' if anchor else ""
        tip = f"<title>{clean(title)}</title>" if title else ""
        self.parts.append(f'<text x="{x}" y="{y}" class="{css}"{where}>{tip}{clean(text)}</text>')

    def line(self, x1: int, y1: int, x2: int, y2: int, css: str) -> None:
        """Add a straight line."""
        self.parts.append(f'<path d="M{x1} {y1}L{x2} {y2}" class="{css}"/>')

    def open_group(self, title: str = "") -> None:
        """Open a group with a tooltip, which assistive technology reads as its name."""
        self.parts.append(f"<g><title>{clean(title)}</title>" if title else "<g>")

    def close_group(self) -> None:
        """Close the last group."""
        self.parts.append("</g>")


def document(canvas: Canvas, width: int, height: int, title: str, description: str, style: str) -> str:
    """Return the SVG document around a canvas.

    Args:
        canvas: what is drawn.
        width: of the picture in pixels.
        height: of the picture in pixels.
        title: its short name.
        description: the same facts in words, for who does not see it.
        style: CSS and definitions, already escaped.
    """
    body = "\n".join(canvas.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{clean(title)}">\n<title>{clean(title)}</title>\n'
        f"<desc>{clean(description)}</desc>\n{style}\n{body}\n</svg>\n"
    )
