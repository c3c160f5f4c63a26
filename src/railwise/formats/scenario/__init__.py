"""Scenario documents, read and written."""
