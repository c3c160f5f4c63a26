"""The engine, room by room below the level of whole plans."""
