"""Kubernetes objects as a scenario."""
