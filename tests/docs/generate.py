"""Write the parts of the documentation that the program knows best (``make docs-generate``).

Commands, fields, reason codes and pictures come from the same values that the program runs on, so they cannot go stale
unnoticed: a test compares. In a page that is written by hand, what stands between ``<!-- generated: NAME -->`` and
``<!-- end -->`` is replaced.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from railwise.cli.demo import story
from railwise.cli.main import cli
from railwise.fabric.designs import DESIGNS
from railwise.fabric.findings import Kind
from railwise.formats.fabric.forms import FORMS
from railwise.formats.fabric.records import FABRIC_RECORD
from railwise.formats.records import Record
from railwise.formats.scenario.reader import METADATA_RECORD, SPEC_RECORD
from railwise.formats.sweep.records import SPEC as SWEEP_SPEC
from railwise.formats.sweep.records import TRACE as SWEEP_TRACE
from railwise.report.code_pages import markdown
from railwise.report.fabric_findings import remedy
from tests.docs import compatibility, fabric_pictures, job_streams, live_metrics, pod_words, run_tables, ten_inputs

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
MARK = re.compile(r"(<!-- generated: (?P<name>\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

RESOURCES = {
    "gpu": "whole GPUs, or a part of one",
    "gpu-memory": "memory on each of the GPUs, or a part of it",
    "gpu-compute": "part of the compute of each GPU",
    "gpu-shared": "time slices, each on another GPU",
    "cpu": "cores",
    "memory": "memory",
    "ephemeral-storage": "local disk",
    "pods": "pods",
}
SLICES = ("`mig-1g.10gb` and other profiles", "MIG slices of that profile")
DEVICES = ("`vendor.com/device`, `hugepages-2Mi`", "any other resource; where a node does not list it, it has none")


def commands(command: click.Command = cli, path: str = "railwise") -> Iterator[str]:
    """Return a section a command, depth first: usage, help, options."""
    context = click.Context(command, info_name=path)
    if path != "railwise":
        yield f"## {path}\n\n{_help(command)}\n\n```text\n{_usage(command, context)}\n```\n"
        options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
        rows = list(_option_rows(options, context))
        if rows:
            yield "\n".join(["| option | does |", "|---|---|", *rows]) + "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from commands(found, f"{path} {name}")


def _help(command: click.Command) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(command.help or ""))


def _usage(command: click.Command, context: click.Context) -> str:
    return f"{context.info_name} {' '.join(command.collect_usage_pieces(context))}"


def _option_rows(options: list[click.Option], context: click.Context) -> Iterator[str]:
    for option in options:
        record = option.get_help_record(context)
        if record is not None and "--help" not in option.opts:
            names, text = (part.replace("|", "\\|") for part in record)
            yield f"| `{names}` | {text} |"


def fields() -> Iterator[str]:
    """Return a table a record of the scenario's format, the spec first."""
    definitions: dict[str, dict[str, Any]] = {}
    METADATA_RECORD.schema(definitions)
    SPEC_RECORD.schema(definitions)
    order = ["ScenarioSpec", *(name for name in definitions if name not in ("ScenarioSpec", "Metadata")), "Metadata"]
    for name in order:
        definition = definitions[name]
        required = definition.get("required", [])
        yield f"## {_title(name)}\n"
        yield "| field | holds | meaning |"
        yield "|---|---|---|"
        for key, value in definition["properties"].items():
            must = " (required)" if key in required else ""
            about = value.get("description") or RESOURCES[key]
            yield f"| `{key}` | {_holds(value)} | {about.replace('|', chr(92) + '|')}{must} |"
        for pattern in definition.get("patternProperties", {}):
            key, about = SLICES if "mig" in pattern else DEVICES
            yield f"| {key} | amount | {about} |"
        yield ""


def sweep_fields(record: Record = SWEEP_SPEC, title: str = "field") -> Iterator[str]:
    """Return the table of what stands in the spec of a sweep, or in one of its parts."""
    definitions: dict[str, dict[str, Any]] = {}
    record.schema(definitions)
    yield f"| {title} | holds | meaning |"
    yield "|---|---|---|"
    for key, value in definitions[record.name]["properties"].items():
        holds = "[a trace](#traces)" if "$ref" in value else _holds(value)
        yield f"| `{key}` | {holds} | {value['description']} |"
    yield ""


def fabric_fields() -> Iterator[str]:
    """Return a table a record of the fabric's format, the spec first."""
    definitions: dict[str, dict[str, Any]] = {}
    FABRIC_RECORD.schema(definitions)
    for name in ["FabricSpec", *(name for name in definitions if name != "FabricSpec")]:
        required = definitions[name].get("required", [])
        yield f"## {_title(name)}\n"
        yield "| field | holds | meaning |"
        yield "|---|---|---|"
        for key, value in definitions[name]["properties"].items():
            must = " (required)" if key in required else ""
            yield f"| `{key}` | {_holds(value)} | {value['description']}{must} |"
        yield ""


def fabric_forms() -> Iterator[str]:
    """Return the table of the forms that ``fabric convert`` knows."""
    yield "| form | is |"
    yield "|---|---|"
    yield from (f"| `{name}` | {form.title} |" for name, form in FORMS.items())
    yield ""


def fabric_designs() -> Iterator[str]:
    """Return the table of the designs that ``fabric generate`` draws, with their usual sizes."""
    yield "| design | is | units | servers | rails | spines |"
    yield "|---|---|---|---|---|---|"
    for name, design in DESIGNS.items():
        size = design.usual
        yield f"| `{name}` | {design.about} | {size.units} | {size.servers} | {size.rails} | {size.spines} |"
    yield ""


def fabric_findings() -> Iterator[str]:
    """Return the table of the kinds of findings."""
    yield "| finding | is | what to do |"
    yield "|---|---|---|"
    for kind, about in described_members(Kind).items():
        yield f"| `{kind}` | {about} | {remedy(Kind(kind)) or '–'} |"
    yield ""


def described_members(enum: type[Kind]) -> dict[str, str]:
    """Return the docstring under each member of an enum, on one line."""
    tree = ast.parse(inspect.getsource(enum)).body[0]
    found: dict[str, str] = {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(after, ast.Expr):
            value = ast.literal_eval(after.value)
            found[str(node.value.value)] = re.sub(r"\s+", " ", value)
    return found


def _title(name: str) -> str:
    return "spec" if name == "ScenarioSpec" else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _holds(schema: dict[str, Any]) -> str:
    """Return what a field may hold in a few words, with links to records."""
    if "$ref" in schema:
        title = _title(schema["$ref"].rsplit("/", 1)[1])
        return f"[{title}](#{title.replace(' ', '-')})"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "anyOf" in schema:
        forms = dict.fromkeys(_holds(form) for form in schema["anyOf"])
        return " or ".join(form for form in forms if form != "number" or "amount" not in forms)
    kind = schema.get("type")
    if kind == "string" and "KMGTPE" in schema.get("pattern", ""):
        return "amount"
    if kind == "string" and "%" in schema.get("pattern", ""):
        return "percentage"
    if kind == "array":
        return f"list of {_holds(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"mapping to {_holds(schema['additionalProperties'])}"
    words = {
        "string": "text",
        "integer": "whole number",
        "boolean": "true or false",
        "object": "mapping",
        "null": "null",
    }
    return words.get(str(kind), str(kind or "anything"))


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "fields": fields,
    "sweep-fields": sweep_fields,
    "sweep-trace-fields": lambda: sweep_fields(SWEEP_TRACE, "field of `trace`"),
    "job-streams": job_streams.streams,
    "assumptions": job_streams.assumptions,
    "maps": job_streams.maps,
    "fabric-fields": fabric_fields,
    "fabric-forms": fabric_forms,
    "fabric-designs": fabric_designs,
    "fabric-findings": fabric_findings,
    "scheduler-metrics": live_metrics.of_scheduler,
    "api-metrics": live_metrics.of_api,
    **pod_words.PARTS,
    **compatibility.PARTS,
    "measures": run_tables.measures,
    "exports": run_tables.exports,
    "policies": ten_inputs.policies,
    "ten-inputs": ten_inputs.inputs,
}
"""What may be generated inside a page, by the name in its mark."""


def with_parts(text: str) -> str:
    """Return a page with its generated parts renewed."""
    return MARK.sub(lambda found: f"{found[1]}\n{chr(10).join(PARTS[found['name']]()).strip()}\n\n{found[3]}", text)


def generated() -> dict[Path, str]:
    """Return every file that is generated, whole or in part, with its text."""
    pages = {DOCS / "reference" / "reason-codes.md": markdown(), DOCS / "images" / "placement.svg": story().drawing}
    pages |= {DOCS / "images" / name: picture for name, picture in fabric_pictures.pictures()}
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if MARK.search(text):
            pages[page] = with_parts(text)
    return pages


def main() -> None:
    """Write every generated file that changed, and name it."""
    for path, text in generated().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"generated {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
