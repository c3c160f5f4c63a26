"""What is to be discovered, and how: documents of kind Discovery."""
