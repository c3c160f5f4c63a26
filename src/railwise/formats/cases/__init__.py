"""Policy tests: reading them and checking a plan against them."""
