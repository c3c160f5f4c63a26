"""Programs of the machine that are asked: bounded in time and in what they may print, and never left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

PATIENCE: Final = 20.0
LARGEST_OUTPUT: Final = 16 * 1024 * 1024
LONGEST_WORD: Final = 200
_CHUNK: Final = 64 * 1024


class ProgramError(Exception):
    """The program is not there, failed, or went on for too long; the message says which."""


async def output_of(command: Sequence[str], patience: float = PATIENCE) -> bytes:
    """Return what a program prints. Raises ProgramError."""
    async with started(command) as process:
        try:
            async with asyncio.timeout(patience):
                printed, said = await asyncio.gather(_read(process.stdout), _read(process.stderr))
                code = await process.wait()
        except TimeoutError:
            raise ProgramError(f"{command[0]} does not end within {patience:.0f} s") from None
    if code:
        raise ProgramError(f"{command[0]} ends with {code}: {_short(said)}")
    return printed


@asynccontextmanager
async def started(command: Sequence[str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a program, and end it with the context. Raises ProgramError where it cannot be started."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
    except (OSError, ValueError) as error:
        raise ProgramError(f"{command[0]} cannot be started: {getattr(error, 'strerror', None) or error}") from None
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    data = bytearray()
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        data += chunk
        if len(data) > LARGEST_OUTPUT:
            raise ProgramError(f"more than {LARGEST_OUTPUT} bytes of output")
    return bytes(data)


def _short(said: bytes) -> str:
    return " ".join(said[: 4 * LONGEST_WORD].decode("utf-8", "replace").split())[:LONGEST_WORD] or "no word why"
