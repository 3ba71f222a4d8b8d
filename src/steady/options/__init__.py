"""Options: each declared once, for the command line, the action, the settings and Python."""
