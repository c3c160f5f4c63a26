"""The REST endpoints of fabric managers, answered from a laboratory."""
