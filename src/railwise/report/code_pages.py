"""The reference page of every reason code: what it means, who acts, an example, what to do, what is near it.

``railwise explain`` prints a page and the documentation is generated from the same values, so that neither can drift
from the closed list of codes. The texts stand in ``code_texts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from railwise.model.reason import Act, Code
from railwise.report.code_texts import PAGES, Page
from railwise.report.table import DIM, STRONG, Cell, Column, Table, row, table

ACT_NAMES = {
    Act.USER: "the owner of the workload",
    Act.ADMIN: "the administrator",
    Act.WAIT: "nobody: it resolves itself",
}


_INTRODUCTION = (
    "A workload that waits has exactly one of these codes: the first of the list that applies."
    " `railwise why` prints it with its figures, `railwise explain CODE` prints its page."
)


class Section(NamedTuple):
    """A heading and its lines; ``verbatim`` lines are shown as they are."""

    heading: str
    lines: tuple[str, ...]
    verbatim: bool = False


def page_of(code: Code) -> Page:
    """Return the page of a code."""
    return PAGES[code]


def sections(code: Code) -> list[Section]:
    """Return the parts of a page in reading order."""
    page = PAGES[code]
    return [
        Section("Who acts", (f"{ACT_NAMES[page.act]}.",)),
        Section("Example", page.example, verbatim=True),
        Section("What to do", page.remedies),
        Section("Related", (", ".join(other.value for other in page.related),)),
    ]


def code_named(text: str) -> Code | None:
    """Return the code of a name, whatever its capitals, hyphens or underscores; None where there is none."""
    wanted = _plain(text)
    return next((code for code in Code if wanted in (_plain(code.value), _plain(code.name))), None)


def _plain(text: str) -> str:
    return text.replace("-", "").replace("_", "").lower()


def codes_table() -> Table:
    """Return all codes in order of precedence with one line each."""
    acts = {Act.USER: "owner", Act.ADMIN: "administrator", Act.WAIT: "nobody"}
    return table(
        [Column("CODE"), "WHO ACTS", "MEANING"],
        [row(Cell(code.value, STRONG), acts[PAGES[code].act], PAGES[code].brief) for code in Code],
    )


def page_lines(code: Code) -> list[Cell]:
    """Return a page as lines for a terminal."""
    page = PAGES[code]
    lines = [Cell(f"{code.value}: {page.brief}", STRONG), Cell(""), Cell(page.meaning)]
    for section in sections(code):
        lines += [Cell(""), Cell(section.heading, STRONG)]
        bullet = "- " if len(section.lines) > 1 and not section.verbatim else ""
        lines += [Cell(f"  {bullet}{line}", DIM if section.verbatim else "") for line in section.lines]
    return lines


def page_item(code: Code) -> dict[str, object]:
    """Return a page as plain data."""
    page = PAGES[code]
    return {
        "code": code.value,
        "brief": page.brief,
        "meaning": page.meaning,
        "act": page.act.value,
        "example": "\n".join(page.example),
        "remedies": list(page.remedies),
        "related": [other.value for other in page.related],
    }


def markdown() -> str:
    """Return the reference of all codes as one Markdown page."""
    parts = [
        "# Reason codes",
        _INTRODUCTION,
        "| code | who acts | meaning |\n|---|---|---|\n"
        + "\n".join(
            f"| [{code.value}](#{code.value.lower()}) | {ACT_NAMES[PAGES[code].act]} | {PAGES[code].brief} |"
            for code in Code
        ),
    ]
    for code in Code:
        page = PAGES[code]
        parts += [f"## {code.value}", f"*{_capital(page.brief)}.* {page.meaning}"]
        for section in sections(code):
            parts += [f"**{section.heading}.**" + _body(section)]
    return "\n\n".join(parts) + "\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _body(section: Section) -> str:
    if section.verbatim:
        return "\n\n```yaml\n" + "\n".join(section.lines) + "\n```"
    if section.heading == "Related":
        return " " + ", ".join(f"[{name}](#{name.lower()})" for name in section.lines[0].split(", "))
    return _listed(section.lines)


def _listed(lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return f" {_capital(lines[0])}"
    return "\n\n" + "\n".join(f"- {line}" for line in lines)
