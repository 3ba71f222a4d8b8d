"""Runs JMH's forks, alone or interleaved."""
