"""From the exact search's answer to pods on nodes: who of the equal pods goes where.

Copies of a unit and pods of a kind are handed out in document order along the tree, so that earlier groups get the
earlier places and ranks follow the tree.
"""

from __future__ import annotations

from typing import cast

from railwise.engine.problem import Problem, Token, Vector

Members = dict[int, list[object]]
Piece = tuple[object, int, int, Vector, object]


def lay_out(problem: Problem, made: object, level: int, depth: int) -> list[tuple[int, int, int]]:
    """Return (leaf number, rank, node) of every pod of an answer found inside a domain of ``level``."""
    members = {item: list(copies) for item, copies in problem.top_members.items()}
    placed: list[tuple[int, int, int]] = []
    _hand_out(problem, made, _unpacked(problem, members, level), depth, placed)
    placed.sort()
    return placed


def _unpacked(problem: Problem, members: Members, level: int) -> Members:
    """Return the members with every unit of this level or a wider one replaced by its contents."""
    result: Members = {}
    pending = list(members.items())
    while pending:
        item, copies = pending.pop()
        unit = problem.unit_of.get(item)
        if unit is None or unit.level > level:
            result.setdefault(item, []).extend(copies)
            continue
        for copy in copies:
            pending.extend(cast("Members", copy).items())
    for item, copies in result.items():
        copies.sort(key=lambda copy: _first_token(problem, item, copy))
    return result


def _first_token(problem: Problem, item: int, copy: object) -> Token:
    """Return the first pod of a copy, in document and rank order."""
    if item not in problem.unit_of:
        return cast("Token", copy)
    inner = cast("Members", copy)
    return min(_first_token(problem, other, first) for other, firsts in inner.items() for first in firsts)


def _hand_out(
    problem: Problem, made: object, members: Members, depth: int, placed: list[tuple[int, int, int]]
) -> None:
    if made is None:
        return
    steps = cast("tuple[object, ...]", made)
    if len(steps) == 2:
        node, vector = cast("tuple[int, Vector]", made)
        for item, count in enumerate(vector):
            for token in members.get(item, [])[:count]:
                number, rank = cast("Token", token)
                placed.append((number, rank, node))
        return
    pieces: list[Piece] = []
    while made is not None:
        piece = cast("Piece", made)
        pieces.append(piece)
        made = piece[0]
    for _, level, _, vector, inner in reversed(pieces):
        mine: Members = {}
        for item, count in enumerate(vector):
            if count:
                mine[item] = members[item][:count]
                members[item] = members[item][count:]
        _hand_out(problem, inner, _unpacked(problem, mine, level), depth, placed)
