"""Bytes to model and back: one module per outside format, reader and writer side by side, no files and no network."""
