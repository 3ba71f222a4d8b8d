"""What to type next, as whole commands: where something is missing, or takes long."""
