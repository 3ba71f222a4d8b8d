"""Go's test binaries, alone or in turn."""
