"""Suggestions: the commands to type next in each situation that is known to steady."""
