"""How live schedulers are watched, by the same options for each: logs, metrics, a log of decisions, a recording."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Gauge

    from railwise.controllers.journal import Journal, LineFile
    from railwise.controllers.metrics import SchedulerMetrics
    from railwise.controllers.scheduler import Scheduler
    from railwise.kubeapi.access import Access
    from railwise.kubeapi.client import Client

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")


class Operating(NamedTuple):
    """How a scheduler is watched: where metrics are served, and which files are written (empty: not at all).

    ``valid``: seconds of silence after which another replica takes over.
    """

    address: str = ""
    decisions: str = ""
    record: str = ""
    valid: int = 15


class Told(NamedTuple):
    """Who is told of what a scheduler does."""

    journal: Journal
    metrics: SchedulerMetrics


Make = Callable[["Client", Told], Awaitable["Scheduler"]]
"""Makes the scheduler once this process leads."""


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and where it happened if it is an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line = {
            "time": f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_logs(level: str, form: str) -> None:
    """Send logs to standard error, as text for people or as JSON lines for machines."""
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--log-format`` and ``--log-level``; logs are set by them."""

    @wraps(command)
    def logged(*, log_level: str, log_format: str, **rest: Any) -> Any:  # noqa: ANN401 -- click's own
        set_logs(log_level, log_format)
        return command(**rest)

    logged = click.option("--log-level", type=click.Choice(LOG_LEVELS), default="info", show_default=True)(logged)
    return click.option("--log-format", type=click.Choice(LOG_FORMATS), default="text", show_default=True)(logged)


metrics_option = click.option(
    "--metrics-address",
    "--metrics",
    "address",
    default="",
    metavar="HOST:PORT",
    help="Serve /metrics, /healthz and /readyz there.",
)
"""``--metrics-address``, as ``address``."""


def leading_options(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds ``--leader-elect`` and ``--lease``, by default that of ``railwise-NAME``."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            "--lease", default=f"kube-system/railwise-{name}", show_default=True, metavar="NAMESPACE/NAME"
        )(command)
        return click.option(
            "--leader-elect/--no-leader-elect",
            default=True,
            show_default=True,
            help="Take part in an election, so that of several replicas one works.",
        )(command)

    return add


def operating_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options for logs, metrics, files and the Lease; logs are set, the rest comes as ``operating``."""

    @wraps(command)
    def operated(**rest: Any) -> Any:  # noqa: ANN401 -- click's own
        return command(operating=Operating(*(rest.pop(key) for key in Operating._fields)), **rest)

    options = (
        click.option(
            "--lease-duration",
            "valid",
            type=click.IntRange(min=3),
            default=15,
            show_default=True,
            metavar="SECONDS",
            help="Another replica takes over when the one that leads has been silent for so long.",
        ),
        metrics_option,
        click.option(
            "--decisions",
            default="",
            metavar="FILE",
            help="Write the log of decisions; former logs are FILE.1 to 5.",
        ),
        click.option(
            "--record",
            default="",
            metavar="FILE",
            help="Record what is decided on, for `railwise replay`; it grows without bounds.",
        ),
        log_options,
    )
    for option in reversed(options):
        operated = option(operated)
    return operated


async def operate(access: Access, lease: tuple[str, str] | None, operating: Operating, make: Make) -> int:
    """Run a scheduler until it is told to stop, watched as it is asked for; return the exit code.

    A replica that waits to lead is ready: it can take over at any moment.
    """
    from prometheus_client import CollectorRegistry

    from railwise.cli.leading import serve
    from railwise.controllers.metrics import SchedulerMetrics
    from railwise.kubeapi.measured import Measured

    registry = CollectorRegistry()
    leads = leading(registry)
    metrics = SchedulerMetrics(registry)
    working: list[Scheduler] = []

    async def work(client: Client) -> None:
        journal = begin_journal(operating)
        scheduler = await make(client, Told(journal, metrics))
        working.append(scheduler)
        leads.set(1)
        try:
            await scheduler.run()
        finally:
            leads.set(0)
            journal.close()

    def ready() -> bool:
        return all(one.ready.is_set() for one in working)

    async with _served(operating.address, registry, ready) as port:
        if port:
            logging.getLogger("railwise").info("serves /metrics, /healthz and /readyz at port %d", port)
        return await serve(access, lease, work, Measured(logging.getLogger("railwise"), registry), operating.valid)


def _served(address: str, registry: CollectorRegistry, ready: Callable[[], bool]) -> AbstractAsyncContextManager[int]:
    """Return who answers probes while entered; without an address nobody, and nothing is loaded for it."""
    if not address:
        return nullcontext(0)
    from railwise.kubeapi.probes import probes

    return probes(address, registry, ready)


def leading(registry: CollectorRegistry) -> Gauge:
    """Return the figure that says whether this replica leads."""
    from prometheus_client import Gauge

    return Gauge("railwise_leader", "1 where this replica leads.", registry=registry)


def begin_journal(operating: Operating) -> Journal:
    """Return who writes down what is decided.

    Raises:
        HintedError: a file cannot be written.
    """
    from railwise.controllers.journal import Journal

    return Journal(_lines("--decisions", operating.decisions), _lines("--record", operating.record, largest=0))


def _lines(option: str, name: str, **bounds: int) -> LineFile | None:
    from pathlib import Path

    from railwise.cli.errors import HintedError
    from railwise.controllers.journal import LineFile

    if not name:
        return None
    try:
        return LineFile(Path(name), **bounds)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise HintedError(f"{option} {name}: {reason}", "name a file in a directory that exists and is yours") from None
