"""What commands do beside printing: files they write, exit codes, standard input, width and colour."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

import railwise as package
from railwise.cli.main import COMMANDS, cli
from railwise.cli.options import POLICIES
from railwise.engine import policies
from tests.cli.conftest import Railwise

SMALL = "small-mix.yaml"
HEAVY = ("rich", "yaml", "msgspec", "railwise.engine", "railwise.formats", "railwise.report")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["plan", "--help"], ["completion", "bash"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys; from railwise.cli.main import run; code = run(sys.argv[1:]);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_every_command_loads() -> None:
    for name, (_, text) in COMMANDS.items():
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert (command.name, text[-1]) == (name, ".")
        assert command.help


def test_the_policies_are_those_of_the_engine() -> None:
    assert {"railwise", *policies.POLICIES} == set(POLICIES)


def test_the_version_is_the_package_s(railwise: Railwise) -> None:
    assert railwise("--version").out == f"railwise {package.__version__}\n"


def test_several_files_and_standard_input_are_read_together(railwise: Railwise, folder: Path) -> None:
    document = yaml.safe_load((folder / SMALL).read_text())
    workloads = {
        "apiVersion": document["apiVersion"],
        "kind": "Scenario",
        "spec": {"workloads": document["spec"].pop("workloads")},
    }
    (folder / "cluster.yaml").write_text(yaml.safe_dump(document))
    joined = railwise("plan", "cluster.yaml", "-", "-o", "json", stdin=yaml.safe_dump(workloads))
    assert joined.code == 0
    whole = json.loads(railwise("plan", SMALL, "-o", "json").out)
    assert json.loads(joined.out)["workloads"] == whole["workloads"]
    assert (
        railwise("plan", "-f", "cluster.yaml", "-f", "-", "-o", "json", stdin=yaml.safe_dump(workloads)).out
        == joined.out
    )


def test_check_turns_waiting_into_a_finding(railwise: Railwise) -> None:
    assert railwise("plan", SMALL).code == 0
    assert railwise("plan", SMALL, "--check").code == 1
    assert railwise("plan", "first-pair.yaml", "--check").code == 1


def test_a_written_scenario_is_the_plan_carried_out(railwise: Railwise, folder: Path) -> None:
    first = json.loads(railwise("plan", SMALL, "-o", "json", "--write", "after.yaml").out)
    second = json.loads(railwise("plan", "after.yaml", "-o", "json").out)
    assert (folder / "after.yaml").is_file()
    pods = {entry["name"]: entry["pods"] for entry in first["workloads"]}
    assert {entry["name"]: entry["pods"] for entry in second["workloads"]} == pods
    assert {entry["state"] for entry in second["workloads"]} == {"running", "pending"}


def test_the_written_scenario_alone_goes_to_standard_output(railwise: Railwise) -> None:
    printed = railwise("plan", SMALL, "--write", "-").out
    assert yaml.safe_load(printed)["kind"] == "Scenario"


@pytest.mark.parametrize("line", [["plan", SMALL], ["get", "topology", SMALL]])
def test_a_drawing_is_a_file_beside_the_table(line: list[str], railwise: Railwise, folder: Path) -> None:
    done = railwise(*line, "--svg", "out.svg")
    assert done.code == 0
    assert done.out == railwise(*line).out
    assert ET.parse(folder / "out.svg").getroot().tag.endswith("svg")  # noqa: S314 -- our own output


def test_json_is_the_same_bytes_every_time(railwise: Railwise) -> None:
    assert railwise("plan", "two-units.yaml", "-o", "json").out == railwise("plan", "two-units.yaml", "-o", "json").out


def test_json_and_yaml_say_the_same(railwise: Railwise) -> None:
    for line in (
        ["plan"],
        ["get", "nodes"],
        ["get", "topology"],
        ["get", "slots"],
        ["get", "queues"],
        ["get", "workloads"],
    ):
        as_json = json.loads(railwise(*line, SMALL, "-o", "json").out)
        assert yaml.safe_load(railwise(*line, SMALL, "-o", "yaml").out) == as_json


def test_a_name_that_two_have_is_the_workload_unless_said_otherwise(railwise: Railwise, folder: Path) -> None:
    text = (folder / "two-teams.yaml").read_text().replace("name: tourist", "name: guests")
    (folder / "same.yaml").write_text(text)
    assert railwise("why", "guests", "same.yaml").out.startswith("guests waits: NotEnoughFree")
    assert railwise("why", "workload/guests", "same.yaml").out == railwise("why", "guests", "same.yaml").out
    assert railwise("why", "queue/guests", "same.yaml").out.startswith("guests is due 8 GPUs")
    assert railwise("why", "serving", "same.yaml").out == railwise("why", "queue/serving", "same.yaml").out


@pytest.mark.parametrize(
    ("name", "problem", "hint"),
    [
        ("queue/nlq", "there is no queue 'nlq'", "did you mean nlp?"),
        ("workload/nlp", "there is no workload 'nlp'", "known: "),
        ("visio", "there is no workload or queue 'visio'", "did you mean visitor or vision?"),
    ],
)
def test_why_names_near_misses(name: str, problem: str, hint: str, railwise: Railwise) -> None:
    done = railwise("why", name, "two-teams.yaml")
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert f"hint: {hint}" in done.err


def test_a_what_if_that_harms_nobody_is_fine(railwise: Railwise, folder: Path) -> None:
    (folder / "small.yaml").write_text(
        "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec:\n"
        "  workloads: [{name: tiny, queue: research, request: {gpu: 1}}]\n"
    )
    done = railwise("plan", SMALL, "--what-if-submit", "small.yaml")
    assert done.code == 0
    assert "tiny would start now on " in done.out
    both = railwise("plan", SMALL, "--what-if-submit", "small.yaml", "--what-if-drain", "n[4-7],n1")
    assert both.out.startswith("What if tiny is submitted and n[1,4-7] are drained?")
    assert both.code == 1


def test_a_submitted_workload_may_come_from_standard_input(railwise: Railwise, folder: Path) -> None:
    text = (folder / "one-more-job.yaml").read_text()
    piped = railwise("plan", "two-teams.yaml", "--what-if-submit", "-", stdin=text)
    assert piped.out == railwise("plan", "two-teams.yaml", "--what-if-submit", "one-more-job.yaml").out


@pytest.mark.parametrize(
    ("words", "problem", "hint"),
    [
        ("--what-if-drain gpu-11", "there is no node 'gpu-11'", "did you mean"),
        ("--what-if-drain gpu-[1", "", "a hostlist such as"),
        ("--what-if-quota nlq=3", "there is no queue 'nlq'", "did you mean nlp?"),
        ("--what-if-quota nlp", "'nlp' is no quota", "QUEUE=gpu:64"),
        ("--what-if-quota nlp=gpu:much", "nlp=gpu:much", ""),
        ("--what-if-quota nlp=3 --write out.yaml", "a what-if writes nothing", "--write"),
        ("--what-if-submit gone.yaml", "gone.yaml: no such file", ""),
    ],
)
def test_faulty_what_ifs_are_named(words: str, problem: str, hint: str, railwise: Railwise) -> None:
    done = railwise("plan", "two-teams.yaml", *words.split())
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert hint in done.err


def test_a_pipe_gets_whole_lines_and_no_colours(railwise: Railwise) -> None:
    out = railwise("plan", "two-units.yaml").out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) > 100
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_columns_fold_but_never_cut(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = railwise("plan", "two-units.yaml").out
    monkeypatch.setenv("COLUMNS", "60")
    folded = railwise("plan", "two-units.yaml").out
    assert max(len(line) for line in folded.splitlines()) <= 60
    assert sorted("".join(folded.split())) == sorted("".join(whole.split()))


def test_a_terminal_gets_colours_unless_it_says_no(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = railwise("plan", SMALL).out
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("railwise.cli.output.is_terminal", lambda: True)
    coloured = railwise("plan", SMALL).out
    assert "\x1b[32mplaced" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == plain.split()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in railwise("plan", SMALL).out


def test_nothing_typed_is_help_and_half_a_command_is_told_so(railwise: Railwise) -> None:
    assert railwise().out == railwise("--help").out
    half = railwise("fabric")
    assert (half.out, half.code) == ("", 2)
    assert half.err.startswith("Usage: railwise fabric")


def test_a_drawing_on_standard_output_stands_alone(railwise: Railwise) -> None:
    for line in (["plan", SMALL], ["get", "topology", SMALL]):
        ET.fromstring(railwise(*line, "--svg", "-").out)  # noqa: S314 -- our own output


@pytest.mark.parametrize(
    ("words", "found"), [("railwise pl", "plain,plan"), ("railwise explain too", "plain,TooFragmented")]
)
def test_commands_and_codes_are_completed(words: str, found: str) -> None:
    asked = {"_RAILWISE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command = [sys.executable, "-m", "railwise"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | asked)
    assert (done.stdout, done.stderr) == (f"{found}\n", "")


def test_init_writes_a_scenario_that_plans_without_a_warning(railwise: Railwise, folder: Path) -> None:
    done = railwise("init")
    assert done.code == 0
    assert (folder / "scenario.yaml").read_text() == railwise("init", "-").out
    planned = railwise("plan", "scenario.yaml")
    assert (planned.code, planned.err) == (0, "")
    for line in done.out.splitlines()[3:]:
        assert railwise(*line.split()[1:]).code == 0, line


def test_init_never_overwrites_unasked(railwise: Railwise, folder: Path) -> None:
    (folder / "mine.yaml").write_text("mine")
    assert railwise("init", "mine.yaml").code == 2
    assert (folder / "mine.yaml").read_text() == "mine"
    assert railwise("init", "mine.yaml", "--force").code == 0
    assert (folder / "mine.yaml").read_text() != "mine"


@pytest.mark.parametrize("kind", ["scenario", "plan", "case", "sweep"])
def test_schemas_are_json_schemas(kind: str, railwise: Railwise) -> None:
    schema = json.loads(railwise("schema", kind).out)
    assert schema["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_program(shell: str, railwise: Railwise) -> None:
    assert "_RAILWISE_COMPLETE" in railwise("completion", shell).out
