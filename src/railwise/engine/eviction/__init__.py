"""Who has to make room for whom, at the least cost."""
