"""Models of human labels: onset, the detector that sees what people see in a plot."""
