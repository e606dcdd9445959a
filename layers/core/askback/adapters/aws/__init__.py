"""AWS clients, and the classification of their errors."""
