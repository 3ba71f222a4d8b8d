"""What may have changed for each benchmark of JMH, read from two jars."""
