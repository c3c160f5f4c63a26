"""Kinds that a cluster may serve or not, now or later: followed while they are there, forgotten when they go.

Kueue, KAI, Volcano, JobSet and our own kinds are custom resources. They are installed while a scheduler runs, upgraded
to another version and removed again, and none of that is a reason to restart it, or to stop. Which groups a server has
is asked for every few seconds in one request; only where one is new that matters here, more is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError, ForbiddenError, NotFoundError
from railwise.kubeapi.resources import Resource

log = logging.getLogger("railwise.scheduler")

LOOK_AGAIN = 5.0
"""Seconds between two looks at what the server has."""

REFUSED = 60.0
"""Seconds after which a kind that may not be read is tried again."""


class Addon(NamedTuple):
    """A kind under the versions that can be read, the preferred first, and what becomes of one that is served.

    ``feed`` makes of it whatever ``follow`` follows, never ending but by an error, and ``forget`` forgets.
    """

    resources: tuple[Resource, ...]
    feed: Callable[[Resource], Any]
    follow: Callable[[Any], Coroutine[Any, Any, None]]
    forget: Callable[[Any], None]


class Addons:
    """Follows those of some kinds that are served."""

    def __init__(self, client: Client, addons: Sequence[Addon]) -> None:
        """Keep what may come."""
        self._client = client
        self._idle = list(addons)

    async def look(self) -> list[tuple[Addon, Resource]]:
        """Return those that are served now and not followed yet; they are taken to be followed from now on.

        Raises:
            ApiError: the server cannot be asked.
        """
        versions = await self._client.versions()
        found = []
        for addon in list(self._idle):
            for resource in addon.resources:
                if (not resource.group or resource.api_version() in versions) and await self._client.serves(resource):
                    self._idle.remove(addon)
                    found.append((addon, resource))
                    break
        return found

    async def run(self, present: Sequence[tuple[Addon, Resource]]) -> None:
        """Follow those that are there, and those that come, for ever.

        Raises:
            ApiError: a kind cannot be read for another reason than that it is gone, or may not be read.
        """
        async with asyncio.TaskGroup() as group:
            for addon, resource in present:
                group.create_task(self._follow(addon, resource))
            while True:
                await asyncio.sleep(LOOK_AGAIN)
                try:
                    new = await self.look()
                except DeposedError:
                    raise
                except ApiError as error:
                    log.debug("what the server has cannot be asked: %s", error)
                    continue
                for addon, resource in new:
                    log.info("%s is served now", resource.label())
                    group.create_task(self._follow(addon, resource))

    async def _follow(self, addon: Addon, resource: Resource) -> None:
        pause = 0.0
        feed = addon.feed(resource)
        try:
            await addon.follow(feed)
        except NotFoundError:
            log.info("%s is served no longer", resource.label())
        except ForbiddenError as error:
            log.warning("%s may not be read, so what it says is not known: %s", resource.label(), error)
            pause = REFUSED
        addon.forget(feed)
        await asyncio.sleep(pause)
        self._idle.append(addon)
