"""What fabric managers answer about the fabrics they run."""
