"""The document that a laboratory writes about itself is enough to discover it, certificates and passwords included."""

from __future__ import annotations

from pathlib import Path
from random import Random

from railwise.discovery.assembly import sources_of
from railwise.discovery.collector import Collector
from railwise.discovery.tables import Tables
from railwise.fabric.elements import Dialect
from railwise.fabric.fabric_map import Map
from railwise.formats.discovery.reader import read_discovery_text
from railwise.formats.discovery.settings import Settings
from railwise.lab.gnmi_switch import Access
from railwise.lab.running import RunningLab
from railwise.lab.serving import Certificates, Listening
from tests.discovery.certificates import Authority
from tests.lab.test_laboratory import fabric


def settings_of(document: Path) -> Settings:
    return read_discovery_text(document.read_bytes(), str(document))


async def discovered(document: Path) -> tuple[Map, dict[str, str]]:
    settings = settings_of(document)
    collector = Collector(sources_of(settings, document.parent, Random(0)), Tables({}), lambda: 0)
    found = await collector.once()
    return found, {name: failed.reason for name, failed in collector.failures.items()}


async def test_a_laboratory_with_a_certificate_and_a_password_is_discovered_by_its_document(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.pair("switches.example")
    chain = tmp_path / "chain.pem"
    chain.write_bytes(pair.certificate.read_bytes() + authority.file.read_bytes())
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    listening = Listening(
        access=Access("reader", "hunter2"), certificates=Certificates(pair.key, chain), password_file=secret
    )
    lab = RunningLab(fabric(below=Dialect.SONIC), tmp_path / "lab", listening)
    await lab.start()
    try:
        document = tmp_path / "lab" / "discover.yaml"
        assert "hunter2" not in document.read_text()
        found, failures = await discovered(document)
    finally:
        await lab.stop()
    assert not failures
    switches = [switch.name for switch in lab.laboratory.fabric.switches]
    assert {source for source, _ in found.heard} >= {f"gnmi:{name}" for name in switches}
    assert len(found.links()) == len([link for link in lab.laboratory.wires.links() if link.up])
    assert [(domain.kind, domain.servers) for domain in found.scale_up] == [
        ("nvlink", ("gpu-0",)),
        ("xgmi", ("gpu-1",)),
    ]
    assert not document.exists(), "nobody listens there any more"


async def test_a_folder_that_is_used_again_holds_nothing_of_the_earlier_fabric(tmp_path: Path) -> None:
    kept = tmp_path / "hosts" / "gpu-77" / "notes.txt"
    stale = [
        tmp_path / "hosts" / "gpu-99" / "lldpctl.json",
        tmp_path / "hosts" / "gpu-77" / "kfd" / "0" / "x",
        tmp_path / "hosts" / "gpu-77" / "nvidia-smi.csv",
        tmp_path / "ibnetdiscover.txt",
    ]
    for path in (kept, *stale):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("of another time")
    lab = RunningLab(fabric(below=Dialect.INFINIBAND), tmp_path, Listening())
    await lab.start()
    try:
        found, failures = await discovered(tmp_path / "discover.yaml")
        assert "ufm" in {source.partition(":")[0] for source, _ in found.heard}
    finally:
        await lab.stop()
    assert not failures
    assert kept.exists()
    assert not any(path.exists() for path in stale[:3])
    assert not stale[0].parent.exists()
    assert stale[3].read_text().startswith("#")
