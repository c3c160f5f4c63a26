"""Why a workload waits, and what would help."""
