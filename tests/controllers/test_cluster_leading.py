"""A controller that may no longer lead ends, and says so."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from railwise.cli.leading import serve
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.resources import LEASES

if TYPE_CHECKING:
    from railwise.kubeapi.access import Access

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


async def test_who_loses_its_lease_says_why_it_ends(
    admin: Access, space: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(_: Client) -> None:
        async with connect(admin) as other:
            await other.patch(LEASES, space, "lead", {"spec": {"holderIdentity": "another"}})
        await asyncio.Event().wait()

    with caplog.at_level(logging.INFO, "railwise"):
        async with asyncio.timeout(90):
            code = await serve(admin, (space, "lead"), work, valid=3)
    assert code == 1
    expected = f"ends: the Lease {space}/lead was not renewed in time, or another holds it; start it again"
    assert caplog.messages[-1] == expected
