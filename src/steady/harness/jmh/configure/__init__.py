"""A plan as JMH's own configuration."""
