"""Keys rotate under pauses in flight; apart from tests/functions, whose one deployment outlives each of its files."""
