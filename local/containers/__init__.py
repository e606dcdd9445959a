"""The container engine and the base image with which `sam local` runs the built functions."""
