"""A plan as command lines of Go."""
