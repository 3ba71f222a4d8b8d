"""JMH's results: its JSON, and its text log."""
