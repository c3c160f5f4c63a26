"""Maps written where schedulers look for them: only what differs, only under our own names."""
