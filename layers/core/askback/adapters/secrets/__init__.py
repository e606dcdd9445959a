"""The key ring in AWS Secrets Manager."""
