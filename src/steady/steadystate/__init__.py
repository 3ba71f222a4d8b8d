"""steadystate."""
