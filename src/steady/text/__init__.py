"""Formatting of numbers, and escaping of untrusted text."""
