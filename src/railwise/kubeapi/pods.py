"""What a scheduler does to pods: binds them, evicts them, says on them why they wait.

Each of these can be half-done from where we stand: an answer is lost, another replica was quicker, the pod was deleted
and made anew. So each names the pod by its uid, never only by name, and ends in a value that says how things stand,
after asking where that is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from railwise.kubeapi.client import STRATEGIC, Client
from railwise.kubeapi.errors import (
    ApiError,
    ConflictError,
    DeposedError,
    NotFoundError,
    ServerError,
    StatusError,
    ThrottledError,
    UnreachableError,
)
from railwise.kubeapi.objects import ObjectMeta
from railwise.kubeapi.resources import PODS
from railwise.kubeapi.retry import RetryPolicy

BUDGET = "DisruptionBudget"
"""The cause in a refusal that comes from a PodDisruptionBudget, not from a busy server."""

BIND_RETRY = RetryPolicy(attempts=4)
TRIES = 3


class PodName(NamedTuple):
    """Which pod, and which one of that name."""

    namespace: str
    name: str
    uid: str


class Outcome(Enum):
    """What became of a bind or an eviction.

    ``DONE``: the pod is bound there, or its eviction has begun; ``GONE``: there is no such pod any more;
    ``ELSEWHERE``: it is bound to another node; ``BLOCKED``: a disruption budget does not allow it now;
    ``REFUSED``: the server will not have it; ``UNKNOWN``: the server cannot be asked.
    """

    DONE = "done"
    GONE = "gone"
    ELSEWHERE = "elsewhere"
    BLOCKED = "blocked"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Answer(NamedTuple):
    """An outcome, with the server's words, the node of ``ELSEWHERE``, and seconds until it is worth asking again."""

    outcome: Outcome
    message: str = ""
    node: str = ""
    retry_after: float = 0.0


class _Spec(msgspec.Struct, rename="camel"):
    node_name: str = ""


class _BoundPod(msgspec.Struct, rename="camel"):
    metadata: ObjectMeta = ObjectMeta()
    spec: _Spec = msgspec.field(default_factory=_Spec)


async def bind(client: Client, pod: PodName, node: str) -> Answer:
    """Bind a pod to a node, and find out how it stands if the answer leaves that open.

    Raises:
        DeposedError: this process may no longer lead; nothing was sent.
    """
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    path = PODS.path(pod.namespace, pod.name, "binding")
    trouble = ""
    for _ in range(TRIES):
        try:
            await client.write("POST", path, PODS, body, retry=BIND_RETRY)
        except DeposedError:
            raise
        except NotFoundError as error:
            return Answer(Outcome.GONE, str(error))
        except (ConflictError, ServerError, UnreachableError) as error:
            trouble = str(error)
            found = await _standing(client, pod, node, trouble)
            if found is not None:
                return found
        except ApiError as error:
            return Answer(Outcome.REFUSED, str(error))
        else:
            return Answer(Outcome.DONE, node=node)
    return Answer(Outcome.UNKNOWN, trouble)


async def _standing(client: Client, pod: PodName, node: str, trouble: str) -> Answer | None:
    """Return how a pod stands after a bind whose outcome is open; None: it is still waiting."""
    try:
        found = await client.find(PODS, _BoundPod, pod.namespace, pod.name)
    except ApiError as error:
        return Answer(Outcome.UNKNOWN, f"{trouble}; {error}")
    if found is None or found.metadata.uid != pod.uid:
        return Answer(Outcome.GONE, trouble)
    if not found.spec.node_name:
        return None
    if found.spec.node_name == node:
        return Answer(Outcome.DONE, node=node)
    return Answer(Outcome.ELSEWHERE, trouble, found.spec.node_name)


async def evict(client: Client, pod: PodName, grace: int | None = None) -> Answer:
    """Ask for a pod's eviction; disruption budgets are respected. ``grace``: seconds instead of the pod's own.

    Raises:
        DeposedError: this process may no longer lead; nothing was sent.
    """
    options: dict[str, Any] = {"preconditions": {"uid": pod.uid}}
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod.name, "namespace": pod.namespace},
        "deleteOptions": options,
    }
    answer = Answer(Outcome.UNKNOWN)
    for _ in range(TRIES):
        answer, again = await _evict_once(client, pod, body)
        if not again:
            break
    return answer


async def _evict_once(client: Client, pod: PodName, body: Mapping[str, Any]) -> tuple[Answer, bool]:
    """Return what became of one request, and whether it is worth another: somebody else wrote at the same time."""
    path = PODS.path(pod.namespace, pod.name, "eviction")
    try:
        await client.write("POST", path, PODS, body, retry=_NOT_BUDGETS)
    except DeposedError:
        raise
    except NotFoundError as error:
        return Answer(Outcome.GONE, str(error)), False
    except ConflictError as error:
        answer = await _after_conflict(client, pod, str(error))
        return answer, answer.outcome is Outcome.UNKNOWN
    except ThrottledError as error:
        wait = error.retry_after or 0.0
        blocked = BUDGET in error.causes
        return Answer(Outcome.BLOCKED if blocked else Outcome.UNKNOWN, str(error), "", wait), False
    except (ServerError, UnreachableError) as error:
        # More than one budget for a pod is answered with 500, and will be for ever.
        budgets = isinstance(error, StatusError) and "PodDisruptionBudget" in error.message
        return Answer(Outcome.BLOCKED if budgets else Outcome.UNKNOWN, str(error)), False
    except ApiError as error:
        return Answer(Outcome.REFUSED, str(error)), False
    return Answer(Outcome.DONE), False


async def _after_conflict(client: Client, pod: PodName, trouble: str) -> Answer:
    """Return what a conflict means: the pod of that name is another one, or somebody else wrote at the same time."""
    try:
        found = await client.find(PODS, _BoundPod, pod.namespace, pod.name)
    except ApiError as error:
        return Answer(Outcome.UNKNOWN, f"{trouble}; {error}")
    gone = found is None or found.metadata.uid != pod.uid
    return Answer(Outcome.GONE if gone else Outcome.UNKNOWN, trouble)


class _NotBudgets(RetryPolicy):
    """Repeats what a busy server refused, but not what a budget does: another victim may be the better answer."""

    def wait(self, verb: str, attempt: int, error: ApiError, chance: Any) -> float | None:  # noqa: ANN401 -- as above it
        """Return the seconds before the next try, None: the error stands."""
        if isinstance(error, ThrottledError) and BUDGET in error.causes:
            return None
        return super().wait(verb, attempt, error, chance)


_NOT_BUDGETS = _NotBudgets()


async def set_conditions(client: Client, pod: PodName, conditions: Sequence[Mapping[str, Any]]) -> Answer:
    """Set conditions on a pod's status, each by its type, and leave the others.

    Raises:
        DeposedError: this process may no longer lead; nothing was sent.
    """
    body = {"metadata": {"uid": pod.uid}, "status": {"conditions": list(conditions)}}
    try:
        await client.patch(PODS, pod.namespace, pod.name, body, sub="status", content_type=STRATEGIC)
    except DeposedError:
        raise
    except NotFoundError as error:
        return Answer(Outcome.GONE, str(error))
    except ConflictError as error:
        return await _after_conflict(client, pod, str(error))
    except (ServerError, UnreachableError, ThrottledError) as error:
        return Answer(Outcome.UNKNOWN, str(error))
    except ApiError as error:
        return Answer(Outcome.REFUSED, str(error))
    return Answer(Outcome.DONE)
