"""AWS clients, and what their errors mean."""
