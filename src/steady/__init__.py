"""steady."""
