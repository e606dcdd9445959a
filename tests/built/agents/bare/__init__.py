"""The agents of the examples without askback: the framework's own approval, stored in a file and resumed from it."""
