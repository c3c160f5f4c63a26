"""The cluster of ``railwise demo``: small enough to see whole, broken up the way real ones are."""

from __future__ import annotations

from typing import Final

FAILURE: Final = 12_000_000_000
"""When the rack loses power, µs: 3h20m."""

TRAINING: Final = ("llama", "experts", "sora")
"""The workloads that come to an end."""

NEW: Final = ("llama", "experts", "chat", "sora")
"""The workloads that arrive."""

DEMO: Final = """\
# Written by `railwise demo`. A rail-optimised fabric: in each rack, NIC r of every node is cabled to the same leaf
# switch, so a gang inside one rack never crosses a spine. Four racks of eight nodes, eight GPUs a node. What leaves a
# rack shares uplinks that carry as much as one node can send.
apiVersion: railwise.dev/v1alpha1
kind: Scenario
metadata: {name: demo}
spec:
  topologies:
  - name: fabric
    levels: [{name: superpod, uplink: 3200Gbps}, {name: rack, uplink: 3200Gbps}, {name: node, uplink: 3200Gbps}]
  nodes:
  - name: gpu-[01-32]
    gpus: 8
    in: {superpod: "p[1-2]", rack: "r[1-4]"}
  workloads:
  # What runs already, left where a scheduler without a map put it: small jobs, and gaps between them.
  - {name: notebook, pods: 3, request: {gpu: 1}, running: {nodes: [gpu-02, gpu-18, gpu-28]}}
  - {name: finetune, pods: 2, request: {gpu: 4}, running: {nodes: [gpu-05, gpu-21]}}
  - {name: eval, request: {gpu: 2}, running: {nodes: [gpu-07]}}

  # A training gang: six nodes that exchange gradients in rings, inside one rack if possible.
  - name: llama
    kind: training
    pods: 6
    request: {gpu: 8}
    topology: {required: superpod, preferred: rack}
    traffic: {pattern: dense, compute: 200ms}
    duration: 8h
    checkpoint: {every: 30m, restore: 5m}

  # A mixture of experts: every rank talks to every other, so it must not leave its superpod.
  - name: experts
    kind: training
    pods: 6
    request: {gpu: 8}
    topology: {required: superpod, preferred: rack}
    traffic: {pattern: moe, compute: 300ms}
    duration: 8h
    checkpoint: {every: 30m, restore: 5m}

  # Inference in two halves: prefill hands its key-value cache to decode. It has no end.
  - name: chat
    kind: inference
    topology: {required: superpod, preferred: rack}
    traffic: pd
    groups:
    - {name: prefill, pods: 2, request: {gpu: 8}}
    - {name: decode, pods: 4, request: {gpu: 4}}

  # Thirteen whole nodes in one superpod: `railwise why sora -f railwise-demo.yaml` says what it waits for.
  - name: sora
    kind: training
    pods: 13
    request: {gpu: 8}
    topology: {required: superpod}
    traffic: {pattern: dense, compute: 200ms}
    duration: 4h
    checkpoint: {every: 30m, restore: 5m}

  # The third rack loses power for six hours.
  events:
  - {at: 3h20m, node: "gpu-[17-24]", set: {ready: false}}
  - {at: 9h20m, node: "gpu-[17-24]", set: {ready: true}}
"""
