"""The running of programs: one alone, or two that take turns by the clock."""
