"""Whatever a user does wrong ends in an ``error:`` and often a ``hint:`` line, and never in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from railwise.cli.errors import MOST, ExitCode, printable
from railwise.model.errors import Fault, InputError
from tests.cli.conftest import Railwise

GOOD = "small-mix.yaml"


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ("pln", "there is no command 'pln'", "did you mean plan?"),
        ("--wrong", "no such option '--wrong'", "see `railwise --help`"),
        (
            "snapshot -o cluster.txt",
            "-o cluster.txt: is neither YAML nor JSON",
            "name a file that ends in .yaml or .json",
        ),
        (
            "replay none.jsonl",
            "none.jsonl: no such file or directory",
            "`railwise run scheduler --record FILE` writes one",
        ),
        (
            "plan",
            "no input file",
            "name a scenario (`railwise init` writes one to start from), or a cluster with --context",
        ),
        ("plan xxxxxxx.yaml", "xxxxxxx.yaml: no such file", "`railwise init` writes a scenario to start from"),
        ("plan small-mx.yaml", "small-mx.yaml: no such file", "did you mean small-mix.yaml?"),
        ("plan .", ".: is a directory, not a file", "name the files in it: ./*.yaml"),
        ("plan - -", "standard input (-) can be read only once", ""),
        (
            f"plan {GOOD} -o xml",
            "invalid value for '-o' / '--output': 'xml' is not one of",
            "see `railwise plan --help`",
        ),
        (f"why bigg {GOOD}", "there is no workload or queue 'bigg'", "did you mean big?"),
        (
            f"why zzz {GOOD}",
            "there is no workload or queue 'zzz'",
            "known: notebook, eval, pair, held, batch, big, web, all, research, night",
        ),
        ("explain TooFragmentd", "there is no reason code 'TooFragmentd'", "did you mean TooFragmented?"),
        (
            f"get slots {GOOD} --svg out.svg",
            "--svg draws the topology, not slots",
            "railwise get topology FILE --svg out.svg",
        ),
        ("demo nowhere", "nowhere: no such directory", "mkdir -p nowhere"),
        (f"plan {GOOD} --svg no/where.svg", "no/where.svg: No such file or directory", ""),
    ],
)
def test_mistakes_are_named_and_hinted(line: str, error: str, hint: str, railwise: Railwise) -> None:
    done = railwise(*line.split())
    assert done.code == 2
    assert done.err.splitlines()[0].startswith(f"error: {error}")
    assert [text for text in done.err.splitlines()[1:] if text] == ([f"hint: {hint}"] if hint else [])


def test_all_faults_of_a_document_are_named_with_file_and_path(railwise: Railwise, folder: Path) -> None:
    text = (folder / GOOD).read_text().replace("queues:", "queus:").replace("gpus: 4", "gpus: four")
    (folder / "bad.yaml").write_text(text)
    done = railwise("plan", "bad.yaml")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 2
    assert done.out == ""
    assert any("bad.yaml: spec.queus: unknown field, did you mean 'queues'?" in line for line in errors)
    assert any("bad.yaml: spec.nodes[1].gpus: " in line for line in errors)


def test_broken_yaml_names_the_place(railwise: Railwise) -> None:
    done = railwise("plan", "-", stdin="apiVersion: railwise.dev/v1alpha1\nkind: [Scenario\n")
    assert done.code == 2
    assert done.err.startswith("error: <stdin>: ")


def test_a_flood_of_faults_is_cut(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    def flood(*_: object) -> None:
        raise InputError([Fault(f"spec.x[{index}]", "wrong", "mend it") for index in range(1000)], "f.yaml")

    monkeypatch.setattr("railwise.cli.sources.load_scenario", flood)
    lines = railwise("plan", GOOD).err.splitlines()
    assert lines[MOST] == f"error: f.yaml: and {1000 - MOST} more"
    assert lines[-1] == "hint: mend it"
    assert len(lines) == MOST + 2


def test_a_fault_of_the_program_is_one_line_too(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("railwise.cli.sources.load_scenario", broken)
    done = railwise("plan", GOOD)
    assert done.code == 70
    assert done.err.splitlines()[0] == "error: unexpected ZeroDivisionError: by zero"
    assert "Traceback" not in done.err
    monkeypatch.setenv("RAILWISE_TRACEBACK", "1")
    assert "Traceback" in railwise("plan", GOOD).err


@pytest.mark.parametrize("stop", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_is_silent(stop: type[BaseException], railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise stop

    monkeypatch.setattr("railwise.cli.sources.load_scenario", interrupted)
    done = railwise("plan", GOOD)
    assert (done.out, done.err, done.code) == ("", "", 130)


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    assert folder.is_dir()
    with subprocess.Popen(
        [sys.executable, "-m", "railwise", "explain", "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == ExitCode.BROKEN_PIPE


def test_names_from_documents_cannot_steer_a_terminal(railwise: Railwise, folder: Path) -> None:
    assert printable("a\x1b[31mb\u202e\n") == "a\\x1b[31mb\\u202e\n"
    (folder / "bad.yaml").write_text('apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec: {"\\e[31m": 1}\n')
    done = railwise("plan", "bad.yaml")
    assert done.code == 2
    assert "\x1b" not in done.err


def test_a_document_that_is_no_scenario_is_refused(railwise: Railwise) -> None:
    for text in ("", "[]", "just text", "a: 1", "\x00", "kind: Nonsense"):
        done = railwise("plan", "-", stdin=text)
        assert done.code == 2, text
        assert done.err.startswith("error: "), text


def test_an_unreadable_file_is_named(railwise: Railwise, folder: Path) -> None:
    (folder / "secret.yaml").write_text("kind: Scenario\n")
    (folder / "secret.yaml").chmod(0)
    if os.access(folder / "secret.yaml", os.R_OK):
        pytest.skip("this user may read everything")
    assert railwise("plan", "secret.yaml").err == "error: secret.yaml: Permission denied\n"


@pytest.mark.parametrize("until", ["5x", "0s", "-5m"])
def test_a_run_ends_at_a_time_after_its_start(until: str, railwise: Railwise) -> None:
    done = railwise("simulate", "one-day.yaml", f"--until={until}")
    assert done.code == 2
    assert f"--until {until}" in done.err
    assert "hint: a time after the start" in done.err
