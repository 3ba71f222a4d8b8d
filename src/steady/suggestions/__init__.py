"""Suggestions of commands to type next."""
