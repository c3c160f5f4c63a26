"""What different switch systems answer to the same question over gNMI, with the quirks that they document."""
