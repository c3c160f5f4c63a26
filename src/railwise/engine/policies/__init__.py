"""Baselines to compare with: what people run today, behind the same interface and on the same state as Railwise."""

from railwise.engine.policies.registry import POLICIES, PolicyInfo, by_name

__all__ = ["POLICIES", "PolicyInfo", "by_name"]
