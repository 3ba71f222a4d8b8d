"""Rules for a change that decide only where they are asked for."""
