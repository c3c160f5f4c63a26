"""What a pod really needs: the most it can ask for at any moment of its life, as the kubelet and the API define it.

Containers and sidecars (init containers with ``restartPolicy: Always``) run at the same time; each other init
container runs alone, beside the sidecars that started before it. The demand is the larger of the two, and the pod's
overhead on top. A request that is not given is the limit; resources of the pod as a whole (``spec.resources``)
replace the sum. Ports of the node count while the pod runs: those of containers and sidecars.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.kubernetes.amounts import amounts, base_units
from railwise.formats.kubernetes.schema import PodSpec, Resources
from railwise.model.errors import Fault
from railwise.model.host_ports import HostPort, as_resources

SIDECAR = "Always"


def demanded(spec: PodSpec, where: str, faults: list[Fault]) -> dict[str, int]:
    """Return the demand of one pod in fine units (millicores, bytes, pieces); unreadable quantities are faults."""
    running: dict[str, int] = {}
    for index, container in enumerate(spec.containers):
        _add(running, _wanted(container.resources, f"{where}.containers[{index}].resources", faults))
    sidecars: dict[str, int] = {}
    starting: dict[str, int] = {}
    for index, container in enumerate(spec.init_containers):
        wanted = _wanted(container.resources, f"{where}.initContainers[{index}].resources", faults)
        if container.restart_policy == SIDECAR:
            _add(sidecars, wanted)
            continue
        _add(wanted, sidecars)
        _most(starting, wanted)
    _add(running, sidecars)
    _most(running, starting)
    if spec.resources is not None:
        running.update(_wanted(spec.resources, f"{where}.resources", faults))
    _add(running, amounts(spec.overhead, f"{where}.overhead", faults))
    return running


def ports(spec: PodSpec) -> dict[str, int]:
    """Return the ports of the node that a pod wants while it runs, as amounts of resources."""
    running = [*spec.containers, *(one for one in spec.init_containers if one.restart_policy == SIDECAR)]
    wanted = [port for container in running for port in container.ports if port.host_port > 0]
    return as_resources(HostPort(port.host_port, port.protocol or "TCP", port.host_ip) for port in wanted)


def in_base_units(demand: Mapping[str, int]) -> dict[str, int]:
    """Return a demand in the model's units, rounded up."""
    return {resource: base_units(resource, amount, up=True) for resource, amount in demand.items()}


def _wanted(resources: Resources, where: str, faults: list[Fault]) -> dict[str, int]:
    limits = {name: limit for name, limit in resources.limits.items() if name not in resources.requests}
    wanted = amounts(limits, f"{where}.limits", faults)
    wanted.update(amounts(resources.requests, f"{where}.requests", faults))
    return wanted


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for resource, amount in more.items():
        total[resource] = total.get(resource, 0) + amount


def _most(total: dict[str, int], other: Mapping[str, int]) -> None:
    for resource, amount in other.items():
        total[resource] = max(total.get(resource, 0), amount)
