"""MiniStack, mended where it would let a fault of the deployment pass; runs on the Python of `.venv-ministack`."""
