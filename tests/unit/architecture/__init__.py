"""The walls: who may import whom, which error has which status, and the shape of the files."""
