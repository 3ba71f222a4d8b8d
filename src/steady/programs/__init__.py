"""Runs programs: one alone, or two that take turns by the clock, whatever they are."""
