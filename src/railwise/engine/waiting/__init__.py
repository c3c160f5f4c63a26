"""What is kept for whom: reservations, who may overtake, and since when somebody waits."""
