"""What askback promises, one folder for each part."""
