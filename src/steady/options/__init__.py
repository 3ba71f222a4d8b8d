"""Declarations of all options, for the command line, the action, the settings and Python."""
