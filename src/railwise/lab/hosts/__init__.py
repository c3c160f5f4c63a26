"""What only a server can see of itself, as the files and outputs that its tools would give."""
