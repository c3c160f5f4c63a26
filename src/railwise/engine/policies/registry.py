"""The policies by name: Railwise itself, and the baselines it can be compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Policy, Search
from railwise.engine.policies.affinity import StaticAffinity
from railwise.engine.policies.best_fit import BestFit
from railwise.engine.policies.binpack import MostAllocated
from railwise.engine.policies.chance import RandomNodes
from railwise.engine.policies.fgd import FragmentationGradient
from railwise.engine.policies.flat import FirstFit
from railwise.engine.policies.line import fifo, priority
from railwise.engine.policies.packing_scores import DotProduct, GpuClustering, GpuPacking, WeightedFit
from railwise.engine.policies.podwise import PodByPod
from railwise.engine.policies.quota_only import QuotaOnly
from railwise.engine.policies.slurm import Backfill
from railwise.engine.policies.spread import DefaultScheduler
from railwise.engine.policies.whole_nodes import WholeNodes
from railwise.model.errors import Fault, InputError

RAILWISE: Final = "railwise"

Make = Callable[[int], Policy]
"""Makes a policy for a seed."""

SearchOf = Callable[[ClusterState, int], Search]
"""Makes the search of a policy for a state and a seed."""


class PolicyInfo(NamedTuple):
    """One policy: its name, what it does in one line, and whether its plans obey topology rules.

    ``make`` is None for Railwise, which the engine takes by itself.
    """

    name: str
    summary: str
    keeps_rules: bool
    make: Make | None


def _baseline(name: str, summary: str, search: SearchOf, like: Policy | None = None) -> PolicyInfo:
    """Return a baseline; ``like`` describes its order and what holds, its search is not looked at."""

    def make(seed: int) -> Policy:
        def of_state(state: ClusterState) -> Search:
            return search(state, seed)

        return Policy(of_state) if like is None else like._replace(search=of_state)

    return PolicyInfo(name, f"{summary}; ignores topology rules", PodByPod.keeps_rules, make)


def _flat(state: ClusterState, seed: int) -> Search:
    del seed
    return FirstFit(state)


def _best_fit(state: ClusterState, seed: int) -> Search:
    del seed
    return BestFit(state)


def _whole_nodes(state: ClusterState, seed: int) -> Search:
    del seed
    return WholeNodes(state)


_ITSELF: Final = "whole gangs, on the slots that fit them best by the rules of the topology"
_FIFO: Final = Policy(FirstFit, fifo, quotas=False, limits=False)
_PRIORITY: Final = Policy(FirstFit, priority, quotas=False, limits=False)
_QUOTA: Final = Policy(FirstFit, QuotaOnly, quotas=False, limits=False)
_SLURM: Final = Policy(WholeNodes, Backfill, quotas=False)

_ALL: Final = (
    PolicyInfo(RAILWISE, _ITSELF, keeps_rules=True, make=None),
    _baseline("spread", "the default kube-scheduler: pod by pod, to the nodes least used", DefaultScheduler),
    _baseline("binpack", "kube-scheduler with MostAllocated: pod by pod, to the fullest nodes", MostAllocated),
    _baseline("affinity", "node lists written by hand, and the default kube-scheduler inside them", StaticAffinity),
    _baseline("flat", "whole gangs, on the first nodes of the document that fit", _flat),
    _baseline("best-fit", "whole gangs, on the fullest nodes that fit", _best_fit),
    _baseline("fifo", "one line by time, nobody overtakes, first fit", _flat, _FIFO),
    _baseline("priority", "one line by priority, nobody overtakes, first fit", _flat, _PRIORITY),
    _baseline("quota", "admission by quota alone as in Kueue, pods by kube-scheduler", DefaultScheduler, _QUOTA),
    _baseline("slurm", "priority, backfill by durations, whole nodes by switch", _whole_nodes, _SLURM),
    _baseline("fgd", "pod by pod, where it adds least to the expected fragmentation (FGD)", FragmentationGradient),
    _baseline("dot-product", "pod by pod, by the angle between room and request (as in Tetris)", DotProduct),
    _baseline("gpu-clustering", "pod by pod, like pods together (as in Gandiva)", GpuClustering),
    _baseline("gpu-packing", "pod by pod, shared cards before free ones, used nodes before untouched", GpuPacking),
    _baseline("weighted-fit", "pod by pod, best fit on cpu and GPUs, equally weighted", WeightedFit),
    _baseline("random", "every pod on a node drawn from those it fits", RandomNodes),
)

POLICIES: Final[dict[str, PolicyInfo]] = {info.name: info for info in _ALL}
"""All policies by name, in the order in which they are shown."""


def by_name(name: str, seed: int = 0) -> Policy | None:
    """Return a policy, None for Railwise; ``seed`` decides wherever the policy tosses a coin.

    Raises ``InputError``, which lists the known names.
    """
    info = POLICIES.get(name)
    if info is None:
        raise InputError([Fault("", f"there is no policy '{name}'", f"known are {', '.join(POLICIES)}")])
    return None if info.make is None else info.make(seed)
