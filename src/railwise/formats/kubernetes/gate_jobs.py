"""Jobs that are held by ``suspend`` instead of a gate on each pod: decided from the template, let through in one write.

A Job with the label ``railwise.dev/gate: suspend`` that is suspended has no pods yet. So the engine is shown
*placeholders*, one for each pod the Job would make. Once they are placed, one patch of the Job writes the nodes into
the pod template (as required node affinity), notes the place of each pod in an annotation, and ends the suspension.
From then on a placeholder keeps the place of each pod that does not exist yet; real pods take their places over as
they come. To evict the Job is to suspend it again, without the annotation.

The stock scheduler spreads the pods over the chosen nodes as it likes: who runs where inside of them is only known once
they are bound. Where ranks matter, pods have to be held one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from itertools import groupby

import msgspec

from railwise.formats.kubernetes.annotations import PREFIX
from railwise.formats.kubernetes.gangs import JOB_LABELS, RANK_LABELS, Member, key_of, of_job
from railwise.formats.kubernetes.gate_marks import GATE, STOCK, pinned, required, terms_of, unpinned
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.schema import Meta, Owner, Pod, PodSpec, Template
from railwise.model.natural import natural_key

SUSPEND = "suspend"
"""The value of the label by which a Job is held as a whole."""

RELEASED = "released"
"""The value of the label on the template, and so on the pods, of a Job that was let through."""

NODES = f"{PREFIX}nodes"
"""The annotation of a Job that was let through: the node planned for each rank, runs as ``NODE*COUNT``."""

MIN_PODS = f"{PREFIX}min-pods"
RANK = RANK_LABELS[0]
BETWEEN = "/"
"""Stands between the uid of a Job and a rank in the uid of a placeholder; uids of the API have none."""


class Hold(Enum):
    """How a Job stands: not ours to hold, held by its suspension, or let through."""

    NONE = "none"
    WAITING = "waiting"
    RELEASED = "released"


def hold_of(job: Job) -> Hold:
    """Return how a Job stands. One that was let through and is suspended was paused by somebody else: left alone."""
    template = job.spec.template.spec
    if job.metadata.labels.get(GATE) != SUSPEND or job.status.finished() or template.scheduler_name not in STOCK:
        return Hold.NONE
    if key_of(job.metadata, PodSpec()).kind == "jobset" or not pods_of(job):
        return Hold.NONE
    placed = NODES in job.metadata.annotations
    if job.spec.suspend:
        return Hold.NONE if placed else Hold.WAITING
    return Hold.RELEASED if placed else Hold.NONE


def refusal_of(job: Job) -> str:
    """Return why a Job cannot be held as a whole; empty: it can."""
    template = job.spec.template
    notes = {*job.metadata.annotations, *template.metadata.annotations}
    if any(key.startswith(f"{PREFIX}segment-") for key in notes):
        return "segments are rules about ranks: let the gate hold the pods instead of suspending the Job"
    return ""


def pods_of(job: Job) -> int:
    """Return how many pods a Job has at once from now on."""
    gang = of_job("", msgspec.structs.replace(job, spec=msgspec.structs.replace(job.spec, suspend=False)), 0)
    return gang.parts[0].pods if gang is not None else 0


def written(nodes: Iterable[str]) -> str:
    """Return the nodes of ranks 0, 1, … as the annotation has them."""
    runs = [(node, len(list(same))) for node, same in groupby(nodes)]
    return ",".join(node if count == 1 else f"{node}*{count}" for node, count in runs)


def planned(job: Job) -> list[str]:
    """Return the nodes of ranks 0, 1, … from the annotation; what is no plan is none."""
    found: list[str] = []
    most = pods_of(job) + (job.status.succeeded or 0)
    for run in job.metadata.annotations.get(NODES, "").split(","):
        node, star, count = run.partition("*")
        if not node or (star and not (count.isascii() and count.isdigit() and len(count) < len("1000000"))):
            return []
        found += [node] * min(int(count) if star else 1, max(most - len(found), 0))
    return found


def as_maker(job: Job, scheduler: str) -> Job:
    """Return a held Job as the engine is to see it: ``scheduler``'s, not suspended, without our marks, needed whole."""
    template = bare_template(job)
    named = msgspec.structs.replace(template.spec, scheduler_name=scheduler)
    template = msgspec.structs.replace(template, spec=named)
    spec = msgspec.structs.replace(job.spec, suspend=False, template=template)
    return msgspec.structs.replace(job, spec=spec, metadata=_bare(job.metadata))


def bare_template(job: Job) -> Template:
    """Return the pod template without our marks."""
    template = job.spec.template
    ours = template.metadata.labels.get(GATE) == RELEASED
    spec = unpinned(template.spec) if ours else template.spec
    return msgspec.structs.replace(template, metadata=_bare(template.metadata), spec=spec)


def _bare(meta: Meta) -> Meta:
    labels = {key: value for key, value in meta.labels.items() if key != GATE}
    notes = {key: value for key, value in meta.annotations.items() if key not in (NODES, MIN_PODS)}
    return msgspec.structs.replace(meta, labels=labels, annotations=notes)


def shown(job: Job, pods: Collection[Pod], scheduler: str) -> dict[str, Pod]:
    """Return what the engine is to see of a held Job, by uid: its pods in their places, placeholders for the others.

    ``pods`` are those of the Job that the API has, ``scheduler`` is whose they are to be. Nothing is shown of a Job
    whose pods are ending.
    """
    template, count = bare_template(job), pods_of(job)
    spec = msgspec.structs.replace(template.spec, scheduler_name=scheduler, scheduling_gates=(), node_name="")
    if hold_of(job) is Hold.WAITING:
        if _stopping(job, pods):
            return {}
        return {pod.metadata.uid: pod for pod in (_placeholder(job, template, spec, rank, "") for rank in range(count))}
    living = [pod for pod in pods if pod.metadata.deletion_timestamp is None]
    places = planned(job)
    taken, free = _seated(living, places)
    found: dict[str, Pod] = {}
    for pod, node in taken:
        real = msgspec.structs.replace(unpinned(pod.spec), scheduler_name=scheduler, scheduling_gates=())
        real = msgspec.structs.replace(real, node_name=node)
        found[pod.metadata.uid] = msgspec.structs.replace(pod, spec=real, metadata=_bare(pod.metadata))
    for rank in free[: max(count - len(found), 0)]:
        pod = _placeholder(job, template, spec, rank, places[rank])
        found[pod.metadata.uid] = pod
    return found


def _stopping(job: Job, pods: Collection[Pod]) -> bool:
    """Return whether a Job that was suspended is still ending its pods; its template cannot be changed before."""
    if job.status.start_time is None:
        return False
    suspended = any((one.type, one.status) == ("Suspended", "True") for one in job.status.conditions)
    return not suspended or bool(pods)


def _seated(pods: Sequence[Pod], places: Sequence[str]) -> tuple[list[tuple[Pod, str]], list[int]]:
    """Return pods with where they are or will be, and the ranks that nobody has taken.

    A pod that is bound takes a place on its node, the others take their rank's if it is free, else any.
    """
    left = dict(enumerate(places))
    taken: list[tuple[Pod, str]] = []
    waiting: list[Pod] = []
    for pod in pods:
        node = pod.spec.node_name
        if not node:
            waiting.append(pod)
            continue
        rank = next((rank for rank in (Member("", pod).rank(), *left) if left.get(rank) == node), None)
        if rank is not None:
            del left[rank]
        taken.append((pod, node))
    surplus = len(taken) + len(left) - len(places)  # bound elsewhere than planned: they use up places all the same
    for rank in list(reversed(left))[: max(surplus, 0)]:
        del left[rank]
    for pod in sorted(waiting, key=lambda one: natural_key(one.metadata.name)):
        rank = Member("", pod).rank()
        rank = rank if rank in left else next(iter(left), -1)
        if rank >= 0:
            taken.append((pod, left.pop(rank)))
    return taken, list(left)


def _placeholder(job: Job, template: Template, spec: PodSpec, rank: int, node: str) -> Pod:
    meta = job.metadata
    labels = {**template.metadata.labels, JOB_LABELS[0]: meta.name}
    if job.spec.completion_mode == "Indexed":
        labels[RANK] = str(rank)
    return Pod(
        metadata=Meta(
            name=f"{meta.name}-{rank}",
            namespace=meta.namespace,
            uid=f"{meta.uid}{BETWEEN}{rank}",
            labels=labels,
            annotations=template.metadata.annotations,
            owner_references=(Owner(kind="Job", name=meta.name, controller=True),),
            creation_timestamp=meta.creation_timestamp,
        ),
        spec=msgspec.structs.replace(spec, node_name=node) if node else spec,
    )


def is_placeholder(uid: str) -> bool:
    """Return whether a uid is that of a placeholder."""
    return BETWEEN in uid


def let_through(job: Job, nodes: Sequence[str], version: str) -> dict[str, object]:
    """Return the patch that writes the nodes of all ranks into a Job and ends its suspension, of this very version."""
    terms = pinned(terms_of(bare_template(job).spec), Counter(nodes))
    meta = {"uid": job.metadata.uid, "resourceVersion": version, "annotations": {NODES: written(nodes)}}
    template = {"metadata": {"labels": {GATE: RELEASED}}, "spec": {"affinity": required(terms)}}
    return {"metadata": meta, "spec": {"suspend": False, "template": template}}


def held_again(job: Job) -> Mapping[str, object]:
    """Return the patch that suspends a Job, so that it is planned anew."""
    return {"metadata": {"uid": job.metadata.uid, "annotations": {NODES: None}}, "spec": {"suspend": True}}
