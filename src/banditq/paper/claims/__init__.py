"""What the paper claims, as checks."""
