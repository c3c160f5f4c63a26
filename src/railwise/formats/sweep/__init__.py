"""Sweeps (``kind: Sweep``): which scenario is lived through under which policies, seeds and parameters."""
