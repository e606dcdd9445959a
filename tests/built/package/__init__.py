"""What is installed from a package index: built, and installed into environments that have nothing else."""
