"""What only the machine itself can tell of its links and cards: lldpd, drivers, sysfs."""
