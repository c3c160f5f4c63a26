"""The strict reader of discovery documents (``kind: Discovery``): all faults in one go, nothing is ignored.

Paths are returned as they stand in the document; whoever reads the files looks them up beside the document.
"""

from __future__ import annotations

from typing import Any, TypeVar

from railwise.fabric.elements import NO_RAIL
from railwise.fabric.observations import Speaker
from railwise.formats.discovery.records import DISCOVERY_RECORD
from railwise.formats.discovery.settings import (
    HostFiles,
    InCluster,
    Local,
    Login,
    Manager,
    Patience,
    Settings,
    Target,
    Trust,
)
from railwise.formats.document import load
from railwise.formats.faults import Faults, at_index, shown
from railwise.formats.scenario.reader import read_head
from railwise.model.errors import Fault, InputError

T = TypeVar("T")

_SOURCES = ("switches", "files", "managers", "local", "cluster", "lab")


def read_discovery_text(data: bytes, source: str) -> Settings:
    """Return the settings of a file that holds one document. Raises InputError with all faults."""
    documents = load(data, source)
    if len(documents) > 1:
        raise InputError([Fault("", f"expected one document, not {len(documents)}")], source)
    return read_discovery(documents[0].value, source)


def read_discovery(value: object, source: str = "") -> Settings:
    """Return the settings of a whole document. Raises InputError with all faults."""
    faults = Faults()
    document, metadata = read_head(value, "Discovery", DISCOVERY_RECORD.fields, source, faults)
    record = DISCOVERY_RECORD.read(document.get("spec") or {}, "spec", faults) or {}
    targets, speakers = _switches(record.get("switches", []), faults)
    settings = Settings(
        name=metadata.get("name", ""),
        targets=targets,
        speakers=speakers,
        files=_files(record.get("files", []), faults),
        managers=_managers(record.get("managers", []), faults),
        local=_local(record.get("local", []), faults),
        cluster=tuple(InCluster(**{"kind": "", **one}) for one in record.get("cluster", [])),
        inventory=tuple(record.get("nodes", ())),
        intent=record.get("intent", ""),
        lab=record.get("lab", ""),
        patience=_patience(record.get("patience", {})),
    )
    if not any(record.get(source) for source in _SOURCES):
        faults.add("spec", "nothing to discover", f"give one of {', '.join(map(repr, _SOURCES))}")
    faults.raise_any(source)
    return settings


def _switches(records: list[dict[str, Any]], faults: Faults) -> tuple[tuple[Target, ...], dict[str, Speaker]]:
    targets: list[Target] = []
    speakers: dict[str, Speaker] = {}
    for index, record in enumerate(records):
        path = at_index("spec.switches", index)
        names = record.get("name", [])
        hosts = record.get("host", names)
        if len(hosts) != len(names):
            faults.add(f"{path}.host", f"{len(hosts)} hosts for {len(names)} switches")
            continue
        for host in hosts:
            _, colon, port = host.partition(":")
            if colon and port.isdecimal():
                faults.add(f"{path}.host", f"expected a host without its port, not {shown(host)}", f"`port: {port}`")
        trust, login = _trust(record, path, faults), _login(record, path, faults)
        rails = record.get("rail_index", NO_RAIL)
        columns = {
            key: _run(record.get(source, [""]), len(names), f"{path}.{source}", faults)
            for key, source in (("unit", "scalable_unit"), ("rack", "rack_name"), ("plane", "plane_id"))
        }
        columns["rail"] = _run(rails if isinstance(rails, list) else [rails], len(names), f"{path}.rail_index", faults)
        for place, (name, host) in enumerate(zip(names, hosts, strict=True)):
            if name in speakers:
                faults.add(f"{path}.name", f"the switch {shown(name)} stands twice")
            targets.append(Target(name, host, record.get("port", 0), record.get("dialect", "auto"), trust, login))
            known = {key: column[place] for key, column in columns.items()}
            speakers[name] = Speaker(
                name, role=record.get("role", ""), maintenance=bool(record.get("maintenance")), **known
            )
    return tuple(targets), speakers


def _files(records: list[dict[str, Any]], faults: Faults) -> tuple[HostFiles, ...]:
    found = []
    for index, record in enumerate(records):
        where = at_index("spec.files", index)
        path, servers = record.get("path", ""), record.get("server", [])
        kind = record.get("kind", "")
        if path.count("*") > 1:
            faults.add(f"{where}.path", "expected at most one *, where the server's name stands")
        if len(servers) > 1 or (servers and "*" in path):
            faults.add(f"{where}.server", "a path with a * names the servers itself; without one there is one server")
        if kind and kind != "ibnetdiscover" and not servers and "*" not in path:
            faults.add(where, f"whose {kind} is it?", "put a * into 'path', or give 'server'")
        found.append(HostFiles(kind, path, servers[0] if servers else ""))
    return tuple(found)


def _local(records: list[dict[str, Any]], faults: Faults) -> tuple[Local, ...]:
    found = []
    for index, record in enumerate(records):
        names = record.get("server", [])
        if len(names) > 1:
            faults.add(f"{at_index('spec.local', index)}.server", "this machine has one name")
        found.append(Local(**{"kind": "", **record, "server": names[0] if names else ""}))
    return tuple(found)


def _managers(records: list[dict[str, Any]], faults: Faults) -> tuple[Manager, ...]:
    found = []
    for index, record in enumerate(records):
        path = at_index("spec.managers", index)
        url = record.get("url", "").rstrip("/")
        trust = _trust(record, path, faults)
        if url.startswith("http:") and not trust.insecure:
            faults.add(f"{path}.url", "http is not encrypted", "write https, or 'insecure: true' beside it")
        every = record.get("every", Manager("", "").every)
        found.append(Manager(record.get("kind", ""), url, trust, _login(record, path, faults), every))
    return tuple(found)


def _trust(record: dict[str, Any], path: str, faults: Faults) -> Trust:
    tls = record.get("tls", {})
    if record.get("insecure") and tls:
        faults.add(f"{path}.insecure", "either 'insecure' or 'tls'")
    if ("certificate" in tls) != ("key" in tls):
        faults.add(f"{path}.tls", "a certificate needs its key, and a key its certificate")
    return Trust(
        insecure=record.get("insecure", False),
        authority=tls.get("authority", ""),
        certificate=tls.get("certificate", ""),
        key=tls.get("key", ""),
        server_name=tls.get("serverName", ""),
    )


def _login(record: dict[str, Any], path: str, faults: Faults) -> Login:
    login = Login(record.get("user", ""), record.get("passwordFile", ""), record.get("passwordEnv", ""))
    if login.password_file and login.password_variable:
        faults.add(f"{path}.passwordEnv", "either 'passwordFile' or 'passwordEnv'")
    if bool(login.user) != bool(login.password_file or login.password_variable):
        faults.add(path, "a user needs a password, and a password a user", "give 'user' and 'passwordFile'")
    return login


def _patience(record: dict[str, Any]) -> Patience:
    usual = Patience()
    return Patience(record.get("holdDown", usual.hold_down), record.get("staleAfter", usual.stale_after))


def _run(values: list[T], count: int, path: str, faults: Faults) -> list[T]:
    """Return a value for each of ``count`` switches: k values make equal consecutive runs."""
    if not values or count % len(values):
        faults.add(path, f"{len(values)} values do not divide {count} switches evenly")
        return [*values, *values[:1] * count][:count]
    return [value for value in values for _ in range(count // len(values))]
