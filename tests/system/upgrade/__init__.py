"""An update of a stack: pauses that an earlier version minted are answered by this one."""
