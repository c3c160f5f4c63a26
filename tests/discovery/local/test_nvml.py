"""NVIDIA's management library: asked through its own calling convention, of a library that stands in for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from railwise.discovery.hearing import Failed, Hearing, Told
from railwise.discovery.local.nvml import VARIABLE, NvmlError, read_cards
from railwise.discovery.local.polled_source import PolledSource
from railwise.fabric.observations import ScaleUp
from railwise.formats.discovery.settings import Local
from railwise.formats.hosts.nvml import CardFabric, nvml_report, troubles_of

SOURCE = Path(__file__).with_name("nvml_stand_in.c")
CLUSTER = "01020304-0506-0708-090a-0b0c0d0e0f10"


def built(folder: Path, *, refuses: bool = False, hangs: bool = False) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler: the library that stands in cannot be built")
    path = folder / "libnvidia-ml.so.1"
    flags = ["-shared", "-fPIC", f"-DREFUSES={int(refuses)}", f"-DHANGS={int(hangs)}", "-o", str(path), str(SOURCE)]
    subprocess.run([compiler, *flags], check=True, capture_output=True)
    return path


@pytest.mark.slow
async def test_cards_tell_their_domain_rack_and_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(built(tmp_path)))
    heard: list[Hearing] = []
    await PolledSource(Local("nvml", "n1")).once(heard.append)
    (told,) = heard
    assert isinstance(told, Told)
    health = "fabric in progress, incorrect chassis serial number"
    assert told.report.scale_up == (ScaleUp(f"{CLUSTER}.7", "nvlink", 3, "1821224170001", "5", health=health),)


@pytest.mark.slow
async def test_a_driver_that_refuses_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(built(tmp_path, refuses=True)))
    heard: list[Hearing] = []
    await PolledSource(Local("nvml", "n1")).once(heard.append)
    assert heard == [Failed("nvml", "n1", "NVML: Driver Not Loaded (9)")]


@pytest.mark.slow
async def test_a_driver_that_hangs_is_a_failure_and_is_heard_when_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(built(tmp_path, hangs=True)))
    monkeypatch.setattr("railwise.discovery.local.polled_source.LONGEST", 0.1)
    source = PolledSource(Local("nvml", "n1"))
    heard: list[Hearing] = []
    await source.once(heard.append)
    assert heard == [Failed("nvml", "n1", "nvml does not answer")]
    monkeypatch.setattr("railwise.discovery.local.polled_source.LONGEST", 30.0)
    await source.once(heard.append)
    assert isinstance(heard[1], Told)


def test_without_the_library_it_is_said_where_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "libnvidia-ml-of-nobody.so.1")
    with pytest.raises(NvmlError, match="comes with NVIDIA's driver"):
        read_cards()


@pytest.mark.parametrize(
    ("card", "wrong"),
    [
        (CardFabric(bytes(16), 0, 0), set()),
        (CardFabric(b"\1" * 16, 1, 3), set()),
        (CardFabric(b"\1" * 16, 1, 1), {"fabric not started"}),
        (CardFabric(b"\1" * 16, 1, 9), {"fabric state 9"}),
        (CardFabric(b"\1" * 16, 1, 3, status=999), {"fabric error 999"}),
        (CardFabric(b"\1" * 16, 1, 3, health=0b01_10_10_01), {"degraded bandwidth", "access timeout"}),
        (CardFabric(b"\1" * 16, 1, 3, health=7 << 8), {"invalid location"}),
        (CardFabric(b"\1" * 16, 1, 3, health=15 << 8), set()),
    ],
)
def test_bits_of_the_health_mask_in_words(card: CardFabric, wrong: set[str]) -> None:
    assert troubles_of(card) == wrong


def test_a_fabric_that_does_not_come_up_is_told_without_a_domain() -> None:
    (one,) = nvml_report([CardFabric(b"\1" * 16, 1, 1)] * 8, "n1").scale_up
    assert (one.domain, one.health) == ("", "fabric not started")
    assert nvml_report([CardFabric(bytes(16), 0, 0)] * 8, "n1").scale_up == ()
