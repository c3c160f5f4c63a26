"""The generated parts of the page on traces: what every loader reads, assumes and leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from railwise.formats.traces.assumptions import ASSUMPTIONS
from railwise.formats.traces.registry import IMPORTERS
from railwise.formats.traces.streams import LOADERS


def streams() -> Iterator[str]:
    """Return an overview, then a section a loader."""
    yield "| `--trace` | data set | files |"
    yield "|---|---|---|"
    for loader in LOADERS:
        yield f"| [`{loader.kind}`](#{loader.kind}) | {loader.title} | {_listed((*loader.files, *loader.beside))} |"
    yield ""
    for loader in LOADERS:
        yield f"### {loader.kind}\n"
        also = f" Also called `{loader.folder}`." if loader.folder != loader.kind else ""
        yield f"{loader.title}.{also}\n"
        yield "| read | as |"
        yield "|---|---|"
        for column in loader.columns:
            name, _, meaning = column.partition(": ")
            yield f"| `{name}` | {meaning} |"
        yield "\nNot told, or not counted:\n"
        yield from (f"- {text}" for text in loader.silent)
        if loader.one:
            yield "- of several files one is replayed, the first that is there in the order of the table above"
        yield ""


def assumptions() -> Iterator[str]:
    """Return the table of what may be assumed."""
    yield "| `--assume` | means | default |"
    yield "|---|---|---|"
    for key, assumption in ASSUMPTIONS.items():
        yield f"| `{key}=` | {assumption.meaning} | {assumption.default()} |"


def maps() -> Iterator[str]:
    """Return the table of published clusters."""
    yield "| data set | holds | files |"
    yield "|---|---|---|"
    for importer in IMPORTERS:
        yield f"| {importer.kind} | {importer.title} | {_listed(importer.files)} |"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
