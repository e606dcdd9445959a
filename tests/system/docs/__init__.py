"""Every sample of the pages, run or checked."""
