"""askback: pause an agent on a question, take a person's answer once, give the turn back."""

__version__ = "0.1.0"
