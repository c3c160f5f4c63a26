"""``railwise run gate``: in front of the default scheduler, which binds what is let through."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from railwise.cli.errors import HintedError
from railwise.cli.operating import Operating, Told, leading_options, operating_options
from railwise.cli.options import access_options, levels_option, settings_option

if TYPE_CHECKING:
    from railwise.controllers.admission_keeper import Place
    from railwise.controllers.scheduler import Scheduler
    from railwise.kubeapi.access import Access
    from railwise.kubeapi.client import Client

ADMISSION = ("auto", "policy", "webhook", "none")

log = logging.getLogger("railwise.gate")


class Hook(NamedTuple):
    """What was said of a webhook: where it listens, how the API server finds it, where its certificate is kept."""

    listen: str
    service: str
    url: str
    secret: str


@click.command("gate")
@access_options
@levels_option
@settings_option
@click.option(
    "--admission",
    type=click.Choice(ADMISSION),
    default="auto",
    show_default=True,
    help="What puts the gate on new pods: a policy of the API server, a webhook of ours, or none, where manifests have "
    "put a policy there. auto: a policy where the server has them, else the webhook.",
)
@click.option(
    "--spare", "spared", multiple=True, metavar="NAMESPACE", help="Never hold pods here, whatever its labels say."
)
@click.option("--webhook-listen", "listen", default="", metavar="HOST:PORT", help="Where the webhook answers.")
@click.option(
    "--webhook-service",
    "service",
    default="",
    metavar="NAMESPACE/NAME[:PORT]",
    help="The Service by which the API server finds the webhook.",
)
@click.option("--webhook-url", "url", default="", metavar="URL", help="Instead of a Service, outside of the cluster.")
@click.option(
    "--webhook-secret",
    "secret",
    default="kube-system/railwise-gate-webhook",
    show_default=True,
    metavar="NAMESPACE/NAME",
    help="The Secret in which the webhook's certificate is kept.",
)
@leading_options("gate")
@operating_options
def gate(
    *,
    levels: str,
    settings: str,
    admission: str,
    spared: tuple[str, ...],
    leader_elect: bool,
    lease: str,
    operating: Operating,
    **more: str,
) -> int:
    """Decide for pods of the default scheduler, in front of it.

    Pods of namespaces with the label `railwise.dev/gate=enabled` are held by a scheduling gate when they are made. They
    are planned as gangs, by the rules of the annotations `railwise.dev/…`; then each is told its node and let through,
    and the default scheduler binds it. Other namespaces are left alone.
    """
    import asyncio

    from railwise.cli.leading import lease_name, live_policy
    from railwise.cli.operating import operate
    from railwise.kubeapi.in_cluster import find_access

    if levels:
        from railwise.formats.kubernetes.levels import parse_levels

        parse_levels(levels)
    policy = live_policy(settings)
    hook = Hook(*(more[key] for key in Hook._fields))
    place = _place(hook, admission)
    leading = lease_name(lease) if leader_elect else None
    access = find_access(more["kubeconfig"], more["context"])

    async def make(client: Client, told: Told) -> Scheduler:
        from railwise.controllers.gate_cache import GateCache
        from railwise.controllers.gate_mode import GateMode
        from railwise.controllers.scheduler import Scheduler

        cache = GateCache(levels, policy=policy)
        return Scheduler(client, cache, mode=GateMode(cache), journal=told.journal, metrics=told.metrics)

    async def whole() -> int:
        never = (*spared, *(leading or ())[:1])  # where we run: who holds its own pods never starts again
        async with _admitting(access, admission, never, hook, place):
            return await operate(access, leading, operating, make)

    return asyncio.run(whole())


def _place(hook: Hook, admission: str) -> Place | None:
    """Return where the API server finds the webhook, None without one; an error with a hint for half of one."""
    from railwise.controllers.admission_keeper import Place
    from railwise.kubeapi.probes import parsed

    said = [name for name, text in zip(Hook._fields[:3], hook, strict=False) if text]
    if not said and admission != "webhook":
        return None
    if admission in ("policy", "none"):
        raise HintedError(f"--webhook-{said[0]}: there is no webhook with --admission {admission}", "leave it out")
    if not hook.listen or bool(hook.service) == bool(hook.url):
        hint = "--webhook-listen 0.0.0.0:9443 --webhook-service railwise-system/railwise-gate:443"
        raise HintedError("a webhook needs where it listens, and either its Service or its URL", hint)
    parsed(hook.listen)
    _named("--webhook-secret", hook.secret)
    if hook.url:
        if not hook.url.startswith("https://"):
            raise HintedError(f"--webhook-url {hook.url}: is no https URL", "as in https://10.0.0.7:9443")
        return Place(url=hook.url)
    name, colon, port = hook.service.partition(":")
    if colon and not (port.isdecimal() and 0 < int(port) < 1 << 16):
        raise HintedError(f"--webhook-service {hook.service}: '{port}' is no port", "as in railwise-system/gate:443")
    return Place(_named("--webhook-service", name), int(port or 443))


def _named(option: str, text: str) -> tuple[str, str]:
    namespace, slash, name = text.partition("/")
    if not (namespace and slash and name) or "/" in name:
        raise HintedError(f"{option} {text}: is not NAMESPACE/NAME", "as in railwise-system/railwise-gate")
    return namespace, name


@asynccontextmanager
async def _admitting(
    access: Access, admission: str, spared: tuple[str, ...], hook: Hook, place: Place | None
) -> AsyncIterator[None]:
    """See to it that new pods get their gate. Every replica does, since the webhook is asked whoever leads."""
    from railwise.controllers.admission import drop_policy, put_policy, served_version
    from railwise.kubeapi.client import connect

    if admission == "none":
        yield
        return
    async with connect(access) as client:
        version = await served_version(client)
        if version and admission != "webhook":
            await put_policy(client, version, spared)
            log.info("pods of namespaces with railwise.dev/gate=enabled get their gate from a policy (%s)", version)
            yield
        elif place is None:
            hint = "Kubernetes serves it from 1.36 on; --webhook-listen and --webhook-service bring a webhook instead"
            raise HintedError("the API server has no MutatingAdmissionPolicy", hint)
        else:
            async with _answering(client, spared, hook, place):
                if version:
                    await drop_policy(client, version)
                yield


@asynccontextmanager
async def _answering(client: Client, spared: tuple[str, ...], hook: Hook, place: Place) -> AsyncIterator[None]:
    """Serve the webhook and keep it believed."""
    import asyncio

    from railwise.controllers.admission_keeper import CertificateKeeper
    from railwise.controllers.admission_webhook import webhook
    from railwise.kubeapi.probes import parsed

    keeper = CertificateKeeper(client, place, _named("--webhook-secret", hook.secret), spared=spared)
    await keeper.look()
    async with webhook(*parsed(hook.listen), keeper.context) as port:
        log.info("pods of namespaces with railwise.dev/gate=enabled get their gate from a webhook (port %d)", port)
        keeping = asyncio.create_task(keeper.run())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
