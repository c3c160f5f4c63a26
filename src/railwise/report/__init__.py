"""Faces of a decision: tables, trees, sentences and pictures, as pure functions from the model to text.

What the command line prints, what the web view shows and what a page of the documentation explains come from here, so
that they cannot tell different stories. Nothing in this room draws on a screen or writes a file.
"""
