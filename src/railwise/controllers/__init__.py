"""Live controllers: what a cluster says becomes events, plans become writes. Start at ``scheduler.py``."""
