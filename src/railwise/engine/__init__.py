"""The decision: state and events in, a plan out. Pure: no clock, no file, no randomness, integers only."""
