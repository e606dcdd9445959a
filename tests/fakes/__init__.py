"""The ports in memory; every one passes the same contract suite as its AWS adapter."""
