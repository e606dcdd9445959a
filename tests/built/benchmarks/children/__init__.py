"""Programs that the benchmark runs in processes of their own; they import nothing of it."""
