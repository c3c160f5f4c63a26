"""The fields of a kubeconfig that matter to a client, as typed structures; others are ignored as kubectl does."""

from __future__ import annotations

import msgspec


class KebabPart(msgspec.Struct, rename="kebab", frozen=True, kw_only=True):
    """The form of most of a kubeconfig."""


class CamelPart(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    """The form of its younger parts."""


class Cluster(KebabPart, frozen=True):
    """Where a server is and how it proves who it is."""

    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    proxy_url: str = ""
    disable_compression: bool = False


class Variable(CamelPart, frozen=True):
    """A variable in a plugin's environment."""

    name: str
    value: str = ""


class Exec(CamelPart, frozen=True):
    """A program that hands out credentials."""

    command: str
    api_version: str = ""
    args: list[str] | None = None
    env: list[Variable] | None = None
    install_hint: str = ""
    provide_cluster_info: bool = False


class User(KebabPart, frozen=True):
    """How we prove who we are. ``tokenFile`` alone is written in camel case."""

    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = msgspec.field(name="tokenFile", default="")
    username: str = ""
    password: str = ""
    as_: str = msgspec.field(name="as", default="")
    as_uid: str = ""
    as_groups: list[str] | None = None
    exec: Exec | None = None
    auth_provider: dict[str, object] | None = None


class Context(KebabPart, frozen=True):
    """A server and a user by name, and the namespace that is meant where none is named."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class NamedCluster(KebabPart, frozen=True):
    """An entry of ``clusters``."""

    name: str
    cluster: Cluster = Cluster()


class NamedUser(KebabPart, frozen=True):
    """An entry of ``users``."""

    name: str
    user: User = User()


class NamedContext(KebabPart, frozen=True):
    """An entry of ``contexts``."""

    name: str
    context: Context = Context()


class Kubeconfig(KebabPart, frozen=True):
    """One file."""

    clusters: list[NamedCluster] | None = None
    users: list[NamedUser] | None = None
    contexts: list[NamedContext] | None = None
    current_context: str = ""
