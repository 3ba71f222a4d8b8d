"""Java sources, read by a parser: which classes they declare, and where benchmarks stand in them.

`steady.emit` edits annotations by it, and `steady.report` points at lines.
"""
