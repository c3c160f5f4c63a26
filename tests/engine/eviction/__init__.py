"""Tests of making room."""
