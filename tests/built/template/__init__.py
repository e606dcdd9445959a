"""What the template promises before anything is deployed."""
