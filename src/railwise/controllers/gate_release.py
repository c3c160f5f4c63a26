"""Letting pods through the gate: each is told its node and released in one patch, a gang all at the same time.

A pod that is released cannot be held again. So nobody of a gang is released while a victim still holds room that the
gang counts on, or if one of its pods or nodes is no longer as it was when the plan was made: the whole waits for the
next plan instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from railwise.controllers.binder import Batch, Binder
from railwise.controllers.cache import Binding
from railwise.controllers.gate_marks import GATE, NODE, pinned, required, terms_of
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.client import STRATEGIC
from railwise.kubeapi.errors import (
    ApiError,
    ConflictError,
    DeposedError,
    NotFoundError,
    ServerError,
    ThrottledError,
    UnreachableError,
)
from railwise.kubeapi.pods import Answer, Outcome
from railwise.kubeapi.resources import PODS


class Releaser(Binder):
    """Releases gated pods of one cache through one fenced client."""

    def batches(self, bindings: Iterable[Binding]) -> Iterable[Batch]:
        """Return which pods are released together: those of one gang that a plan has placed."""
        return (tuple(batch) for _, batch in groupby(bindings, key=lambda one: one.workload))

    async def send(self, binding: Binding) -> Answer:
        """Tell a pod its node and lift the gate.

        Doing that twice ends like doing it once, so the client may repeat it where an answer is lost.

        Raises:
            DeposedError: this process may no longer lead; nothing was sent.
        """
        pod = self.cache.pods.pods.get(binding.pod.uid)
        if pod is None:
            return Answer(Outcome.GONE, f"{binding.pod.name} is gone")
        try:
            await self.client.patch(
                PODS, binding.pod.namespace, binding.pod.name, release(pod, binding.node), content_type=STRATEGIC
            )
        except DeposedError:
            raise
        except (NotFoundError, ConflictError) as error:
            return Answer(Outcome.GONE, str(error))
        except (ServerError, ThrottledError, UnreachableError) as error:
            return Answer(Outcome.UNKNOWN, str(error))
        except ApiError as error:
            return Answer(Outcome.REFUSED, str(error))
        return Answer(Outcome.DONE, node=binding.node)


def release(pod: Pod, node: str) -> dict[str, object]:
    """Return the patch that tells a pod its node and lifts our gate, of this very pod only."""
    return {
        "metadata": {"uid": pod.metadata.uid, "annotations": {NODE: node}},
        "spec": {
            "affinity": required(pinned(terms_of(pod.spec), (node,))),
            "schedulingGates": [{"name": GATE, "$patch": "delete"}],
        },
    }
