"""Kubeconfigs as kubectl reads them: merged, with paths relative to their file, and with errors that name the place."""

from __future__ import annotations

import base64
import textwrap
from pathlib import Path

import pytest

from railwise.kubeapi.credentials import TokenFile
from railwise.kubeapi.errors import KubeconfigError
from railwise.kubeapi.in_cluster import find_access, in_cluster
from railwise.kubeapi.kubeconfig import access_from, kubeconfig_files, merge
from railwise.kubeapi.proxies import proxy_for


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def config(
    folder: Path, *, user: str = "token: secret", cluster: str = "server: https://one:6443", name: str = "one"
) -> Path:
    return write(
        folder / "config",
        f"""\
        apiVersion: v1
        kind: Config
        preferences: {{}}
        clusters:
        - name: {name}
          cluster: {{{cluster}}}
        users:
        - name: {name}
          user: {{{user}}}
        contexts:
        - name: {name}
          context: {{cluster: {name}, user: {name}, namespace: team}}
        current-context: {name}
        """,
    )


async def test_a_token(tmp_path: Path) -> None:
    access = access_from(merge([config(tmp_path)]))
    assert (access.server, access.namespace, access.context) == ("https://one:6443", "team", "one")
    assert await access.credentials.headers() == {"Authorization": "Bearer secret"}
    assert not access.credentials.refused()


async def test_a_user_name_and_password(tmp_path: Path) -> None:
    access = access_from(merge([config(tmp_path, user="username: u, password: 'p:w'")]))
    assert await access.credentials.headers() == {"Authorization": f"Basic {base64.b64encode(b'u:p:w').decode()}"}


async def test_the_first_file_that_names_something_defines_it(tmp_path: Path) -> None:
    first = config(tmp_path / "a")
    second = config(tmp_path / "b", user="token: other", cluster="server: https://two:1")
    third = config(tmp_path / "c", user="token: third", cluster="server: https://three:1", name="three")
    merged = merge([first, second, third])
    assert (merged.current, sorted(merged.contexts)) == ("one", ["one", "three"])
    assert access_from(merged).server == "https://one:6443"
    assert await access_from(merged, "three").credentials.headers() == {"Authorization": "Bearer third"}


async def test_paths_are_relative_to_their_file(tmp_path: Path) -> None:
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "token").write_text("fresh\n")
    (tmp_path / "k" / "ca.pem").write_text("PEM")
    path = config(
        tmp_path / "k",
        user="tokenFile: token, token: stale",
        cluster="server: https://a, certificate-authority: ca.pem",
    )
    access = access_from(merge([path]))
    assert await access.credentials.headers() == {"Authorization": "Bearer fresh"}
    assert access.authority == "PEM"


def test_data_goes_before_files_and_both_halves_of_a_certificate_are_read(tmp_path: Path) -> None:
    data = base64.b64encode(b"inline").decode()
    (tmp_path / "key").write_text("key")
    user = f"client-certificate-data: {data}, client-certificate: nowhere, client-key: key"
    assert access_from(merge([config(tmp_path, user=user)])).credentials.certificate() == ("inline", "key")


def test_acting_as_somebody_else_needs_a_header_for_each_group(tmp_path: Path) -> None:
    user = "token: t, as: jane, as-uid: '7', as-groups: [dev, ops]"
    assert access_from(merge([config(tmp_path, user=user)])).headers == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Group", "ops"),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cluster": "server: one"}, "{path}: clusters[one].server: 'one' is no address"),
        ({"cluster": "server: 7"}, "{path}: clusters[0].cluster.server: Expected `str`, got `int`"),
        (
            {"cluster": "server: https://a, certificate-authority: no.pem"},
            "{path}: clusters[one].certificate-authority: cannot be read: ",
        ),
        (
            {"cluster": "server: https://a, certificate-authority-data: '!!'"},
            "{path}: clusters[one].certificate-authority-data: is not base64 of a PEM text",
        ),
        ({"user": "client-certificate-data: QQ=="}, "{path}: users[one].client-key: is missing"),
        ({"user": "auth-provider: {name: gcp}"}, "{path}: users[one].auth-provider: is not supported"),
        ({"user": "exec: {command: x}"}, "{path}: exec.apiVersion: '' is not supported"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(tmp_path: Path, change: dict[str, str], message: str) -> None:
    path = config(tmp_path, **change)
    with pytest.raises(KubeconfigError) as error:
        access_from(merge([path]))
    assert str(error.value).startswith(message.format(path=path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "config"),
        ("[]", "config: Expected `object`, got `array`"),
        ("clusters: 1", "config: clusters: Expected `array | null`, got `int`"),
        ("clusters: [{}]", "config: clusters[0]: Object missing required field `name`"),
        ("a: 1\na: 2", "config: a"),
    ],
)
def test_a_file_that_is_no_kubeconfig(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(KubeconfigError) as error:
        merge([write(tmp_path / "config", text)])
    assert message in str(error.value)


def test_null_and_empty_files_hold_nothing(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty", "")
    null = write(tmp_path / "null", "clusters: null\nusers: null\ncontexts: null\ncurrent-context: null\n")
    with pytest.raises(KubeconfigError, match="current-context: no context is chosen") as error:
        access_from(merge([empty, null]))
    assert error.value.hint == "name one with --context: none"


def test_an_unknown_context_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="there is no context 'two'") as error:
        access_from(merge([config(tmp_path)]), "two")
    assert error.value.hint == "known: one"


def test_files_come_from_the_flag_the_variable_or_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    one, two = config(tmp_path / "a"), config(tmp_path / "b")
    assert kubeconfig_files("x", {}) == [Path("x")]
    assert kubeconfig_files("", {"KUBECONFIG": f"{one}:/nowhere::{two}"}) == [one, two]
    assert kubeconfig_files("", {}) == []
    usual = config(tmp_path / ".kube")
    assert kubeconfig_files("", {}) == [usual]


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="cannot be read: No such file") as error:
        find_access(str(tmp_path / "nowhere"))
    assert str(error.value).startswith(str(tmp_path / "nowhere"))


def test_with_nothing_at_all_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(KubeconfigError, match="there is no kubeconfig") as error:
        find_access(environment={})
    assert "railwise dev cluster up" in error.value.hint


async def test_a_pod_uses_its_service_account(tmp_path: Path) -> None:
    for name, text in {"token": "t\n", "ca.crt": "PEM", "namespace": "mine"}.items():
        (tmp_path / name).write_text(text)
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    access = in_cluster(environment, tmp_path)
    assert access is not None
    assert (access.server, access.authority, access.namespace) == ("https://[fd00::1]:443", "PEM", "mine")
    assert isinstance(access.credentials, TokenFile)
    assert await access.credentials.headers() == {"Authorization": "Bearer t"}
    assert in_cluster({}, tmp_path) is None
    assert in_cluster(environment, tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("server", "environment", "proxy"),
    [
        ("https://far:6443", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://far:6443", {"https_proxy": "http://q:1", "HTTPS_PROXY": "http://p:1"}, "http://q:1"),
        ("http://far", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://localhost:6443", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://[::1]:6443", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://api.corp.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "x,.corp.example"}, ""),
        ("https://10.1.2.3", {"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.0/8"}, ""),
        ("https://11.1.2.3", {"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.0/8"}, "http://p:1"),
    ],
)
def test_proxies_are_those_of_the_environment(server: str, environment: dict[str, str], proxy: str) -> None:
    assert proxy_for(server, environment) == proxy
