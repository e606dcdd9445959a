"""The built functions in containers, as `sam local` runs them, over an emulated AWS."""
