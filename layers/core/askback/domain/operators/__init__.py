"""What operators see and may do."""
