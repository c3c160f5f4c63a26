"""What other systems' objects say about queues, topologies, priorities and gangs. Start at ``catalog.py``."""
