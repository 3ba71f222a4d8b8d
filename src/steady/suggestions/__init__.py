"""Suggestions: the commands to type next, in each situation in which steady can name some."""
