"""A plan as JMH's own configuration, or in the benchmarks' Java sources."""
