"""Maps and traces that others have published, turned into scenarios; the data are not part of the project."""
