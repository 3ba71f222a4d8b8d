"""Stops that look at iterations one by one, and the detectors made of them."""
