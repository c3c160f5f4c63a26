"""``railwise explain``: the page of a reason code, or the list of all."""

from __future__ import annotations

import click

from railwise.cli.options import output_option


def _codes(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the name of a code."""
    from railwise.model.reason import Code

    del context, parameter
    return [one.value for one in Code if one.value.lower().startswith(typed.lower())]


@click.command("explain")
@click.argument("code", required=False, shell_complete=_codes)
@output_option
def command(*, code: str | None, form: str) -> None:
    """Explain a reason code: what it means, who acts, what to do. Without CODE, list them in order of precedence."""
    from railwise.cli.output import listing, print_data, print_lines, print_table
    from railwise.cli.suggest import unknown
    from railwise.model.reason import Code
    from railwise.report.code_pages import code_named, codes_table, page_item, page_lines
    from railwise.report.live_words import live_word_item, live_word_lines, live_word_named

    if code is None:
        if form in ("json", "yaml"):
            print_data(listing("ReasonCodeList", [page_item(one) for one in Code]), form)
        else:
            print_table(codes_table(), wide=form == "wide")
        return
    found = code_named(code)
    word = live_word_named(code)
    if found is None and word is not None:
        if form in ("json", "yaml"):
            print_data(live_word_item(word), form)
        else:
            print_lines(live_word_lines(word), widest=100)
        return
    if found is None:
        raise unknown("reason code", code, [one.value for one in Code])
    if form in ("json", "yaml"):
        print_data(page_item(found), form)
    else:
        print_lines(page_lines(found), widest=100)
