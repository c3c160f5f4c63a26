"""Colours, patterns and letters of the drawings, for light and dark surroundings.

The seven hues are Okabe and Ito's, which people with any common colour blindness tell apart; a workload beyond the
seventh takes a hue again with a pattern over it, and every workload carries letters as well.
"""

from __future__ import annotations

from railwise.report.marks import Mark

HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
DARK_INK = "#16191d"
INKS = ("#ffffff", DARK_INK, DARK_INK, DARK_INK, DARK_INK, DARK_INK, DARK_INK)

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1c2127",
    "muted": "#5d6670",
    "box": "#f4f6f8",
    "inner": "#e9edf1",
    "edge": "#c9d0d7",
    "free": "#ffffff",
    "freeedge": "#aeb8c2",
    "kept": "#bcc4cc",
    "keptink": "#2c333a",
    "alarm": "#b3261e",
    "accent": "#0b6b4f",
}
DARK = {
    "paper": "#10151b",
    "ink": "#e8edf2",
    "muted": "#9aa6b2",
    "box": "#181f27",
    "inner": "#212a34",
    "edge": "#37434f",
    "free": "#0d1217",
    "freeedge": "#4d5b69",
    "kept": "#566270",
    "keptink": "#eef2f6",
    "alarm": "#ff8a80",
    "accent": "#5fd3a8",
}

_STRIPES = "M-1 1l2-2M0 6l6-6M5 7l2-2"
_PATTERNS = (
    f'<path d="{_STRIPES}" class="hatch"/>',
    '<circle cx="3" cy="3" r="1.3" class="dot"/>',
    '<path d="M-1 5l2 2M0 0l6 6M5-1l2 2" class="hatch"/>',
    '<path d="M0 1.5h6M0 4.5h6" class="hatch"/>',
)


def _theme(colours: dict[str, str]) -> str:
    return (
        f".paper{{fill:{colours['paper']}}}.ink{{fill:{colours['ink']}}}.muted{{fill:{colours['muted']}}}"
        f".box{{fill:{colours['box']};stroke:{colours['edge']}}}.inner{{fill:{colours['inner']};stroke:{colours['edge']}}}"
        f".free{{fill:{colours['free']};stroke:{colours['freeedge']}}}.kept{{fill:{colours['kept']}}}"
        f".keptink{{fill:{colours['keptink']}}}"
        f".alarm{{fill:{colours['alarm']}}}.cross{{stroke:{colours['alarm']}}}.accent{{fill:{colours['accent']}}}"
        f".off{{fill:none;stroke:{colours['muted']}}}.keep{{stroke:{colours['muted']}}}"
    )


def stylesheet() -> str:
    """Return the style element and the pattern definitions that every drawing begins with."""
    hues = "".join(
        f".c{index}{{fill:{hue}}}.i{index}{{fill:{ink}}}.h{index}{{stroke:{hue}}}"
        for index, (hue, ink) in enumerate(zip(HUES, INKS, strict=True))
    )
    fixed = (
        'text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}'
        ".t20{font-size:20px;font-weight:600}.t14{font-size:14px}.t12{font-size:12px}.t11{font-size:11px}.t10{font-size:10px}"
        ".t9{font-size:9px}.t7{font-size:7px}.b{font-weight:600}"
        '.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}'
        ".hatch{stroke:#000;stroke-opacity:.45;stroke-width:1;fill:none}.dot{fill:#000;fill-opacity:.5}"
        ".halo{paint-order:stroke;stroke-width:2.5px;stroke-linejoin:round}"
        ".cross{stroke-width:1.6;fill:none}.off{stroke-width:1.2;stroke-dasharray:3 2}"
        ".keep{stroke-width:1.1;fill:none}"
    )
    patterns = (
        f'<pattern id="rw-keep" width="6" height="6" patternUnits="userSpaceOnUse"><path d="{_STRIPES}" class="keep"/>'
        "</pattern>"
        + "".join(
            f'<pattern id="rw-p{index}" width="6" height="6" patternUnits="userSpaceOnUse">{path}</pattern>'
            for index, path in enumerate(_PATTERNS, 1)
        )
    )
    return (
        f"<style>{fixed}{hues}{_theme(LIGHT)}@media(prefers-color-scheme:dark){{{_theme(DARK)}}}</style>\n"
        f"<defs>{patterns}</defs>"
    )


def fill_class(mark: Mark) -> str:
    """Return the class that fills a card with the workload's colour."""
    return f"c{mark.colour}" if mark.fresh else "kept"


def ink_class(mark: Mark) -> str:
    """Return the classes of letters on that colour; over a pattern they get a rim of the colour."""
    if not mark.fresh:
        return "keptink"
    return f"i{mark.colour} h{mark.colour} halo" if mark.pattern else f"i{mark.colour}"
