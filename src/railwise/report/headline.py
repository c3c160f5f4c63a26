"""The first sentences about a comparison: the number that matters most, what else got better, and what got worse.

The sentence follows the numbers whoever is ahead. A comparison that only ever praises its author is not worth reading,
so the second policy may well be the one that the headline names.
"""

from __future__ import annotations

from typing import NamedTuple

from railwise.report.measures import BY_NAME, SHARE
from railwise.report.run_data import Comparison, Key
from railwise.report.summary import Summary, figure_text, verdict
from railwise.report.wording import counted, joined

_FINISHED: Key = ("finished", "")

TELLING = 0.01
"""A relative difference below one per cent is not worth a sentence (shares: one point)."""

MOST = 4
"""So many things are said for a policy, and as many against it; the table has the rest."""


class Headline(NamedTuple):
    """What stands first: a sentence with its number, and sentences that qualify it."""

    sentence: str
    more: tuple[str, ...]


def headline(comparison: Comparison, summary: Summary, narrowest: str) -> Headline:
    """Return the first sentences.

    Args:
        comparison: the runs.
        summary: their figures.
        narrowest: the narrowest level's name (empty: none).
    """
    stopped = next((run for run in comparison.runs if run.stopped), None)
    more: list[str] = []
    if len(summary.policies) == 1:
        first = _alone(summary)
    else:
        contenders = _ahead(summary)
        key = _leading(summary, contenders)
        first = _against(summary, key, contenders) if key else "No policy did noticeably better than another."
        more = _left_behind(summary, contenders) if key and key[0] != "finished" else []
        more += _others(summary, key, narrowest)
    if stopped is not None:
        more.append(f"The run under {stopped.policy} was stopped before its end: these are partial results.")
    return Headline(first, tuple(more))


def _alone(summary: Summary) -> str:
    policy = summary.policies[0]
    text = {name: figure_text(BY_NAME[name], summary.figure(policy, (name, ""))) for name in BY_NAME}
    sentence = f"Under {policy}, {text['finished']} of {counted(int(text['workloads'] or 0), 'workload')} ended"
    if text["wait_mean"]:
        sentence += f", after a wait of {text['wait_mean']} on average"
    return sentence + (f"; {text['held']} of all GPU time was in use." if text["held"] else ".")


def _ahead(summary: Summary) -> list[str]:
    """Return the policies that finished most: how soon work was done says little where less of it was done."""
    finished = {policy: _goodness(summary, policy, _FINISHED) for policy in summary.policies}
    most = max(finished.values())
    return [policy for policy, count in finished.items() if most - count <= TELLING * abs(most)]


def _leading(summary: Summary, contenders: list[str]) -> Key | None:
    """Return the measure that tells most: what was finished, where one is ahead, else how soon, how long, how full.

    The later ones are asked of those alone that finished most.
    """
    if len(contenders) == 1:
        return _FINISHED
    own = summary.policies[0]
    for name in ("completion", "wait_mean", "used", "stretch"):
        if own in contenders:
            if any(_telling(summary, policy, (name, "")) for policy in contenders if policy != own):
                return name, ""
            continue
        known = [summary.figure(policy, (name, "")) for policy in contenders]
        means = [figure.mean for figure in known if figure is not None]
        share = BY_NAME[name].unit == SHARE
        if len(means) > 1 and max(means) - min(means) >= (1000 * TELLING if share else TELLING * abs(max(means))) > 0:
            return name, ""
    return None


def _left_behind(summary: Summary, contenders: list[str]) -> list[str]:
    """Return who finished less than those that are compared first."""
    measure = BY_NAME["finished"]
    rest = [policy for policy in summary.policies if policy not in contenders]
    if not rest:
        return []
    counts = joined([f"{policy} {figure_text(measure, summary.figure(policy, _FINISHED))}" for policy in rest])
    most = figure_text(measure, summary.figure(contenders[0], _FINISHED))
    return [f"{_named(joined(contenders))} finished {most} workloads, {counts}."]


def _telling(summary: Summary, policy: str, key: Key) -> bool:
    difference = summary.differences.get((policy, key))
    if difference is None or not difference.sign:
        return False
    if BY_NAME[key[0]].unit == SHARE:
        return abs(difference.mean) >= 1000 * TELLING
    return difference.relative is None or abs(difference.relative) >= TELLING


_SAYS = {
    "finished": ("finishes more work", "finished workloads"),
    "completion": ("finishes work sooner", "from submit to end, on average"),
    "wait_mean": ("starts work sooner", "wait, on average"),
    "used": ("does more work on the same GPUs", "of all GPU time became work that counts"),
    "stretch": ("runs work faster", "its duration"),
}


def _against(summary: Summary, key: Key, contenders: list[str]) -> str:
    """Return who is ahead in a measure, of whom, and by how much."""
    measure = BY_NAME[key[0]]
    among_whom = summary.policies if key == _FINISHED else contenders
    known = [policy for policy in among_whom if summary.figure(policy, key) is not None]
    best = max(known, key=lambda policy: _goodness(summary, policy, key))
    own = summary.policies[0] if summary.policies[0] in known else known[0]
    says, what = _SAYS[key[0]]
    others = [policy for policy in known if policy != best]
    rival = own if best != own else max(others, key=lambda policy: _goodness(summary, policy, key))
    ours, theirs = (figure_text(measure, summary.figure(policy, key)) for policy in (best, rival))
    gap = _gap(summary, best, rival, key)
    among = "" if len(known) == 2 or best != own else ", the next best"  # noqa: PLR2004 -- a pair needs no ranking
    return f"{_named(best)} {says} than {rival}{among}: {ours} instead of {theirs} {what}{gap}."


def _goodness(summary: Summary, policy: str, key: Key) -> float:
    figure = summary.figure(policy, key)
    mean = figure.mean if figure else 0.0
    return mean if BY_NAME[key[0]].better == "more" else -mean


def _gap(summary: Summary, best: str, rival: str, key: Key) -> str:
    ours, theirs = summary.figure(best, key), summary.figure(rival, key)
    if ours is None or theirs is None or not theirs.mean or BY_NAME[key[0]].unit == SHARE:
        return ""
    share = 100 * abs(ours.mean - theirs.mean) / abs(theirs.mean)
    return f", {share:.0f} % {'less' if ours.mean < theirs.mean else 'more'}"


def _named(policy: str) -> str:
    return policy[:1].upper() + policy[1:]


def _others(summary: Summary, leading: Key | None, narrowest: str) -> list[str]:
    """Return what else differs between the first policy and each other one: what is worse, and what is better."""
    keys: list[Key] = [("completion", ""), ("wait_mean", ""), ("stretch", ""), ("used", ""), ("makespan", "")]
    keys += [("close", narrowest), ("fragmented", narrowest)] if narrowest else []
    keys += [("lost", ""), ("fairness", "")]
    own = summary.policies[0]
    found: list[str] = []
    for policy in summary.policies[1:]:
        parts: dict[int, list[str]] = {1: [], -1: []}
        for key in keys:
            side = verdict(BY_NAME[key[0]], summary.differences.get((policy, key)))
            if key != leading and side and _telling(summary, policy, key):
                better, worse = _PHRASES[key[0]]
                phrase = (better if side > 0 else worse).format(level=key[1])
                parts[side].append(f"{phrase} ({_pair(summary, policy, own, key)})")
        sides = [joined(parts[side][:MOST]) for side in (-1, 1) if parts[side]]
        if sides:
            found.append(f"Compared with {own}, {policy} {', but '.join(sides)}.")
    return found


_PHRASES = {
    "completion": ("finishes work sooner", "finishes work later"),
    "wait_mean": ("starts work sooner", "starts work later"),
    "stretch": ("runs work faster", "runs work slower"),
    "used": ("does more work on the same GPUs", "does less work on the same GPUs"),
    "makespan": ("is done with everything sooner", "is done with everything later"),
    "close": ("keeps more gangs inside one {level}", "keeps fewer gangs inside one {level}"),
    "fragmented": ("leaves more room for gangs inside one {level}", "leaves less room for gangs inside one {level}"),
    "lost": ("loses less work", "loses more work"),
    "fairness": ("shares more evenly", "shares less evenly"),
}
"""What is said of a policy that is better, and of one that is worse, by measure."""


def _pair(summary: Summary, policy: str, own: str, key: Key) -> str:
    """Return both figures; of fragmentation the room that is there, so that less reads as less."""
    measure = BY_NAME[key[0]]
    figures = [summary.figure(one, key) for one in (policy, own)]
    if key[0] == "fragmented":
        figures = [figure._replace(mean=1000 - figure.mean) if figure else None for figure in figures]
        theirs, ours = (figure_text(measure, figure) for figure in figures)
        return f"{theirs} instead of {ours} of what is free"
    theirs, ours = (figure_text(measure, figure) for figure in figures)
    return f"{theirs} instead of {ours}"
