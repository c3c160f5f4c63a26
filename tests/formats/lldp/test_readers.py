"""Neighbours are read alike from every shape they come in, and hostile text harms nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.lldp.lldpctl import read_lldpctl
from railwise.formats.lldp.openconfig import Leaves, read_document
from railwise.formats.lldp.record import LONGEST_TEXT, MOST_NEIGHBOURS, MOST_PORTS, LldpRecord, clean
from railwise.formats.lldp.sonic_table import SonicRows, read_rows
from railwise.model.errors import InputError
from tests.conftest import SHARED

FIXTURES = SHARED / "fixtures"
LEAF = LldpRecord(
    "eth0", "0a:00:00:00:00:01", "mac", "Ethernet4", "ifname", "to gpu-1", "leaf-1", "NOS 5", ("10.0.0.1",), ("bridge",)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["lldp", "interface", "chassis", "port", "id", "name", "state", "x"]), inner)
    ),
    max_leaves=12,
)


def json0() -> Any:
    return {
        "lldp": [
            {
                "interface": [
                    {
                        "name": "eth0",
                        "via": "LLDP",
                        "chassis": [
                            {
                                "id": [{"type": "mac", "value": "0a:00:00:00:00:01"}],
                                "name": [{"value": "leaf-1"}],
                                "descr": [{"value": "NOS 5"}],
                                "mgmt-ip": [{"value": "10.0.0.1"}],
                                "capability": [
                                    {"type": "Bridge", "enabled": True},
                                    {"type": "Wlan", "enabled": False},
                                ],
                            }
                        ],
                        "port": [{"id": [{"type": "ifname", "value": "Ethernet4"}], "descr": [{"value": "to gpu-1"}]}],
                    }
                ]
            }
        ]
    }


def plain_json(*, listed: bool, addresses: Any = "10.0.0.1") -> Any:
    chassis = {
        "id": {"type": "mac", "value": "0a:00:00:00:00:01"},
        "descr": "NOS 5",
        "mgmt-ip": addresses,
        "capability": {"type": "Bridge", "enabled": True},
    }
    port = {"id": {"type": "ifname", "value": "Ethernet4"}, "descr": "to gpu-1"}
    body = {"eth0": {"via": "LLDP", "chassis": {"leaf-1": chassis}, "port": port}}
    return {"lldp": {"interface": [body] if listed else body}}


@pytest.mark.parametrize(
    "document", [json0(), plain_json(listed=True), plain_json(listed=False, addresses=["10.0.0.1"])]
)
def test_both_forms_of_lldpctl_say_the_same(document: Any) -> None:
    assert read_lldpctl(json.dumps(document).encode()) == [LEAF]


def test_a_chassis_without_a_name_is_kept() -> None:
    document = json0()
    del document["lldp"][0]["interface"][0]["chassis"][0]["name"]
    (record,) = read_lldpctl(json.dumps(document).encode())
    assert (record.system_name, record.chassis_id) == ("", "0a:00:00:00:00:01")


def test_a_host_does_not_hear_itself() -> None:
    document = json.dumps(json0()).encode()
    assert read_lldpctl(document, own_chassis=frozenset({"0a:00:00:00:00:01"})) == []
    local = json.dumps(
        json0()
        | {
            "lldp_loc_chassis": {
                "local-chassis": {"chassis": {"leaf-1": {"id": {"type": "mac", "value": "0a:00:00:00:00:01"}}}}
            }
        }
    )
    assert read_lldpctl(local.encode()) == []


@pytest.mark.parametrize(
    ("name", "ports", "first"),
    [
        ("sonic/dbsyncd-lldpctl.json", 33, "switch13"),
        ("sonic/dbsyncd-interface_only.json", 2, ""),
        ("sonic/dbsyncd-lldpctl_mgmt_only.json", 1, "switchad11"),
        ("sonic/dbsyncd-lldpctl_no_neighbors_loc_mgmt_ip.json", 0, ""),
        ("sonic/dbsyncd-short_short.json", 0, ""),
        ("topograph/lldp-49-interfaces.log", 49, "d05-ipmi-1.pod2.ff.mec01.il.nvidia.com"),
    ],
)
def test_recorded_outputs_of_lldpctl(name: str, ports: int, first: str) -> None:
    path = FIXTURES / name
    if not path.exists():
        pytest.skip("no recorded outputs beside the checkout")
    records = read_lldpctl(path.read_bytes())
    assert len(records) == ports
    assert not records or records[0].system_name == first
    assert all(record.chassis_id_kind == "mac" for record in records)


def test_the_recorded_table_of_a_sonic_switch() -> None:
    path = FIXTURES / "sonic" / "dbsyncd-LLDP_ENTRY_TABLE.json"
    if not path.exists():
        pytest.skip("no recorded outputs beside the checkout")
    rows = read_rows(path.read_bytes())
    assert rows.gone == ()
    by_port = {record.port: record for record in rows.records}
    assert by_port["Ethernet0"].system_name == "switch13"
    assert by_port["Ethernet0"].capabilities == ("bridge", "router")


def test_a_row_without_fields_is_gone_and_one_being_written_says_nothing() -> None:
    rows = {"Ethernet0": {}, "Ethernet4": {"lldp_rem_time_mark": "77"}, "Ethernet8": {"lldp_rem_sys_name": "gpu-1"}}
    assert read_rows(json.dumps(rows).encode()) == SonicRows(
        (LldpRecord("Ethernet8", system_name="gpu-1"),), ("Ethernet0",)
    )


def test_a_new_time_mark_changes_nothing() -> None:
    row = {"lldp_rem_sys_name": "gpu-1", "lldp_rem_port_id": "0a:00:00:00:00:09", "lldp_rem_port_id_subtype": "3"}
    first, second = (
        read_rows(json.dumps({"Ethernet0": row | {"lldp_rem_time_mark": str(mark)}}).encode()) for mark in (1, 2)
    )
    assert first == second
    assert first.records[0].port_id_kind == "mac"


def test_openconfig_leaves_and_documents_say_the_same() -> None:
    state: dict[str, str | int] = {
        "chassis-id": "0a:00:00:00:00:01",
        "chassis-id-type": "MAC_ADDRESS",
        "port-id": "Ethernet4",
    }
    state |= {"port-id-type": "INTERFACE_NAME", "system-name": "leaf-1", "age": 12}
    neighbour = {"id": "whatever", "state": state}
    document = {"openconfig-lldp:interfaces": {"interface": [{"name": "eth0", "neighbors": {"neighbor": [neighbour]}}]}}
    read = read_document(json.dumps(document).encode())
    leaves = Leaves()
    for leaf, value in state.items():
        leaves.put("eth0", "1095", leaf, value)
    assert read == {"eth0": leaves.records("eth0")}
    leaves.drop("eth0", "1095")
    assert leaves.records("eth0") == ()


def test_leaves_that_are_ages_are_no_news() -> None:
    leaves = Leaves()
    leaves.put("eth0", "1", "system-name", "leaf-1")
    before = leaves.records("eth0")
    leaves.put("eth0", "1", "age", 99)
    assert leaves.records("eth0") == before
    leaves.drop()
    assert leaves.ports() == []


@pytest.mark.parametrize("reader", [read_rows, read_document, read_lldpctl])
@pytest.mark.parametrize("document", [b"", b"{", b"7", b"\xff", b'"text"', b"[" * 100_000, b'{"lldp": 1'])
def test_what_is_no_such_document_is_an_error(reader: Callable[[bytes], object], document: bytes) -> None:
    with pytest.raises(InputError):
        reader(document)


@given(JSON)
def test_any_json_is_read_or_refused(content: Any) -> None:
    for reader in (read_rows, read_document, read_lldpctl):
        try:
            reader(json.dumps(content).encode())
        except InputError:
            continue


@given(st.text(max_size=600))
def test_text_of_neighbours_is_short_and_printable(text: str) -> None:
    kept = clean(text)
    assert len(kept) <= LONGEST_TEXT
    assert kept.isprintable()
    assert clean(kept) == kept


@pytest.mark.slow
def test_nobody_can_fill_the_memory() -> None:
    rows = {f"Ethernet{number}": {"lldp_rem_sys_name": "x" * 70_000} for number in range(MOST_PORTS + 10)}
    assert (
        len(
            read_rows(
                json.dumps({name: {**row, "lldp_rem_sys_name": "x"} for name, row in rows.items()}).encode()
            ).records
        )
        == MOST_PORTS
    )
    states = [{"id": "1", "state": {"chassis-id": str(number)}} for number in range(100_000)]
    many = {"openconfig-lldp:interface": [{"name": "eth0", "neighbors": {"neighbor": states}}]}
    assert len(read_document(json.dumps(many).encode())["eth0"]) == MOST_NEIGHBOURS
    crowd = [
        {"eth0": {"chassis": {str(number): {"id": {"type": "local", "value": str(number)}}}}}
        for number in range(100_000)
    ]
    assert len(read_lldpctl(json.dumps({"lldp": {"interface": crowd}}).encode())) == MOST_NEIGHBOURS
    leaves = Leaves()
    for number in range(100_000):
        leaves.put("eth0", str(number), "chassis-id", str(number))
    assert len(leaves.records("eth0")) == MOST_NEIGHBOURS
