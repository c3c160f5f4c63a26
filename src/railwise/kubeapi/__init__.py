"""The only room that speaks to an API server: read, watch, write, be elected. Start at ``client.py``."""
