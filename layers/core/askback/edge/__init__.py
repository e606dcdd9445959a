"""Between a Lambda event and the domain: requests, replies, refusals, log lines."""
