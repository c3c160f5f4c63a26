"""Who is served next, what is due to whom, and what a queue may hold."""
