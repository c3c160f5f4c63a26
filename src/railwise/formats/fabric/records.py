"""The keys of a fabric document: reader, suggestions for misspelt keys and JSON Schema all come from these tables."""

from __future__ import annotations

from typing import Any

from railwise.fabric.elements import AIR_LABELS, Dialect, Role
from railwise.formats.fabric.terms import (
    CLUSTER_UUID,
    DEVICES,
    END,
    GPUS,
    MOST_PORTS,
    MOST_RAILS,
    PCI,
    PORTS,
    RAILS,
    WORD,
    WORDS,
    Ends,
    Length,
    Mac,
)
from railwise.formats.kinds import ByForm, Choice, Flag, ListOf, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import BANDWIDTH, DURATION, LABEL_VALUE, MODEL, MOST_CARDS

_RUNS = "; k names on n devices: equal consecutive runs"
_RAIL = ByForm[Any]("a rail or a list of rails", {int: Whole(0, MOST_RAILS - 1), list: RAILS})

_PORTS = ByForm[Any]("a number of ports or a hostlist of them", {int: Whole(1, MOST_PORTS), str: PORTS})

_AIR = {name: Field(LABEL_VALUE, f"the attribute `{name}` of NVIDIA Air") for name in AIR_LABELS}

SWITCH_RECORD = Record(
    "FabricSwitch",
    {
        "name": Field(DEVICES, "the name; a hostlist makes many", required=True),
        "role": Field(Choice(*Role), "what it is for; default leaf"),
        "dialect": Field(Choice(*Dialect), "how it names ports and speaks of neighbours; default sonic"),
        "ports": Field(_PORTS, "its ports, or how many of its dialect's; default: those that cables use"),
        "speed": Field(BANDWIDTH, "of one port, such as 400Gbps"),
        "chassis": Field(Mac(), "the MAC address by which neighbours know it; default: follows from the name"),
        "scalable_unit": Field(WORDS, "the unit it serves" + _RUNS),
        "rail_index": Field(_RAIL, "the rail it carries; k rails on n switches: equal consecutive runs"),
        "plane_id": Field(WORDS, "the plane it belongs to" + _RUNS),
        "rack_name": Field(WORDS, "the rack it stands in" + _RUNS),
        **_AIR,
    },
    hints={"type": "did you mean 'role'?", "nos": "did you mean 'dialect'?"},
)

NIC_RECORD = Record(
    "FabricNic",
    {
        "name": Field(PORTS, "the name; a hostlist makes many", required=True),
        "rail_index": Field(_RAIL, "its rail; k rails on n NICs: equal consecutive runs"),
        "gpus": Field(GPUS, "the cards nearest to it; k cards on n NICs: equal consecutive runs"),
        "mac": Field(Mac(), "its MAC address; default: follows from server and name"),
        "speed": Field(BANDWIDTH, "such as 400Gbps"),
        "plane_id": Field(WORD, "the plane it belongs to"),
        "pci": Field(PCI, "its address on the bus, such as 0000:1b:00.0"),
    },
)

SERVER_RECORD = Record(
    "FabricServer",
    {
        "name": Field(DEVICES, "the name, that of the Kubernetes node; a hostlist makes many", required=True),
        "nics": Field(ListOf(NIC_RECORD), "its network ports"),
        "gpus": Field(Whole(0, MOST_CARDS), "how many cards it has; default 0"),
        "gpu_model": Field(MODEL, "the model of its cards"),
        "scalable_unit": Field(WORDS, "the unit it belongs to" + _RUNS),
        "rack_name": Field(WORDS, "the rack it stands in" + _RUNS),
        **_AIR,
    },
    hints={"nic": "did you mean 'nics'?", "gpu": "did you mean 'gpus'?"},
)

ENDS = ListOf(Ends(), least=2)

CABLE_RECORD = Record(
    "FabricCable",
    {
        "ends": Field(ENDS, "its two ends; hostlists of equal length make many cables", required=True),
        "speed": Field(BANDWIDTH, "default: that of its ports"),
        "cable_length": Field(Length(), "such as 3m"),
    },
)

CABLES = ListOf(ByForm[Any]("two ends, or a mapping with 'ends'", {list: ENDS, dict: CABLE_RECORD}))

DOMAIN_RECORD = Record(
    "FabricDomain",
    {
        "name": Field(WORD, "its name", required=True),
        "kind": Field(Choice("nvlink", "xgmi"), "what joins the cards; default nvlink"),
        "cluster_uuid": Field(CLUSTER_UUID, "what its GPUs report; default: follows from the name"),
        "clique": Field(Whole(0, 2**31 - 1), "which part of the cluster; default 0"),
        "chassis": Field(WORD, "serial number of its chassis"),
        "servers": Field(DEVICES, "its servers", required=True),
    },
)

PLANE_RECORD = Record(
    "FabricPlane",
    {
        "name": Field(WORD, "its name, as in plane_id", required=True),
        "role": Field(Choice("compute", "storage", "management"), "default compute"),
    },
)

FLAP_RECORD = Record(
    "FabricFlap",
    {
        "every": Field(DURATION, "from one loss to the next", required=True),
        "times": Field(Whole(1, 10_000), "how often", required=True),
    },
)

STATE_RECORD = Record(
    "FabricState",
    {
        "up": Field(Flag(), "of a cable, nic, switch or server"),
        "maintenance": Field(Flag(), "of a switch: no new placements below it"),
        "telemetry": Field(Flag(), "of a switch: false when it is silent while its links work"),
    },
)

_WHAT = {
    "cable": Field(ListOf(END, least=2), "a cable by its two intended ends: device/port, server/railN, or a device"),
    "nic": Field(END, "a NIC, as server/port or server/railN"),
    "switch": Field(DEVICES, "a switch, or several"),
    "server": Field(DEVICES, "a server, or several"),
    "replug": Field(ListOf(END, least=2), "two ports whose plugs change places; one may be empty"),
    "set": Field(STATE_RECORD, "the state it takes"),
}

ACTUAL_RECORD = Record("FabricDifference", _WHAT)

EVENT_RECORD = Record(
    "FabricEvent",
    {
        "at": Field(DURATION, "when", required=True),
        **_WHAT,
        "flap": Field(FLAP_RECORD, "instead of set, for a cable, nic or switch: lose and regain the link"),
    },
)

FABRIC_RECORD = Record(
    "FabricSpec",
    {
        "switches": Field(ListOf(SWITCH_RECORD), "the switches"),
        "servers": Field(ListOf(SERVER_RECORD), "the servers"),
        "cables": Field(CABLES, "the cables as they are meant to run"),
        "domains": Field(ListOf(DOMAIN_RECORD), "servers joined by NVLink or XGMI"),
        "planes": Field(ListOf(PLANE_RECORD), "networks side by side; default: all that plane_id names, for compute"),
        "actual": Field(ListOf(ACTUAL_RECORD), "what differs from the intention at the start"),
        "timeline": Field(ListOf(EVENT_RECORD), "what happens later"),
    },
    hints={"links": "did you mean 'cables'?", "nodes": "write 'servers' and 'switches'", "events": "write 'timeline'"},
)
