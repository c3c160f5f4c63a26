"""Pods and Jobs of gate mode in manifests: they are planned as they were meant, whatever marks they carry by now."""

from __future__ import annotations

from railwise.formats.kubernetes.gate_marks import GATE, NODE, pinned, required
from tests.formats.kubernetes.objects import Object, job, node, owner, pod, read, template, workload

HELD: Object = {"schedulerName": "default-scheduler", "schedulingGates": [{"name": GATE}]}


def released(name: str, where: str, *, bound: bool, of: str = "") -> Object:
    meta: Object = {"annotations": {NODE: where}, **({"ownerReferences": owner("PyTorchJob", of)} if of else {})}
    spec: Object = {"schedulerName": "default-scheduler", "affinity": required(pinned((), [where]))}
    return pod(name, 8, meta=meta, **spec, **({"nodeName": where} if bound else {}))


def test_a_pod_at_the_gate_waits_for_us() -> None:
    scenario = read(node("n1", gpu=8), pod("p", 8, **HELD))
    assert workload(scenario, "p").root.running is None
    assert read(node("n1"), pod("p", 8, **{**HELD, "schedulingGates": [{"name": "x"}, {"name": GATE}]})).warnings


def test_who_was_let_through_runs_where_it_was_told_and_a_gang_stays_one_of_equals() -> None:
    pods = [released("p-0", "n1", bound=True, of="g"), released("p-1", "n2", bound=False, of="g")]
    found = read(node("n1"), node("n2"), *pods)
    assert found.warnings == ()
    root = workload(found, "g").root
    assert (root.groups, root.pods, root.selection.terms) == ((), 2, ())
    assert root.running is not None
    assert root.running.nodes == ("n1", "n2")


def test_a_held_job_is_planned_as_if_it_were_not_suspended() -> None:
    held = {"labels": {GATE: "suspend"}}
    of = template(8, schedulerName="default-scheduler")
    scenario = read(node("n1"), job("j", 2, of, meta=held, suspend=True))
    assert not workload(scenario, "j").suspend
    paused = {**held, "annotations": {"railwise.dev/nodes": "n1*2"}}
    again = read(node("n1"), job("j", 2, template(8), meta=paused, suspend=True))
    assert workload(again, "j").suspend
    assert again.warnings == ()
