"""Run programs: one alone, or two interleaved by the clock."""
