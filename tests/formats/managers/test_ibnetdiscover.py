from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Dialect
from railwise.fabric.findings import Kind
from railwise.fabric.mapper import build
from railwise.fabric.observations import Observation
from railwise.fabric.topologies import labels
from railwise.formats.discovery.map_document import map_document
from railwise.formats.document_writer import document_text
from railwise.formats.managers.ibnetdiscover import read_ibnetdiscover
from railwise.lab.infiniband import InfinibandView
from railwise.lab.laboratory import Laboratory
from railwise.model.errors import InputError

GOLDEN_SIZES = [18, 18, 17, 16, 16, 15, 11, 11]


def test_122_hosts_are_in_eight_groups_and_none_is_torn(shared: Callable[[str], Path]) -> None:
    found = build(read_ibnetdiscover(shared("fixtures/topograph/ibnetdiscover-122-hosts.txt").read_bytes()))
    groups = [domain for domain in found.domains if domain.level == "leaf-group"]
    assert sorted((len(domain.servers) for domain in groups), reverse=True) == GOLDEN_SIZES
    assert sorted(len(domain.switches) for domain in groups) == [3, 4, 4, 4, 4, 4, 4, 4]
    assert len(found.places) == 122
    assert not found.of_kind(Kind.AMBIGUOUS_GROUP, Kind.AMBIGUOUS_NAME, Kind.CONFLICT)
    assert [domain.name for domain in groups] == [
        "B09-P1-08",
        *(f"A09-P1-0{at}" for at in range(1, 5)),
        *(f"B09-P1-0{at}" for at in range(5, 8)),
    ]


def test_hosts_without_a_name_of_their_own_get_no_label(shared: Callable[[str], Path]) -> None:
    found = build(read_ibnetdiscover(shared("fixtures/topograph/ibnetdiscover-122-hosts.txt").read_bytes()))
    labelled = labels(found)
    assert len(labelled) == 120
    assert not {"localhost", "ubuntu"} & labelled.keys()
    unknown = {one.fact("name") for one in found.of_kind(Kind.UNKNOWN_NEIGHBOUR)}
    assert unknown == {"localhost", "ubuntu", "MT4129 ConnectX7 Mellanox Technologies"}


def shuffled(rows: tuple[Observation, ...], chance: random.Random) -> tuple[Observation, ...]:
    return tuple(chance.sample(rows, len(rows)))


@pytest.mark.slow
def test_100_shuffles_give_the_same_bytes(shared: Callable[[str], Path]) -> None:
    reports = read_ibnetdiscover(shared("fixtures/topograph/ibnetdiscover-122-hosts.txt").read_bytes())
    chance = random.Random(7)
    expected = document_text(map_document(build(reports)), "json")
    for _ in range(100):
        chance.shuffle(reports)
        mixed = [
            replace(one, observations=tuple(chance.sample(one.observations, len(one.observations)))) for one in reports
        ]
        assert document_text(map_document(build(mixed)), "json") == expected


def test_two_swapped_rails_are_found_in_a_real_fabric(shared: Callable[[str], Path]) -> None:
    found = build(read_ibnetdiscover(shared("fixtures/topograph/ibnetdiscover-122-hosts.txt").read_bytes()))
    swapped = found.of_kind(Kind.RAIL_SWAPPED)
    assert [one.ports for one in swapped] == [
        ("b08-p1-dgx-08-c01/HCA-5", "B09-P1-IBLEAF-04-08/1"),
        ("b08-p1-dgx-08-c01/HCA-6", "B09-P1-IBLEAF-03-08/1"),
    ]
    assert all(one.inferred for one in swapped)


def test_an_output_that_was_cut_off_is_refused(shared: Callable[[str], Path]) -> None:
    with pytest.raises(InputError) as caught:
        read_ibnetdiscover(shared("fixtures/topograph/ibnetdiscover-truncated.txt").read_bytes())
    assert "the output was cut off: 'dgx-gb200-n01-c1 HCA-1'" in str(caught.value)
    whole = shared("fixtures/topograph/ibnetdiscover-122-hosts.txt").read_bytes()
    for part in (len(whole) // 3, len(whole) // 2, len(whole) - 3000):
        with pytest.raises(InputError):
            read_ibnetdiscover(whole[:part])


def test_what_the_laboratory_prints_is_read_as_its_fabric() -> None:
    design = DESIGNS["rail-optimised"]
    size = replace(design.usual, units=2, servers=4, rails=4, spines=2, dialect=Dialect.INFINIBAND)
    fabric = design.draw(size)
    found = build(read_ibnetdiscover(InfinibandView(Laboratory(fabric)).text().encode()))
    wanted = [sorted((cable.a.text(), cable.b.text())) for cable in fabric.cables]
    assert sorted(list(edge.ports()) for edge in found.links()) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no switch and no adapter in it"),
        ("hello", "line 1: expected a device or one of its ports, not 'hello'"),
        ('Switch 2 "S-1" # "a"\n[1] "S-2"[1] # "b"', "leads to S-2, not described"),
        ('Switch 2 "S-1" # "a"\nSwitch 2 "S-1" # "a"', "line 2: 'S-1' is described twice"),
    ],
)
def test_what_is_no_output_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ibnetdiscover(text.encode())
    assert message in str(caught.value)
