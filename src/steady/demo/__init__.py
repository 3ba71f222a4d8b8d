"""Real runs of ``examples/jmh-demo``, recorded, so that the whole loop can be seen in seconds."""
