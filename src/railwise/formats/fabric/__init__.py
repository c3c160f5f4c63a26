"""Fabrics as documents: our own kind, and one module for each format of others."""
