"""Rules between pods, with the meaning that Kubernetes gives them: beside whom a pod may, must or must not run.

A domain is what nodes with the same value of a label are; a node without the label belongs to none. So these rules need
no topology, and ``kubernetes.io/hostname`` is a label like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from railwise.model.requirement import Requirement


@dataclass(frozen=True)
class PodSelector:
    """Which pods are meant: those whose labels meet every requirement, in the namespaces (empty: in all)."""

    requirements: tuple[Requirement, ...] = ()
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class PodTerm:
    """A domain (nodes with equal values of the label ``key``) with, or without, a pod that is meant."""

    key: str
    pods: PodSelector


@dataclass(frozen=True)
class SpreadRule:
    """Pods that are meant differ in number by at most ``max_skew`` between a domain and the one with the fewest.

    With fewer than ``min_domains`` domains the fewest counts as 0. Domains are those of nodes that the pod's selection
    accepts (``by_affinity``) and whose taints it tolerates (``by_taints``).
    """

    key: str
    max_skew: int
    pods: PodSelector
    min_domains: int = 1
    by_affinity: bool = True
    by_taints: bool = False


@dataclass(frozen=True)
class PodRules:
    """What the pods of a group are to others (namespace and labels), and what they ask of them.

    ``leaving``: the pods are on their way out: they count for affinity, but not for spread.
    """

    namespace: str = "default"
    labels: tuple[tuple[str, str], ...] = ()
    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    spread: tuple[SpreadRule, ...] = ()
    leaving: bool = False

    def asks(self) -> bool:
        """Return whether the pods ask anything of others."""
        return bool(self.affinity or self.anti_affinity or self.spread)
