"""Railwise: a topology-aware scheduler for AI clusters on Kubernetes."""

__version__ = "0.1.0"
