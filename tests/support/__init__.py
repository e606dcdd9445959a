"""Every builder, fake and deployment of the tests; each fake passes the same contract suite as its AWS adapter."""
