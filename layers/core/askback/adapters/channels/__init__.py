"""The channels that carry a message to a person."""
