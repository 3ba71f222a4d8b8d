"""Running a suite: base and head interleaved on one machine, fork by fork."""
