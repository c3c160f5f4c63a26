"""Claims, volumes and drivers of a live cluster, and which pods they concern.

A pod that claims a volume is read again when its claim or the volume changes, and when another pod takes or gives up a
claim that only one may have.
"""

from __future__ import annotations

from collections.abc import Sequence

from railwise.controllers.node_book import NodeBook
from railwise.formats.kubernetes.gangs import namespace
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.storage import Claim, CSINode, Volume, Volumes, claims_of

ClaimKey = tuple[str, str]
"""Namespace and name of a claim."""


class VolumeBook(Volumes):
    """Claims and volumes by name, with the pods (uid) that use them; ``concerned`` are pods to be read again."""

    def __init__(self, nodes: NodeBook) -> None:
        """Start empty; what drivers can attach is told to the nodes."""
        super().__init__()
        self.concerned: dict[str, None] = {}
        self._nodes = nodes
        self._users: dict[ClaimKey, set[str]] = {}
        self._uses: dict[str, list[ClaimKey]] = {}
        self._claim_of: dict[str, ClaimKey] = {}
        self._volume_of: dict[str, str] = {}
        self._node_of: dict[str, str] = {}

    # --- Who uses what ---

    def used(self, pod: Pod) -> None:
        """Take in a pod with what it claims."""
        if not pod.spec.volumes:
            return
        uid = pod.metadata.uid
        keys = [(namespace(pod.metadata), name) for name in claims_of(pod.spec)]
        self._uses[uid] = keys
        for key in keys:
            self._users.setdefault(key, set()).add(uid)
        if pod.spec.node_name:
            self.hold(uid)

    def hold(self, uid: str) -> None:
        """Take note that a pod has its claims in use."""
        for key in self._uses.get(uid, ()):
            holders = self.held.setdefault(key, set())
            if uid not in holders:
                holders.add(uid)
                self._concern(key)

    def give_up(self, uid: str) -> None:
        """Take note that a pod does not have its claims in use, or not any more."""
        for key in self._uses.get(uid, ()):
            holders = self.held.get(key, set())
            if uid in holders:
                holders.discard(uid)
                self._concern(key)

    def unused(self, uid: str) -> None:
        """Forget a pod."""
        self.give_up(uid)
        for key in self._uses.pop(uid, ()):
            users = self._users.get(key, set())
            users.discard(uid)
            if not users:
                self._users.pop(key, None)
                self.held.pop(key, None)

    def _concern(self, key: ClaimKey) -> None:
        self.concerned.update(dict.fromkeys(self._users.get(key, ())))

    # --- What the API server says ---

    def put_claim(self, claim: Claim) -> None:
        """Take in a claim as it is now."""
        key = namespace(claim.metadata), claim.metadata.name
        before = self.claims.get(key)
        self.claims[key] = claim
        self._claim_of[claim.metadata.uid] = key
        if before is None or _decides(before) != _decides(claim):
            self._concern(key)

    def drop_claim(self, uid: str) -> None:
        """Forget a claim."""
        key = self._claim_of.pop(uid, None)
        if key is not None and self.claims[key].metadata.uid == uid:
            del self.claims[key]
            self._concern(key)

    def replace_claims(self, claims: Sequence[Claim]) -> None:
        """Take in all claims there are."""
        for uid in self._claim_of.keys() - {claim.metadata.uid for claim in claims}:
            self.drop_claim(uid)
        for claim in claims:
            self.put_claim(claim)

    def put_volume(self, volume: Volume) -> None:
        """Take in a volume as it is now."""
        name = volume.metadata.name
        before = self.volumes.get(name)
        self.volumes[name] = volume
        self._volume_of[volume.metadata.uid] = name
        if before is None or (before.spec, before.metadata.labels) != (volume.spec, volume.metadata.labels):
            self._volume_changed(name)

    def drop_volume(self, uid: str) -> None:
        """Forget a volume."""
        name = self._volume_of.pop(uid, None)
        if name is not None and self.volumes[name].metadata.uid == uid:
            del self.volumes[name]
            self._volume_changed(name)

    def replace_volumes(self, volumes: Sequence[Volume]) -> None:
        """Take in all volumes there are."""
        for uid in self._volume_of.keys() - {volume.metadata.uid for volume in volumes}:
            self.drop_volume(uid)
        for volume in volumes:
            self.put_volume(volume)

    def _volume_changed(self, name: str) -> None:
        for key in self._users:
            claim = self.claims.get(key)
            if claim is not None and claim.spec.volume_name == name:
                self._concern(key)

    def put_drivers(self, drivers: CSINode) -> None:
        """Take in what the drivers of a node can attach."""
        self._node_of[drivers.metadata.uid] = drivers.metadata.name
        self._nodes.limit(drivers.metadata.name, drivers.limits())

    def drop_drivers(self, uid: str) -> None:
        """Forget the drivers of a node."""
        name = self._node_of.pop(uid, None)
        if name is not None:
            self._nodes.limit(name, {})

    def replace_drivers(self, drivers: Sequence[CSINode]) -> None:
        """Take in the drivers of all nodes."""
        for uid in self._node_of.keys() - {one.metadata.uid for one in drivers}:
            self.drop_drivers(uid)
        for one in drivers:
            self.put_drivers(one)


def _decides(claim: Claim) -> tuple[object, ...]:
    return claim.spec, claim.metadata.annotations, claim.metadata.deletion_timestamp
