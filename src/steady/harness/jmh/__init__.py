"""JMH: its results, its forks, its configuration, and the same code in two jars."""
