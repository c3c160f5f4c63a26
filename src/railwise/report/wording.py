"""Small pieces of wording that several faces share: counts with their noun, times, paths of domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from railwise.formats.hostlist import fold
from railwise.model.scenario import Scenario
from railwise.model.workload import (
    CARDS_MIG,
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_TIME_SLICE,
    CARDS_WHOLE,
    CardRequest,
    Group,
)

SECOND = 1_000_000
"""One second in µs."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 pod``, ``2 pods``; ``plural`` where an s does not make one."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:  # noqa: PLR2004 -- one word needs no comma
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def thousandths(number: int) -> str:
    """Return a number of thousandths as a decimal without useless zeros: 1500 is ``1.5``."""
    whole, rest = divmod(number, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".")


def span(micros: int) -> str:
    """Return a time span for people: ``45s``, ``12m``, ``2h30m``, ``3d4h``; the two largest units."""
    seconds = abs(micros) // SECOND
    sign = "-" if micros < 0 else ""
    parts: list[str] = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number}{unit}")
    return sign + ("".join(parts[:2]) or "0s")


def gpu_time(gpu_seconds: int) -> str:
    """Return GPU-seconds as ``0``, ``40 GPU-seconds`` or ``12.5 GPU-hours``."""
    if gpu_seconds < 3600:  # noqa: PLR2004 -- an hour
        return f"{gpu_seconds} GPU-seconds" if gpu_seconds else "no work"
    return f"{thousandths(gpu_seconds * 10 // 3600 * 100)} GPU-hours"


def cards_text(cards: CardRequest) -> str:
    """Return what one pod asks of cards: ``8 GPUs``, ``0.5 GPU``, ``2000 MiB on each of 2 GPUs``."""
    if cards.kind == CARDS_NONE:
        return ""
    if cards.kind == CARDS_WHOLE:
        return counted(cards.count, "GPU")
    if cards.kind == CARDS_MIG:
        return joined([f"{number} × {profile}" for profile, number in cards.slices])
    if cards.kind == CARDS_TIME_SLICE:
        return counted(cards.count, "time slice")
    what = _share_text(cards) if cards.kind == CARDS_SHARE else cards.kind
    return what if cards.count <= 1 else f"{what} on each of {cards.count} GPUs"


def _share_text(cards: CardRequest) -> str:
    if cards.fraction:
        return f"{thousandths(cards.fraction)} GPU"
    parts = (
        [f"{cards.memory} MiB"]
        if cards.memory
        else [f"{cards.memory_percent} % of the memory"] * bool(cards.memory_percent)
    )
    parts += [f"{cards.compute} % of the compute"] * bool(cards.compute)
    return f"{joined(parts)} of a GPU"


def demand_text(group: Group) -> str:
    """Return what a workload or group asks for: ``16 pods of 8 GPUs``, ``3 groups (prefill, decode, cache)``."""
    if group.groups:
        return f"{counted(len(group.groups), 'group')} ({joined([child.name for child in group.groups])})"
    cards = cards_text(group.request.cards)
    pods = counted(group.pods, "pod")
    return f"{pods} of {cards}" if cards else pods


def leaves(group: Group, path: str = "") -> Iterable[tuple[str, Group]]:
    """Return the groups that hold pods with their paths, in order."""
    if not group.groups:
        yield path, group
    for child in group.groups:
        yield from leaves(child, f"{path}/{child.name}" if path else child.name)


def pods_wanted(group: Group) -> int:
    """Return the number of pods of a workload or group."""
    return sum(leaf.pods for _, leaf in leaves(group))


def hosts(names: Iterable[str], scenario: Scenario) -> str:
    """Return node names folded to a hostlist in the order of the document, each once."""
    order = {node.name: index for index, node in enumerate(scenario.nodes)}
    return fold(sorted(set(names), key=lambda name: (order.get(name, len(order)), name)))


def domain_path(domains: Mapping[str, Sequence[str]], levels: Sequence[str]) -> str:
    """Return where a placement lies as a path, several domains of a level folded: ``s1/p1/r[1-2]``.

    The path ends with the first level that has several domains, since names below repeat from parent to parent.
    """
    parts: list[str] = []
    for level in levels:
        names = [name for name in domains.get(level, ()) if name]
        if not names:
            break
        parts.append(fold(names))
        if len(names) > 1:
            break
    return "/".join(parts)
