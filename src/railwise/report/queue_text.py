"""Why a queue is due what it is due: the steps of the engine's own sharing, level by level, as sentences with figures.

Nothing is computed here. Every figure stands in the books and the steps that the engine kept while it shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from railwise.engine.queues.fairness import Pour, Sharing
from railwise.engine.queues.siblings import Claim
from railwise.engine.standing import Books, Standing
from railwise.model.plan import Plan, State
from railwise.report.queues import amount_text, matters, percent_text, resources, share_text
from railwise.report.reason_text import short
from railwise.report.table import DIM, STRONG, WARN, Cell
from railwise.report.wording import counted, joined

_LABEL = 12
_NAMED = 6
_IN_FULL = {"cpu": "cores", "memory": "Gi of memory"}


def queue_lines(found: Books, name: str, plan: Plan) -> list[Cell]:
    """Return the answer to "why is this queue due so much" line by line.

    Args:
        found: the books before the plan.
        name: of a queue in the books.
        plan: for what becomes of the workloads that wait in it.
    """
    one = found.of(name)
    if one is None or not one.sound:
        return [Cell(f"{name} stands in no tree: its parents are unknown or form a circle. It serves nobody.", WARN)]
    shown = [resource for resource in resources(found) if matters(one, resource)] or [resources(found)[0]]
    lines = [Cell(_headline(one, shown[0]), STRONG)]
    for resource in shown:
        lines += _of_resource(found, one, resource)
    return [*lines, Cell(""), *_closing(found, one, shown, plan)]


def _headline(one: Standing, resource: str) -> str:
    due, held = one.fair.get(resource, 0), one.allocated.get(resource, 0)
    side = "its fair share exactly"
    if due != held:
        side = f"{amount_text(resource, abs(due - held))} {'above' if held > due else 'below'} its fair share"
    return f"{one.queue.name} is due {_full(resource, due)} and holds {amount_text(resource, held)}: {side}"


def _full(resource: str, amount: Fraction | int) -> str:
    """Return an amount with its unit, exact: ``1 GPU``, ``26.666… GPUs``, ``64 cores``."""
    text = exact_text(resource, Fraction(amount))
    if resource == "gpu":
        return f"{text} GPU" if text == "1" else f"{text} GPUs"
    return f"{text} {_IN_FULL.get(resource, resource)}"


def exact_text(resource: str, amount: Fraction | int) -> str:
    """Return an amount in the unit of its resource to three places; ``…`` where there are more."""
    whole = int(amount) if resource in {"gpu", "cpu"} else int(amount * 1000)
    text = amount_text("gpu", whole)
    if resource == "memory":
        whole = int(Fraction(amount) * 1000 / 1024)
        text = amount_text("gpu", whole)
        return text if amount * 1000 == whole * 1024 else f"{text}…"
    exact = amount if resource in {"gpu", "cpu"} else amount * 1000
    return text if exact == whole else f"{text}{'' if '.' in text else '.'}…"


def _of_resource(found: Books, one: Standing, resource: str) -> list[Cell]:
    """Return a block a level, from the top of the tree down to the queue."""
    path = [one]
    while path[0].queue.parent:
        above = found.of(path[0].queue.parent)
        if above is None:
            break
        path.insert(0, above)
    return [line for step in path for line in _of_level(found, step, resource)]


def _of_level(found: Books, one: Standing, resource: str) -> list[Cell]:
    steps = found.steps.get((one.queue.parent, resource))
    if steps is None:
        return []
    name = one.queue.name
    others = [claim.name for claim in steps.claims if claim.name != name and found.of(claim.name) is not None]
    what = f"the {_full(resource, steps.total)} of {one.queue.parent}"
    if not one.queue.parent:
        what = f"{_full(resource, steps.total)} of the cluster (nodes that are ready and open, and what runs on others)"
    mates = f" with {joined(_some(others))}" if others else ", alone"
    return [
        Cell(""),
        Cell(f"  {name} shares {what}{mates}"),
        _line("Quota", _quota(steps, name, resource)),
        _line("Demand", _demand(steps, one, resource)),
        *([_line("Past", _past(one))] if one.used is not None and resource == "gpu" else []),
        _line("First", _first(steps, name, resource)),
        *(_line("Then", _pour(pour, name, resource)) for pour in steps.pours),
        *_rounding(steps, name, resource),
        _line("Fair share", _full(resource, steps.shares[name])),
    ]


def _line(label: str, text: str) -> Cell:
    return Cell(f"    {label:<{_LABEL}}{text}")


def _some(names: Sequence[str]) -> list[str]:
    """Return the names, the last of many as a count."""
    if len(names) <= _NAMED:
        return list(names)
    return [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]


def _claim(claims: Sequence[Claim], name: str) -> Claim:
    return next(claim for claim in claims if claim.name == name)


def _quota(steps: Sharing, name: str, resource: str) -> str:
    own, reduced = _claim(steps.claims, name).quota, _claim(steps.reduced, name).quota
    together = sum((claim.quota for claim in steps.claims), Fraction(0))
    text = _full(resource, own) if own else "none"
    if together > steps.total:
        shrinks = f"; it counts {exact_text(resource, reduced)}" if own else ""
        return (
            f"{text}; all quotas together promise {exact_text(resource, together)} of "
            f"{exact_text(resource, steps.total)}, so all are shrunk{shrinks}"
        )
    return f"{text}; all quotas together promise {exact_text(resource, together)} of {_full(resource, steps.total)}"


def _demand(steps: Sharing, one: Standing, resource: str) -> str:
    claim = _claim(steps.claims, one.queue.name)
    held, pending = one.allocated.get(resource, 0), one.pending.get(resource, 0)
    parts = f"{amount_text(resource, held)} allocated, {amount_text(resource, pending)} pending"
    if claim.demand < held + pending:
        asked = amount_text(resource, held + pending)
        return f"{_full(resource, claim.demand)}, as much as limits allow of {asked} asked for ({parts})"
    return f"{_full(resource, claim.demand)} ({parts})"


def _past(one: Standing) -> str:
    weight, counts = amount_text("gpu", one.queue.weight), exact_text("gpu", one.weight)
    part = percent_text(one.used or Fraction(0))
    return f"{part} of the GPU time its siblings and it used, older use less; its weight of {weight} counts {counts}"


def _first(steps: Sharing, name: str, resource: str) -> str:
    kept = [claim.name for claim in steps.reduced if claim.keep > steps.first[claim.name]]
    together = sum(steps.first.values(), Fraction(0))
    text = f"{_full(resource, steps.first[name])}, the smaller of the two"
    lends = f"; {joined(_some(kept))} lend{'s' if len(kept) == 1 else ''} only a part of what is unused" if kept else ""
    return (
        f"{text}. All queues together get {exact_text(resource, together)} so{lends}; "
        f"{exact_text(resource, steps.left)} {'is' if steps.left == steps.unit else 'are'} left"
    )


def _pour(pour: Pour, name: str, resource: str) -> str:
    tier = "weight 0, evenly and last" if pour.last else f"priority {pour.priority}, by weight"
    order = sorted(pour.given, key=lambda one: (one != name, one))
    shown = [f"{one} {_weight(pour, one)}+{exact_text(resource, pour.given[one])}" for one in order[:_NAMED]]
    if len(order) > _NAMED:
        rest = sum((pour.given[one] for one in order[_NAMED:]), Fraction(0))
        shown.append(f"{len(order) - _NAMED} more +{exact_text(resource, rest)}")
    full = [one for one in order if one in pour.full]
    done = f"; {joined(_some(full))} {'has' if len(full) == 1 else 'have'} all asked for" if full else ""
    return f"{tier}, of {exact_text(resource, pour.left)} left: {', '.join(shown)}{done}"


def _weight(pour: Pour, name: str) -> str:
    return "" if pour.last else f"(weight {exact_text('gpu', pour.weights[name])}) "


def _rounding(steps: Sharing, name: str, resource: str) -> list[Cell]:
    """Return how a share became whole, where it was not."""
    exact, whole = steps.exact[name], steps.shares[name]
    if exact == whole:
        return []
    text = f"{exact_text(resource, exact)} becomes {exact_text(resource, whole)}, whole GPUs where there are too few"
    if resource != "gpu":
        text = text.replace("whole GPUs", "whole units")
    to = f"; what is over goes by largest remainder to {joined(_some(steps.raised))}" if steps.raised else ""
    return [_line("Rounding", f"{text}{to}")]


def _closing(found: Books, one: Standing, shown: Sequence[str], plan: Plan) -> list[Cell]:
    lines: list[Cell] = []
    for resource in shown:
        lines += [Cell(f"  {text}") for text in _holds(one, resource)]
    lines.append(Cell(f"  Its share is {share_text(one)}: allocated ÷ fair share{_where(one, shown)}."))
    below = {queue.queue.name for queue in found.queues if _is_below(found, queue, one.queue.name)}
    entries = [entry for entry in plan.workloads if entry.queue in below]
    starts = [entry.name for entry in entries if entry.state is State.PLACED]
    if starts:
        lines.append(Cell(f"  The next plan starts {joined(_some(starts))} in it."))
    mine = {entry.name for entry in entries}
    for eviction in plan.evictions:
        if eviction.workload in mine:
            lines.append(Cell(f"  The next plan stops {eviction.workload} of it for {eviction.beneficiary}.", WARN))
    waiting = [entry for entry in entries if entry.state is State.PENDING and entry.reason is not None]
    lines += [Cell(f"  {entry.name} waits, {short(entry.reason)}.") for entry in waiting[:_NAMED] if entry.reason]
    if len(waiting) > _NAMED:
        lines.append(Cell(f"  {counted(len(waiting) - _NAMED, 'more workload')} of it wait.", DIM))
    return lines


def _where(one: Standing, shown: Sequence[str]) -> str:
    return f" of {one.dominant}, its dominant resource" if len(shown) > 1 else ""


def _is_below(found: Books, one: Standing, name: str) -> bool:
    current: Standing | None = one
    while current is not None:
        if current.queue.name == name:
            return True
        current = found.of(current.queue.parent) if current.sound and current.queue.parent else None
    return False


def _holds(one: Standing, resource: str) -> list[str]:
    held, due = one.allocated.get(resource, 0), one.fair.get(resource, 0)
    over, lent = one.borrowed.get(resource, 0), one.lent.get(resource, 0)
    texts: list[str] = []
    if over:
        texts.append(
            f"{_full(resource, over)} of what it holds are above its quota: borrowed while nobody else used them, and "
            "lent only until somebody below its own quota or fair share asks."
        )
    if held > due:
        texts.append(
            f"It holds {_full(resource, held - due)} more than it is due, because work that runs is not stopped for a "
            "share alone: only when another queue claims what is its own."
        )
    if lent:
        texts.append(f"{_full(resource, lent)} of its quota are lent: others use them while it does not.")
    if held < due:
        texts.append(f"{_full(resource, due - held)} of its fair share are not used yet.")
    return texts or [f"It holds {_full(resource, held)}, no more and no less than it is due."]
