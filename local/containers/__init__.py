"""The container engine and the image that `sam local` runs the built functions on."""
