"""The baselines: each does what it is named after, on clusters small enough to be worked out by hand."""
