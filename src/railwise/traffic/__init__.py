"""What communication costs: pure functions from links, sizes and places to nanoseconds."""
