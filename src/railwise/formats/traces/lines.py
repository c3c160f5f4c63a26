"""Bytes of a published file as lines of text, a piece at a time: plain or gzip, bounded, with faults named by line.

A table of jobs can be a gigabyte once unpacked. It is never held unpacked: pieces are inflated, decoded and cut into
lines as they are asked for, so that memory holds what is made of the lines and nothing else. A file from somewhere else
may also be cut off, in another encoding, a compressed bomb, or no text at all; the answer says which.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator

from railwise.model.errors import Fault, InputError

LARGEST_TABLE = 2 * 1024 * 1024 * 1024
"""Bytes a table may have once unpacked."""

LONGEST_LINE = 1024 * 1024
"""Bytes a line may have."""

_PIECE = 256 * 1024
_GZIP = b"\x1f\x8b"
_TAR = slice(257, 262)
_PACKED = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"(\xb5/\xfd": "a zstd file",
    b"PAR1": "a Parquet file",
}
FORM = "give the table as published: text in UTF-8, plain or gzip"


def lines(data: bytes, source: str) -> Iterator[str]:
    """Yield the lines of a plain or gzip file, without their line feeds.

    Raises InputError, naming file and line, if it is damaged, cut off, no UTF-8 text, or beyond the bounds above.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest = ""
    done = 0
    for piece, last in _pieces(data, source):
        try:
            text = decoder.decode(piece, final=last)
        except UnicodeDecodeError as error:
            line = done + error.object.count(b"\n", 0, error.start) + 1
            hint = "convert it first, for example with `iconv -f latin1 -t utf-8`"
            raise InputError([Fault(f"{source}:{line}", "not UTF-8 text", hint)]) from None
        if "\0" in text:
            line = done + text.count("\n", 0, text.index("\0")) + 1
            raise InputError([Fault(f"{source}:{line}", "a zero byte, so this is not a table of text", FORM)])
        *whole, rest = (rest + text).split("\n")
        yield from whole
        done += len(whole)
        if len(rest) > LONGEST_LINE:
            raise InputError([Fault(f"{source}:{done + 1}", f"a line of more than {LONGEST_LINE} bytes", FORM)])
    if rest:
        yield rest


def _pieces(data: bytes, source: str) -> Iterator[tuple[bytes, bool]]:
    """Yield (bytes, whether they are the last) of the unpacked file, within ``LARGEST_TABLE``."""
    unpacked = 0
    packed = data.startswith(_GZIP)
    seen = b""
    for piece in _inflated(data, source) if packed else _slices(data):
        if not unpacked:
            _refuse_archives(piece, source)
        unpacked += len(piece)
        if unpacked > LARGEST_TABLE:
            raise InputError([Fault(source, f"more than {LARGEST_TABLE} bytes unpacked", FORM)])
        if seen:
            yield seen, False
        seen = piece
    yield seen, True


def _slices(data: bytes) -> Iterator[bytes]:
    view = memoryview(data)
    for start in range(0, len(data), _PIECE):
        yield bytes(view[start : start + _PIECE])


def _inflated(data: bytes, source: str) -> Iterator[bytes]:
    """Yield what a gzip file holds, which may be several members one after another."""
    inflate = zlib.decompressobj(wbits=31)
    for piece in _slices(data):
        left = piece
        while True:
            if inflate.eof:
                left = left.lstrip(b"\0")
                if not left:
                    break
                inflate = zlib.decompressobj(wbits=31)
            try:
                out = inflate.decompress(left, _PIECE)
            except zlib.error as error:
                raise InputError([Fault(source, f"damaged gzip file ({error})", FORM)]) from None
            if out:
                yield out
            left = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            if not left and len(out) < _PIECE:
                break
    if not inflate.eof:
        raise InputError([Fault(source, "the gzip file ends early", "fetch it again")])


def _refuse_archives(first: bytes, source: str) -> None:
    found = next((name for magic, name in _PACKED.items() if first.startswith(magic)), "")
    if first[_TAR] == b"ustar":
        found = "a tar archive"
    if found:
        hint = "unpack it and name the files in it" if "Parquet" not in found else FORM
        raise InputError([Fault(source, f"{found}, not a table of text", hint)])
