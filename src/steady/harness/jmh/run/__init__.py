"""JMH's forks, alone or in turn."""
