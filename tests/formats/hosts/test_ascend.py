"""The ConfigMap of Ascend's device plugin."""

from __future__ import annotations

import json

import pytest

from railwise.fabric.observations import ScaleUp
from railwise.formats.hosts.ascend import KEY, node_of, read_device_info
from railwise.model.errors import InputError

DEVICES = {"huawei.com/Ascend910": "Ascend910-0,Ascend910-1,Ascend910-7", "huawei.com/Ascend910-Unhealthy": ""}


def info(**more: object) -> dict[str, str]:
    return {KEY: json.dumps({"DeviceInfo": {"DeviceList": DEVICES, "UpdateTime": 1}, "CheckCode": "x", **more})}


def test_a_super_pod_is_a_domain() -> None:
    found = read_device_info(info(SuperPodID=3, ServerIndex=12, RackID=2), "n1")
    assert found.scale_up == (ScaleUp("superpod-3", "hccs", 3, tray="12"),)
    assert (found.speaker.name, found.links) == ("n1", False)


@pytest.mark.parametrize("pod", [-1, -2, None, "3", True, 1 << 40])
def test_a_server_in_no_super_pod_is_in_no_domain(pod: object) -> None:
    assert read_device_info(info(SuperPodID=pod), "n1").scale_up == ()


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '"' + "x" * (1 << 20) + '"'])
def test_what_is_no_such_object_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=KEY):
        read_device_info({KEY: text}, "n1")


def test_the_node_is_in_the_name() -> None:
    assert node_of("mindx-dl-deviceinfo-node-7") == "node-7"
    assert node_of("kube-root-ca.crt") == ""
