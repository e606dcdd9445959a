"""The code between a Lambda event and the domain: requests, replies, refusals and log lines."""
