"""Run programs: one alone, or two interleaved at their calls of the clock."""
