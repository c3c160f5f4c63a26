"""Print the plans of random small clusters, a line each, for a comparison of builds (run as a module)."""

from __future__ import annotations

import sys

from railwise import build_kind
from railwise.engine.cycle import plan_scenario
from tests.oracle.instances import instance


def main(first: int, last: int) -> None:
    """Print the build on the first line, then one plan for each seed."""
    lines = [build_kind(), *(f"{seed} {plan_scenario(instance(seed))!r}" for seed in range(first, last))]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
