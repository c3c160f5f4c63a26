"""The live state of a cluster: what is free, whose card is whose, and exact undo."""
