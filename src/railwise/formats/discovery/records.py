"""The keys of a discovery document: reader, suggestions for misspelt keys and JSON Schema come from these tables."""

from __future__ import annotations

from typing import Any

from railwise.fabric.elements import Role
from railwise.formats.fabric.terms import DEVICES, MOST_RAILS, RAILS, WORDS
from railwise.formats.kinds import ByForm, Choice, Flag, ListOf, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import DURATION, PATH, Hostlist

MOST_HOSTS = 1_000_000

HOST = Text(r"[A-Za-z0-9:](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?", 253, "a host name or an address")
HOSTS = Hostlist("hosts", HOST, MOST_HOSTS)
URL = Text(r"https?://[A-Za-z0-9.:\[\]_-]+(?:/[A-Za-z0-9._~/-]*)?", 2048, "an address such as https://ufm.example")
USER = Text(r"[^\x00-\x1f\x7f:]+", 256, "a user name")
CONTEXT = Text(r"[^\x00-\x1f\x7f]+", 253, "the name of a context")
NAMESPACE = Text(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", 63, "the name of a namespace")
VARIABLE = Text(r"[A-Za-z_][A-Za-z0-9_]*", 128, "the name of an environment variable")

_RUNS = "; k names on n switches: equal consecutive runs"
_NO_SECRETS = "a password never stands in a document: write 'passwordFile' or 'passwordEnv'"

LOGIN = {
    "user": Field(USER, "the user to log in as"),
    "passwordFile": Field(PATH, "the file in which the user's password stands"),
    "passwordEnv": Field(VARIABLE, "the environment variable in which the user's password stands"),
}

TLS_RECORD = Record(
    "DiscoveryTls",
    {
        "authority": Field(PATH, "certificate authority (PEM); default: those of the system"),
        "certificate": Field(PATH, "our certificate (PEM), where the other end asks for one"),
        "key": Field(PATH, "the key of our certificate (PEM)"),
        "serverName": Field(HOST, "what the other end's certificate is made out to, if not the host"),
    },
    hints={
        "ca": "did you mean 'authority'?",
        "cert": "did you mean 'certificate'?",
        "insecure": "it stands beside 'tls'",
    },
)

SWITCH_RECORD = Record(
    "DiscoverySwitch",
    {
        "name": Field(DEVICES, "the name; a hostlist makes many", required=True),
        "host": Field(HOSTS, "where it is reached; a hostlist as long as the names; default: the name"),
        "port": Field(Whole(1, 65535), "the gNMI port; default: the usual ones are tried"),
        "dialect": Field(Choice("auto", "sonic", "cumulus", "openconfig"), "how it tells of neighbours; default auto"),
        "insecure": Field(Flag(), "true gives up encryption; default false"),
        "tls": Field(TLS_RECORD, "certificates"),
        **LOGIN,
        "role": Field(Choice(*Role), "what it is for; default: found from the wiring"),
        "scalable_unit": Field(WORDS, "the unit it serves" + _RUNS),
        "rack_name": Field(WORDS, "the rack it stands in" + _RUNS),
        "rail_index": Field(
            ByForm[Any]("a rail or a list of rails", {int: Whole(0, MOST_RAILS - 1), list: RAILS}),
            "the rail it carries; k rails on n switches: equal consecutive runs",
        ),
        "plane_id": Field(WORDS, "the plane it belongs to" + _RUNS),
        "maintenance": Field(Flag(), "nothing new below it, as if it were worked on; default: what it says itself"),
    },
    hints={"password": _NO_SECRETS, "address": "did you mean 'host'?", "target": "did you mean 'host'?"},
)

FILES_RECORD = Record(
    "DiscoveryFiles",
    {
        "kind": Field(Choice("lldpctl", "ibnetdiscover", "nvidia-smi", "kfd"), "what they hold", required=True),
        "path": Field(PATH, "a path, or one with a * where the server's name stands", required=True),
        "server": Field(DEVICES, "whose it is, where the path does not say"),
    },
)

MANAGER_RECORD = Record(
    "DiscoveryManager",
    {
        "kind": Field(Choice("ufm", "netq", "nmx"), "what it is", required=True),
        "url": Field(URL, "where it is, without the path of its API", required=True),
        "insecure": Field(Flag(), "true allows http and certificates of anybody; default false"),
        "tls": Field(TLS_RECORD, "certificates"),
        **LOGIN,
        "every": Field(DURATION, "how often it is asked; default 30s"),
    },
    hints={"password": _NO_SECRETS},
)

LOCAL_RECORD = Record(
    "DiscoveryLocal",
    {
        "kind": Field(Choice("lldpd", "nvml", "nvidia-smi", "kfd", "affinity"), "what is asked", required=True),
        "server": Field(DEVICES, "the name of this machine; default: its host name"),
        "path": Field(PATH, "lldpd's socket, or where sysfs is mounted; default: the usual places"),
        "program": Field(PATH, "lldpcli or nvidia-smi, where it is not on the PATH"),
        "every": Field(DURATION, "how often it is asked; default 30s"),
    },
    hints={"sysfs": "did you mean 'path'?", "socket": "did you mean 'path'?"},
)

CLUSTER_RECORD = Record(
    "DiscoveryCluster",
    {
        "kind": Field(Choice("agents", "gfd", "aws", "gke", "oci", "ascend"), "what is read", required=True),
        "kubeconfig": Field(PATH, "which API server; default: the command's own"),
        "context": Field(CONTEXT, "a context of that kubeconfig; default: its current one"),
        "namespace": Field(NAMESPACE, "where the ConfigMaps of 'ascend' are; default kube-system"),
    },
)

PATIENCE_RECORD = Record(
    "DiscoveryPatience",
    {
        "holdDown": Field(DURATION, "a change must hold so long before it counts; default 2s"),
        "staleAfter": Field(DURATION, "a source that is silent so long is called stale; default 90s"),
    },
)

DISCOVERY_RECORD = Record(
    "DiscoverySpec",
    {
        "switches": Field(ListOf(SWITCH_RECORD), "switches that speak gNMI"),
        "files": Field(ListOf(FILES_RECORD), "what servers and subnet managers print, as files"),
        "managers": Field(ListOf(MANAGER_RECORD), "fabric managers that answer over HTTP"),
        "local": Field(ListOf(LOCAL_RECORD), "what this machine itself sees"),
        "cluster": Field(ListOf(CLUSTER_RECORD), "what an API server knows: reports of agents, labels of nodes"),
        "lab": Field(PATH, "the folder of a laboratory: all of its switches, managers and files"),
        "nodes": Field(DEVICES, "the nodes that may be labelled; default: all servers that are heard"),
        "intent": Field(PATH, "how the fabric is meant to be: a Fabric, Air JSON or DOT"),
        "patience": Field(PATIENCE_RECORD, "how long to wait before believing"),
    },
    hints={"targets": "did you mean 'switches'?", "hosts": "did you mean 'files' or 'nodes'?"},
)
