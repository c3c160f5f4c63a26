"""Sources that know more and less of an NVLink domain mean the same one."""

from __future__ import annotations

from railwise.fabric.fabric_map import Map
from railwise.fabric.findings import Kind
from railwise.fabric.mapper import build
from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker


def said(name: str, domain: str, chassis: str = "", source: str = "nvml") -> Report:
    return Report(source, Speaker(name, SERVER), scale_up=(ScaleUp(domain, gpus=4, chassis=chassis),), links=False)


def conflicts(found: Map) -> list[str]:
    return [one.subject for one in found.of_kind(Kind.SCALE_UP_CONFLICT)]


def test_a_manager_that_knows_no_cliques_agrees_with_the_cards() -> None:
    trays = [said(f"n{at}", "uuid-1.0") for at in range(3)]
    managed = [said(f"n{at}", "uuid-1", "serial-1", source="nmx") for at in range(4)]
    found = build([*trays, *managed])
    assert [(one.identity, one.servers, one.chassis) for one in found.scale_up] == [
        ("uuid-1.0", ("n0", "n1", "n2", "n3"), "serial-1")
    ]
    assert not conflicts(found)
    assert build(managed).scale_up[0].identity == "uuid-1", "alone it is believed as it is"


def test_of_several_cliques_the_one_counts_that_the_own_cards_report() -> None:
    halves = [said(f"n{at}", f"uuid-1.{at // 2}") for at in range(4)]
    managed = [said(f"n{at}", "uuid-1", source="nmx") for at in range(4)]
    found = build([*halves, *managed])
    assert [one.servers for one in found.scale_up] == [("n0", "n1"), ("n2", "n3")]
    torn = build([*halves, said("n0", "uuid-1.1", source="nvidia-smi"), *managed])
    assert [one.servers for one in torn.scale_up] == [("n1",), ("n2", "n3")]
    assert conflicts(torn) == ["n0"]
