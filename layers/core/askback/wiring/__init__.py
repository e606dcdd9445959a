"""The composition roots: each function's services, built once for a process."""
