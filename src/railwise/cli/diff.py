"""``railwise diff``: where two runs part, and what each of them knew and did there."""

from __future__ import annotations

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import output_option


@click.command("diff")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@output_option
def command(*, left: str, right: str, form: str) -> int:
    """Find the first decision in which two logs differ, and say what each run did there and what it stood at.

    A and B are logs as `railwise simulate --decisions FILE` writes them; - is standard input. The exit code is 1 where
    they differ.
    """
    from railwise.cli.output import print_data, print_lines
    from railwise.cli.sources import read_sources
    from railwise.formats.decision_log import read_log
    from railwise.report.difference_text import difference_data, difference_lines, same_line
    from railwise.report.first_difference import first_difference

    logs = [
        read_log(data, name)
        for name, data in read_sources([left, right], "`railwise simulate FILE --decisions LOG` writes one")
    ]
    found = first_difference(*logs)
    if form in ("json", "yaml"):
        print_data(difference_data(found, left, right), form)
    elif found is None:
        print_lines([same_line(left, right, logs[0])])
    else:
        print_lines(difference_lines(found, left, right))
    return ExitCode.OK if found is None else ExitCode.FINDING
