"""A discovery document becomes sources; a laboratory stands for everything it offers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from railwise.discovery.assembly import sources_of, with_laboratory
from railwise.discovery.hearing import Failed, Hearing
from railwise.formats.discovery.settings import HostFiles, Login, Manager, Settings, Target, Trust
from railwise.lab.running import RunningLab
from railwise.lab.serving import Listening
from railwise.model.errors import InputError
from tests.lab.test_laboratory import fabric


def test_files_of_certificates_are_looked_up_beside_the_document(tmp_path: Path) -> None:
    target = Target("leaf-1", "leaf-1", trust=Trust(authority="ca.pem"), login=Login("reader", "/etc/secret"))
    settings = Settings(targets=(target,), managers=(Manager("ufm", "https://ufm", Trust(authority="ca.pem")),))
    names = [source.name for source in sources_of(settings, tmp_path, Random(0))]
    assert names == ["gnmi:leaf-1", "ufm:ufm"]


async def test_a_document_with_a_relative_authority_names_the_file_beside_it(tmp_path: Path) -> None:
    settings = Settings(targets=(Target("leaf-1", "127.0.0.1", 1, trust=Trust(authority="ca.pem")),))
    (source,) = sources_of(settings, tmp_path, Random(0))
    heard: list[Hearing] = []
    await source.once(heard.append)
    assert isinstance(heard[0], Failed)
    assert heard[0].reason == f"{tmp_path / 'ca.pem'}: No such file or directory"


async def test_a_laboratory_stands_for_its_switches_and_files(tmp_path: Path) -> None:
    lab = RunningLab(fabric(), tmp_path / "lab", Listening())
    await lab.start()
    try:
        sources = sources_of(Settings(lab="lab"), tmp_path, Random(0))
        assert [source.name for source in sources] == [
            "gnmi:leaf-0", "gnmi:leaf-1", "gnmi:spine-0", "lldpctl", "nvidia-smi", "kfd",
        ]  # fmt: skip
        heard: list[Hearing] = []
        for source in sources:
            await source.once(heard.append)
        assert [one for one in heard if isinstance(one, Failed)] == []
        assert {one.device for one in heard} == {"leaf-0", "leaf-1", "spine-0", "gpu-0", "gpu-1"}
    finally:
        await lab.stop()
    with pytest.raises(InputError, match="no laboratory runs in"):
        with_laboratory(Settings(lab="lab"), tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", json.dumps({"switches": [{"name": "a", "address": "nowhere"}]})])
def test_a_directory_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "lab.json").write_text(text)
    with pytest.raises(InputError, match="no directory of a laboratory"):
        with_laboratory(Settings(lab="."), tmp_path)


def test_settings_without_a_laboratory_stay_as_they_are(tmp_path: Path) -> None:
    settings = Settings(files=(HostFiles("lldpctl", "*.json"),))
    assert with_laboratory(settings, tmp_path) is settings
