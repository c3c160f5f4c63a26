"""Graphviz DOT as NVIDIA Air imports it and as Cumulus' topology manager (PTM) checks cables against it.

The two are one form: ``"leaf01":"swp1" -- "gpu01":"eth0"`` is a cable, attributes of a node say what it is. PTM's
``topology.dot`` has edges only. The parts of DOT that say nothing about cables (styles, positions) are read and left;
what could say something and is not known (edges without ports, arrows) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from railwise.fabric.elements import Cable, Fabric, Port, Server, Switch
from railwise.formats.fabric.air import IMAGES, SERVER_IMAGE
from railwise.formats.fabric.air_labels import air_labels, take_labels
from railwise.formats.fabric.roles import Found, build_devices
from railwise.formats.fabric.terms import DEVICE, PORT
from railwise.formats.faults import Faults, shown
from railwise.model.errors import Fault, InputError

MOST_TOKENS: Final = 20_000_000
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<mark>--|->|[{}\[\]=:;,])
    |(?P<word>[A-Za-z0-9_.\x80-\U0010ffff-]+?(?=--|->|[^A-Za-z0-9_.\x80-\U0010ffff-]|$))
    |(?P<bad>.)""",
    re.VERBOSE | re.DOTALL,
)
_DEFAULTS: Final = ("graph", "node", "edge")
_HINT: Final = 'expected a graph such as: graph "g" { "leaf01":"swp1" -- "gpu01":"eth0" }'


class _Token(NamedTuple):
    text: str
    mark: bool
    line: int


@dataclass(slots=True)
class _Reading:
    """A graph while it is read."""

    tokens: list[_Token]
    at: int
    faults: Faults
    found: dict[str, Found]
    cables: list[Cable]

    def peek(self) -> _Token:
        return self.tokens[self.at]

    def next(self) -> _Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def takes(self, mark: str) -> bool:
        token = self.tokens[self.at]
        if token.mark and token.text == mark:
            self.at += 1
            return True
        return False

    def fail(self, message: str) -> InputError:
        return InputError([Fault(f"line {self.peek().line}", message, _HINT)])


def read_dot(data: bytes, source: str = "") -> Fabric:
    """Return the fabric of a graph. Raises InputError with the line of what cannot be read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError([Fault("", f"byte {error.start} is not UTF-8", _HINT)], source) from None
    try:
        reading = _Reading(list(_tokens(text)), 0, Faults(), {}, [])
        name = _graph(reading)
    except InputError as error:
        raise InputError(list(error.faults), source) from None
    reading.faults.raise_any(source)
    switches, servers = build_devices(list(reading.found.values()), reading.cables)
    return Fabric(name, switches, servers, tuple(reading.cables))


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for number, match in enumerate(_TOKEN.finditer(text)):
        if match["bad"] is not None or number > MOST_TOKENS:
            raise InputError([Fault(f"line {line}", f"{shown(match.group())} is no part of a graph", _HINT)])
        if match["quoted"] is not None:
            yield _Token(re.sub(r"\\(.)", r"\1", match["quoted"]), mark=False, line=line)
        elif match["word"] is not None:
            yield _Token(match["word"], mark=False, line=line)
        elif match["mark"] is not None:
            yield _Token(match["mark"], mark=True, line=line)
        line += match.group().count("\n")
    yield _Token("", mark=True, line=line)


def _graph(reading: _Reading) -> str:
    if reading.peek().text.lower() == "strict":
        reading.next()
    if reading.next().text.lower() != "graph":
        reading.at -= 1
        raise reading.fail("expected 'graph'")
    name = "" if reading.peek().mark else reading.next().text
    if not reading.takes("{"):
        raise reading.fail("expected '{'")
    while not reading.takes("}"):
        if not reading.peek().text and reading.peek().mark:
            raise reading.fail("the graph is never closed")
        _statement(reading)
        reading.takes(";")
    if reading.peek().text:
        raise reading.fail("expected nothing after the graph")
    lower = name.lower().replace("_", "-").replace(" ", "-")
    return lower if lower and not DEVICE.problem(lower) else ""


def _statement(reading: _Reading) -> None:
    token = reading.peek()
    if token.mark:
        raise reading.fail(f"expected a node or an edge, not '{token.text}'")
    if token.text.lower() == "subgraph":
        raise reading.fail("subgraphs are not read")
    first = _end(reading)
    if reading.takes("="):
        reading.next()
        return
    ends = [first]
    while reading.takes("--"):
        ends.append(_end(reading))
    if reading.peek().mark and reading.peek().text == "->":
        raise reading.fail("cables have no direction: expected '--', not '->'")
    attributes = _attributes(reading)
    if len(ends) == 1:
        if first.name or first.device.lower() not in _DEFAULTS:
            take_labels(_device(reading, first.device, token.line), attributes)
            found = reading.found.get(first.device)
            if found is not None and isinstance(attributes.get("os"), str):
                found.image = attributes["os"]
        return
    for a, b in pairwise(ends):
        _cable(reading, a, b, token.line)


def _end(reading: _Reading) -> Port:
    token = reading.next()
    if token.mark:
        raise reading.fail(f"expected a node, not '{token.text}'")
    port = ""
    if reading.takes(":"):
        port = reading.next().text
        if reading.takes(":"):
            reading.next()
    return Port(token.text, port)


def _attributes(reading: _Reading) -> dict[str, str]:
    found: dict[str, str] = {}
    while reading.takes("["):
        while not reading.takes("]"):
            key = reading.next()
            if key.mark:
                raise reading.fail(f"expected an attribute, not '{key.text or 'the end'}'")
            if reading.takes("="):
                found[key.text] = reading.next().text
            if not reading.takes(","):
                reading.takes(";")
    return found


def _device(reading: _Reading, name: str, line: int) -> Found:
    if name not in reading.found:
        if DEVICE.problem(name):
            reading.faults.add(f"line {line}", DEVICE.problem(name))
        reading.found[name] = Found(name)
    return reading.found[name]


def _cable(reading: _Reading, a: Port, b: Port, line: int) -> None:
    path = f"line {line}"
    for port in (a, b):
        device = _device(reading, port.device, line)
        if not port.name or PORT.problem(port.name):
            named = PORT.problem(port.name) if port.name else f"expected the port of {shown(port.device)}"
            reading.faults.add(path, named)
            return
        if port.name in device.ports:
            reading.faults.add(path, f"the port {shown(port.text())} has a cable already")
        device.ports.append(port.name)
    if a.device == b.device:
        reading.faults.add(path, f"both ends are on {shown(a.device)}")
    reading.cables.append(Cable(a, b))


def dot_text(fabric: Fabric, *, attributes: bool = True) -> str:
    """Return the graph of a fabric; without ``attributes`` edges only, as PTM reads it."""
    lines = [f'graph "{fabric.name or "fabric"}" {{']
    if attributes:
        lines += [_node_line(switch, IMAGES[switch.dialect], "4096") for switch in fabric.switches]
        lines += [_node_line(server, SERVER_IMAGE, "2048") for server in fabric.servers]
    lines += [f'  "{c.a.device}":"{c.a.name}" -- "{c.b.device}":"{c.b.name}"' for c in fabric.cables]
    return "\n".join([*lines, "}"]) + "\n"


def _node_line(device: Switch | Server, image: str, memory: str) -> str:
    told = {"os": image, "memory": memory, "cpu": "2", **air_labels(device)}
    return f'  "{device.name}" [' + " ".join(f'{key}="{value}"' for key, value in told.items()) + "]"
