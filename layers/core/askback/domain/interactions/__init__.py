"""What can be asked of a person: the registry and the built-in interactions."""
