"""One decision by a policy, chosen by its name."""

from __future__ import annotations

from railwise.engine.cycle import plan_scenario
from railwise.model.plan import Plan
from railwise.model.scenario import Scenario


def decide(scenario: Scenario, policy: str = "railwise") -> Plan:
    """Return the plan of Railwise, or of a baseline."""
    if policy == "railwise":
        return plan_scenario(scenario)
    from railwise.engine import policies

    return plan_scenario(scenario, policies.by_name(policy))
