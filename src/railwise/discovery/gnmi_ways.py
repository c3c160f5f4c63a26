"""How neighbours are asked for over gNMI, and how the answers are read: one way a kind of switch system.

A way turns notifications into the ports that changed; it keeps what it needs for that, since some systems send rows,
some documents and some single leaves. Which way a switch understands is found by asking it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from railwise.discovery.hearing import Records
from railwise.formats.lldp.openconfig import Leaves, read_document
from railwise.formats.lldp.sonic_table import read_object, read_rows
from railwise.gnmi.gnmi_pb2 import (
    JSON_IETF,
    ON_CHANGE,
    PROTO,
    SAMPLE,
    CapabilityResponse,
    GetRequest,
    GetResponse,
    Notification,
    Path,
    Subscription,
    SubscriptionList,
    TypedValue,
)
from railwise.gnmi.paths import key_of, parse_path

SAMPLE_EVERY: Final = 10_000_000_000
"""Nanoseconds between samples where a system does not stream on change."""


class Way(Protocol):
    """One way to ask and to read."""

    def subscription(self, mode: SubscriptionList.Mode) -> SubscriptionList:
        """Return what to subscribe to."""
        ...

    def read(self, said: Notification) -> dict[str, Records]:
        """Return the ports of which a notification says something, with all their neighbours now."""
        ...

    def state(self) -> GetRequest | None:
        """Return the question whether the switch is being worked on; None where the system has no word for that."""
        ...

    def maintained(self, answer: GetResponse) -> bool:
        """Return what the answer to it says."""
        ...

    @property
    def whole(self) -> bool:
        """Whether every notification tells about all ports, so that one which is missing hears nobody."""
        ...


class SonicWay:
    """The table of SONiC's database: all of it first, then a row a change."""

    whole = False

    def subscription(self, mode: SubscriptionList.Mode) -> SubscriptionList:
        """Watch the table itself: who watches a single row is not told when it goes."""
        one = Subscription(path=parse_path("/LLDP_ENTRY_TABLE"), mode=ON_CHANGE)
        return SubscriptionList(prefix=Path(target="APPL_DB"), subscription=[one], mode=mode, encoding=JSON_IETF)

    def read(self, said: Notification) -> dict[str, Records]:
        """Read rows, empty rows and deleted paths."""
        found: dict[str, Records] = {path.elem[-1].name: () for path in said.delete if path.elem}
        for update in said.update:
            document = update.val.json_ietf_val or update.val.json_val
            if document:
                rows = read_rows(document)
                found |= dict.fromkeys(rows.gone, ())
                found |= {record.port: (record,) for record in rows.records}
        return found

    def state(self) -> GetRequest | None:
        """Ask whether traffic is shifted away from the switch, as its operators do before they work on it."""
        path = parse_path("/BGP_DEVICE_GLOBAL/STATE")
        return GetRequest(prefix=Path(target="CONFIG_DB"), path=[path], encoding=JSON_IETF)

    def maintained(self, answer: GetResponse) -> bool:
        """Read that row of the configuration."""
        for said in answer.notification:
            for update in said.update:
                row = read_object(update.val.json_ietf_val or update.val.json_val)
                if "tsa_enabled" in row:
                    return str(row["tsa_enabled"]).lower() == "true"
        return False


class _NoState:
    """A system that does not tell whether it is being worked on."""

    def state(self) -> GetRequest | None:
        """Ask nothing."""
        return None

    def maintained(self, answer: GetResponse) -> bool:
        """Read nothing."""
        del answer
        return False


class LeafWay(_NoState):
    """OpenConfig on change: leaf by leaf, a deleted path for what is gone; documents are understood too."""

    whole = False

    def __init__(self) -> None:
        """Start with nothing heard."""
        self._leaves: Final = Leaves()

    def subscription(self, mode: SubscriptionList.Mode) -> SubscriptionList:
        """Watch all interfaces."""
        one = Subscription(path=parse_path("/lldp/interfaces/interface[name=*]/neighbors"), mode=ON_CHANGE)
        return SubscriptionList(subscription=[one], mode=mode, encoding=PROTO)

    def read(self, said: Notification) -> dict[str, Records]:
        """Put leaves together."""
        touched: dict[str, None] = {}
        documents: dict[str, Records] = {}
        for path in said.delete:
            port = key_of(path, "interface", "name", said.prefix)
            touched |= dict.fromkeys([port] if port else self._leaves.ports())
            self._leaves.drop(port, key_of(path, "neighbor", "id", said.prefix))
        for update in said.update:
            document = update.val.json_ietf_val or update.val.json_val
            port = key_of(update.path, "interface", "name", said.prefix)
            if document.startswith((b"{", b"[")):
                documents |= read_document(document)
            elif port and update.path.elem:
                touched[port] = None
                leaf = update.path.elem[-1].name
                self._leaves.put(port, key_of(update.path, "neighbor", "id", said.prefix), leaf, scalar(update.val))
        return documents | {port: self._leaves.records(port) for port in touched}


class SampleWay(_NoState):
    """OpenConfig where neighbours do not stream on change: the whole document, again and again."""

    whole = True

    def subscription(self, mode: SubscriptionList.Mode) -> SubscriptionList:
        """Sample all interfaces."""
        path = parse_path("/openconfig-lldp:lldp/interfaces")
        one = Subscription(path=path, mode=SAMPLE, sample_interval=SAMPLE_EVERY)
        return SubscriptionList(subscription=[one], mode=mode, encoding=JSON_IETF)

    def read(self, said: Notification) -> dict[str, Records]:
        """Read documents."""
        found: dict[str, Records] = {}
        for update in said.update:
            document = update.val.json_ietf_val or update.val.json_val
            if document:
                found |= read_document(document)
        return found


def scalar(value: TypedValue) -> object:
    """Return a single value as Python has it, None for what is none."""
    kind = value.WhichOneof("value")
    if kind in ("json_val", "json_ietf_val"):
        return (value.json_val or value.json_ietf_val).decode("utf-8", "replace").strip('"')
    return getattr(value, kind) if kind in ("string_val", "int_val", "uint_val", "ascii_val") else None


def ways_for(dialect: str, capabilities: CapabilityResponse | None) -> Sequence[Callable[[], Way]]:
    """Return the ways to try, in order: those of the dialect, or with ``auto`` those that the models suggest."""
    named: dict[str, Sequence[Callable[[], Way]]] = {
        "sonic": (SonicWay,),
        "cumulus": (LeafWay,),
        "openconfig": (LeafWay, SampleWay),
    }
    if dialect in named:
        return named[dialect]
    models = {model.name for model in capabilities.supported_models} if capabilities is not None else set()
    if any("sonic" in model for model in models):
        return (SonicWay, LeafWay, SampleWay)
    return (LeafWay, SampleWay, SonicWay)
