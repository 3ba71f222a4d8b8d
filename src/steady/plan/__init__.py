"""The plan: the configuration of each benchmark, its cost, and the reason for it."""
