"""A fabric is simulated in NVIDIA Air for as long as a command runs, and is gone afterwards whatever happens."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from railwise.formats.fabric.air import air_text
from railwise.formats.fabric.writer import fabric_text
from railwise.lab.air import Air, AirError, Exposed, connected, simulated
from tests.discovery.test_collector import units
from tests.lab.fake_air import KEY, FakeAir, served

MANIFEST = air_text(units("cumulus")).encode()
QUICK = 0.001
PATIENCE = 20.0


async def test_it_is_made_started_and_deleted() -> None:
    async with served(FakeAir()) as air, connected(air.url, KEY, QUICK) as account:
        async with simulated(account, MANIFEST, PATIENCE) as simulation:
            assert list(air.simulations) == [simulation]
            nodes = air.simulations[simulation].manifest["content"]["nodes"]
            assert {"leaf-1", "spine-1", "gpu-1"} <= nodes.keys()
        assert not air.simulations
    calls = [call.replace(simulation, "ID") for call in air.called]
    assert list(dict.fromkeys(calls)) == [
        "POST simulations/import/", "GET simulations/ID/", "PATCH simulations/ID/start/", "DELETE simulations/ID/",
    ]  # fmt: skip


@pytest.mark.parametrize("states", [("REQUESTING", "INVALID"), ("REQUESTING",)])
async def test_one_that_does_not_start_is_deleted_and_said(states: tuple[str, ...]) -> None:
    async with served(FakeAir(states)) as air, connected(air.url, KEY, QUICK) as account:
        with pytest.raises(AirError, match=r"INVALID|still REQUESTING after 0.2 s, not ACTIVE"):
            async with simulated(account, MANIFEST, 0.2):
                pass
        assert not air.simulations


async def test_one_whose_use_fails_or_is_interrupted_is_deleted() -> None:
    async with served(FakeAir()) as air, connected(air.url, KEY, QUICK) as account:

        async def use(account: Air) -> None:
            async with simulated(account, MANIFEST, PATIENCE):
                entered.set()
                await asyncio.sleep(3600)

        entered = asyncio.Event()
        task = asyncio.create_task(use(account))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not air.simulations


async def test_ports_are_exposed_across_pages() -> None:
    async with (
        served(FakeAir()) as air,
        connected(air.url, KEY, QUICK) as account,
        simulated(account, MANIFEST, PATIENCE) as simulation,
    ):
        wanted = [Exposed("leaf-8", "eth0", 9339), Exposed("gpu-1", "eth0", 22)]
        assert await account.expose(simulation, wanted) == {
            "leaf-8/eth0:9339": "worker.example:29339", "gpu-1/eth0:22": "worker.example:20022",
        }  # fmt: skip
        with pytest.raises(AirError, match="no interface leaf-99/eth0"):
            await account.expose(simulation, [Exposed("leaf-99", "eth0", 1)])


async def test_a_wrong_key_and_a_manifest_that_is_refused_are_said_without_the_key() -> None:
    async with served(FakeAir()) as air:
        async with connected(air.url, "nvapi-secret", QUICK) as account:
            with pytest.raises(AirError, match="HTTP 401: the key is not accepted") as wrong:
                await account.create(MANIFEST)
            assert "nvapi-secret" not in str(wrong.value) + wrong.value.hint
        async with connected(air.url, KEY, QUICK) as account:
            with pytest.raises(AirError, match=r"HTTP 400 to POST .*required"):
                await account.create(b"{}")


async def test_the_key_goes_over_encrypted_connections_only() -> None:
    with pytest.raises(AirError, match="not encrypted"):
        async with connected("http://air.example/api/v3", KEY):
            pass


async def deployed(air: FakeAir, folder: Path, *arguments: str) -> tuple[int, str, str]:
    (folder / "fabric.yaml").write_text(fabric_text(units("cumulus")))
    (folder / "key").write_text(KEY + "\n")
    command = ["-m", "railwise", "fabric", "deploy", "fabric.yaml", "--air", "--url", air.url, "--poll", "0.01"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, *arguments, cwd=folder, stdout=-1, stderr=-1, env=os.environ | {"AIR_API_KEY": ""}
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


SHOW = "import os; print(open(os.environ['RAILWISE_AIR_SERVICES']).read()); raise SystemExit(3)"


@pytest.mark.slow
async def test_a_command_runs_against_it_and_its_exit_code_counts(tmp_path: Path) -> None:
    async with served(FakeAir()) as air:
        code, out, err = await deployed(
            air, tmp_path, "--key-file", "key", "--expose", "leaf-1/eth0:9339", "--", sys.executable, "-c", SHOW
        )
        assert (code, json.loads(out)) == (3, {"leaf-1/eth0:9339": "worker.example:29339"}), err
        assert "is deleted" in err
        assert not air.simulations


@pytest.mark.slow
async def test_errors_of_use_name_what_is_expected(tmp_path: Path) -> None:
    async with served(FakeAir()) as air:
        for arguments, message in (
            (["--", "true"], "no key for NVIDIA Air"),
            (["--key-file", "key"], "would be deleted at once"),
            (["--key-file", "none", "--", "true"], "the key cannot be read"),
            (["--key-file", "key", "--expose", "leaf-1", "--", "true"], "write NODE/INTERFACE:PORT"),
            (["--key-file", "key", "--", "no-such-program"], "cannot run no-such-program"),
        ):
            code, _, err = await deployed(air, tmp_path, *arguments)
            assert code != 0
            assert message in err
            assert "Traceback" not in err
        assert not air.simulations


@pytest.mark.slow
async def test_the_sdk_of_air_reads_the_same() -> None:
    """The fake is no invention of ours: NVIDIA's own client gets on with it."""
    sdk = pytest.importorskip("air_sdk", reason="nv-air-sdk is not installed")
    async with served(FakeAir()) as air:

        def use() -> list[str]:
            api = sdk.AirApi.with_api_key(api_url=air.url, api_key=KEY)
            made = api.simulations.import_from_data(**json.loads(MANIFEST))
            states = [made.state]
            made.wait_for_state("INACTIVE")
            made.start()
            made.wait_for_state("ACTIVE")
            states.append(made.state)
            made.delete()
            return states

        assert await asyncio.to_thread(use) == ["IMPORTING", "ACTIVE"]
        assert not air.simulations
