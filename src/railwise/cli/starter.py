"""The scenario that ``railwise init`` writes: read in a minute, and every part of it says what it is for."""

from __future__ import annotations

STARTER = """\
# A scenario: a cluster, its queues and its workloads. `railwise plan scenario.yaml` decides on it; nothing is changed.
# Completion while typing: `railwise schema > scenario.schema.json`, then as first line of this file
# yaml-language-server: $schema=scenario.schema.json
apiVersion: railwise.dev/v1alpha1
kind: Scenario
metadata: {name: start}
spec:
  # How the nodes are wired: a tree of named levels, widest first. The node itself is always the last level.
  topologies:
  - name: fabric
    levels: [superpod, rack]

  # Sixteen nodes of 8 GPUs in four racks of two superpods. A hostlist stands for many names; in `in`, k names on
  # n nodes make equal runs: gpu-01 to gpu-04 are in rack r1, and so on.
  nodes:
  - name: gpu-[01-16]
    gpus: 8
    in: {superpod: "p[1-2]", rack: "r[1-4]"}

  # Optional. Without queues every workload is in one named default, without limits.
  queues:
  - name: research
    quota: {gpu: 128}

  workloads:
  # Runs already: pod i is on nodes[i]. It was spread over the racks, as a scheduler without a map does it.
  - name: old
    queue: research
    pods: 3
    request: {gpu: 4}
    running: {nodes: [gpu-01, gpu-05, gpu-09], since: -2h}

  # A gang of 4 pods of 8 GPUs. All of it or nothing: in one superpod for certain, in one rack if possible.
  - name: train
    queue: research
    kind: training
    pods: 4
    request: {gpu: 8}
    topology: {required: superpod, preferred: rack}

  # Two groups that belong together: prefill stays inside one rack, decode may spread within the superpod.
  - name: serve
    queue: research
    topology: {required: superpod}
    groups:
    - {name: prefill, pods: 2, request: {gpu: 8}, topology: {required: rack}}
    - {name: decode, pods: 2, request: {gpu: 4}}

  # Needs a whole rack, and waits: `railwise why big -f scenario.yaml` says for what.
  - name: big
    queue: research
    pods: 4
    request: {gpu: 8}
    topology: {required: rack}
"""
