"""From wiring to topology: what is plugged into what, and which domains follow from it. Pure: no clock, no network."""
