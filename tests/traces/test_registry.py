from __future__ import annotations

import pytest

from railwise.formats.traces.registry import convert, known_name
from railwise.model.errors import InputError

TOPO = f"ip,DSW,PSW,ASW\n{'a' * 64},G1,P1,S1\n".encode()
LINKS = b"server,leaf,switch_port\na,Leaf-1,p1\n"
NICS = b"server_ip,nic_netdev_name\n10.0.0.1,ens10\n"


def hint(kind: str, files: dict[str, bytes]) -> str:
    with pytest.raises(InputError) as caught:
        convert(kind, files)
    fault = caught.value.faults[0]
    return f"{fault.path}|{fault.message}|{fault.hint}"


def test_a_data_set_is_known_by_the_names_of_its_files() -> None:
    assert convert("", {"some/folder/topo.csv": TOPO, "some/folder/README.md": b""}).name == "alibaba-lingjun-2023"
    both = {"x/cluster_topology.csv": LINKS, "y\\gpu_nic_info.csv": NICS}
    assert convert("", both).name == "zhejianglab-a100-2000"
    assert convert("", {"topo.csv": TOPO}, gpus=4).nodes[0].card_count() == 4


def test_names_that_fit_none_or_several_are_answered_with_those_that_would() -> None:
    assert "topo.csv" in hint("", {"map.csv": TOPO})
    assert "several" in hint("", {"topo.csv": TOPO, "cluster_topology.csv": LINKS, "gpu_nic_info.csv": NICS})
    assert "cluster_topology.csv and gpu_nic_info.csv" in hint("", {"cluster_topology.csv": LINKS})


def test_a_named_data_set_needs_its_files() -> None:
    assert "needs the file gpu_nic_info.csv" in hint("zhejianglab-a100-2000", {"cluster_topology.csv": LINKS})
    assert "unknown data set 'philly'" in hint("philly", {})


def test_only_files_of_a_data_set_are_picked_from_a_folder() -> None:
    assert known_name("a/topo.csv.gz")
    assert not known_name("a/README.md")
