"""One decision by a policy, chosen by its name, and the next step for who waits after it."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.explain import advise
from railwise.model.plan import Plan, WorkloadPlan
from railwise.model.scenario import Scenario


def decide(scenario: Scenario, policy: str = "railwise") -> Plan:
    """Return the plan of Railwise, or of a baseline."""
    if policy == "railwise":
        return plan_scenario(scenario)
    from railwise.engine import policies

    return plan_scenario(scenario, policies.by_name(policy, scenario.seed))


def advised(scenario: Scenario, entry: WorkloadPlan) -> WorkloadPlan:
    """Return the entry of a waiting workload with a next step that was tried and helps, where there is one."""
    if entry.reason is None:
        return entry
    engine = Engine(scenario)
    engine.cycle(())
    step = advise(engine, entry.name, entry.reason)
    return replace(entry, reason=replace(entry.reason, next=step))
